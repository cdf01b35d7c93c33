package faultdb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// addLots adds work that changes faults, two in each lot, as a process that died after its answer has left it.
func (d *desk) addLots(m faultdb.ManyChange, ids []int64) {
	d.T.Helper()
	err := d.Faults.InOwnTx(d.T.Context(), "add lots", func(t faultdb.Tx) error {
		return t.AddLots(d.T.Context(), d.ProjectID, m, slices.Collect(slices.Chunk(ids, 2))...)
	})
	if err != nil {
		d.T.Fatal(err)
	}
}

// cutOff does the work in the background, which is cut off after each piece, and returns how often.
func (d *desk) cutOff() (cuts int) {
	d.T.Helper()
	for {
		err := d.WorkUntil(storetest.CutAfter(0))
		if err == nil {
			return cuts
		}
		if cuts++; !errors.Is(err, storetest.ErrCut) || cuts > 20 {
			d.T.Fatal(err)
		}
	}
}

// A change of many faults is completed, and announced once, wherever its process dies.
func TestChangesOfManyFaultsGoOnWhereverTheyAreCutOff(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ids := d.manyFaults(7)
		now, mia := storetest.Noon.Add(time.Minute), d.User("Mia", accounts.Admin)
		deploy := faults.Deploy{ID: 1, ProjectID: d.ProjectID, Revision: "1.0", CreatedAt: now}
		all := `SELECT count(*) FROM faults WHERE `
		for _, step := range []struct {
			name   string
			m      faultdb.ManyChange
			found  string // by which all are found
			alerts string
		}{
			{"assign", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(mia)}}, "assignee_id IS NOT NULL", "[assigned 7]"},
			{"pause", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("pause"), Pause: sett.Some(faults.Pause{Time: sett.Some("day")})}}, "paused_until > 0", "[]"},
			{"unpause", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("unpause")}}, "paused_until = 0", "[]"},
			{"tag", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("tag"), Tags: sett.Some([]string{"vip"})}}, "tags <> ''", "[]"},
			{"resolve", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("resolve")}}, "resolved", "[resolved 4 resolved 3]"},
			{"undo", faultdb.ManyChange{Undo: faultdb.UndoOf(faults.ResolvedEvent, now.Add(4*time.Minute))}, "NOT resolved", "[unresolved 0 unresolved 0 unresolved 0 unresolved 0 unresolved 0 unresolved 0 unresolved 0]"},
			{"deploy", faultdb.ManyChange{Deploy: &deploy}, "resolved", "[]"},
			{"delete", faultdb.ManyChange{Change: &triage.BulkChange{Action: sett.Some("delete")}}, "true", "[]"},
		} {
			d.Run(`UPDATE faults SET resolve_on_deploy = $1`, step.name == "deploy")
			step.m.At, step.m.UserID = db.Micros(now), d.UserID
			d.addLots(step.m, ids)
			if cuts := d.cutOff(); cuts != 3 {
				t.Errorf("%s was cut off %d times, want 3 of 4 lots", step.name, cuts)
			}
			want := int64(len(ids))
			if step.name == "delete" {
				want = 0
			}
			var raised []any
			for _, a := range d.Raised() {
				raised = append(raised, a.Event, max(int64(len(a.Facts.FaultIDs)), a.Facts.FaultsCount))
			}
			if n := d.Numbers(all+step.found, 1)[0]; n != want || fmt.Sprint(raised) != step.alerts {
				t.Errorf("%s: %d faults are %s and %v is announced, want %d and %s", step.name, n, step.found, raised, want, step.alerts)
			}
			now = now.Add(time.Minute)
		}
		if diff := cmp.Diff(map[string]int64{}, d.left()); diff != "" {
			t.Errorf("what is left (-want +got):\n%s", diff)
		}
	})
}

// What is done after the answer leaves faults that others have changed since, and resolves none that has occurred since.
func TestLateChangesLeaveWhatHasHappenedSince(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Changed"), d.Report("Noisy"), d.Report("Quiet"))
		asked, later := storetest.Noon.Add(time.Minute), storetest.Noon.Add(2*time.Minute)
		d.Run(`UPDATE faults SET resolve_on_deploy = true`)
		for _, m := range []faultdb.ManyChange{{Change: &triage.BulkChange{Action: sett.Some("resolve")}}, {Deploy: &faults.Deploy{ID: 1, ProjectID: d.ProjectID}}} {
			m.At = db.Micros(asked)
			d.addLots(m, []int64{d.FaultID("Noisy"), d.FaultID("Quiet"), d.FaultID("Changed")})
			if m.Change != nil {
				change := faults.FaultChange{Ignored: sett.Some(true)}
				if err := s.Faults.UpdateFault(t.Context(), later, d.UserID, d.ProjectID, d.FaultID("Changed"), change); err != nil {
					t.Fatal(err)
				}
			}
			d.Record(later, accounts.Limits{}, d.Report("Noisy"))
			d.Finish()
			got := []bool{d.Fault("Noisy").Resolved, d.Fault("Quiet").Resolved, d.Fault("Changed").Resolved}
			if diff := cmp.Diff([]bool{false, true, m.Deploy != nil}, got); diff != "" {
				t.Errorf("noisy, quiet, changed (-want +got):\n%s", diff)
			}
			d.Run(`UPDATE faults SET resolved = false, resolve_on_deploy = true`)
		}
	})
}

// No transaction changes more faults than a lot; all are changed in the end, and until then counted as waiting.
func TestNoTransactionChangesManyFaults(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	d := newDesk(t, storetest.OpenSQLite(t))
	const lot, answered = faultdb.FaultsInLot, faultdb.LotsAtOnce * faultdb.FaultsInLot
	n := int64(len(d.manyFaults(answered + lot + 1)))
	d.Run(`UPDATE projects SET resolve_errors_on_deploy = true`)
	entries, most := int64(0), int64(0)
	d.Hook(db.Hooks{AfterCommit: []func(context.Context, *db.Tx){func(context.Context, *db.Tx) {
		now := d.Numbers(`SELECT count(*) FROM comments`, 1)[0]
		entries, most = now, max(most, now-entries, entries-now)
	}}})
	at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
	ctx := t.Context()
	for _, step := range []struct {
		name, found string
		do          func() error
	}{
		{"resolve", "resolved", func() error {
			n, err := d.Search.ResolveFaults(ctx, at(1), d.UserID, d.ProjectID, searchdb.Filter{})
			return errors.Join(err, wantNumber("resolved", n, answered+lot+1))
		}},
		{"undo", "NOT resolved", func() error {
			_, err := d.Faults.UndoFaults(ctx, at(2), d.UserID, d.ProjectID, faults.ResolvedEvent, at(1))
			return err
		}},
		{"deploy", "resolved", func() error {
			_, err := d.Faults.RecordDeploy(ctx, at(3), d.ProjectID, faults.Deploy{Revision: "1"})
			d.Run(`UPDATE faults SET paused_until = $1`, db.Micros(at(100)))
			return err
		}},
		{"unpause", "paused_until = 0", func() error { return d.Faults.UnpauseFaults(ctx, at(4), d.UserID, d.ProjectID) }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		left, err := d.Faults.FaultsWaiting(ctx, d.ProjectID)
		if done := d.Numbers(`SELECT count(*) FROM faults WHERE `+step.found, 1)[0]; err != nil || left != lot+1 || done != answered && step.name != "undo" {
			t.Errorf("%s: %d are done with the answer, and %d wait, %v", step.name, done, left, err)
		}
		d.Finish()
		if done := d.Numbers(`SELECT count(*) FROM faults WHERE `+step.found, 1)[0]; done != n || most != lot {
			t.Errorf("%s: %d of %d are done in the end, up to %d in one transaction; a lot is %d", step.name, done, n, most, lot)
		}
		most = 0
	}
}

func wantNumber(what string, got, want int64) error {
	if got != want {
		return fmt.Errorf("%d are %s, want %d", got, what, want)
	}
	return nil
}

// The undo of a change that is not finished stops it.
func TestUndoStopsAChange(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ids := d.manyFaults(5)
		at := storetest.Noon.Add(time.Minute)
		d.addLots(faultdb.ManyChange{UserID: d.UserID, At: db.Micros(at), Change: &triage.BulkChange{Action: sett.Some("resolve")}}, ids)
		if err := d.WorkUntil(storetest.CutAfter(1)); !errors.Is(err, storetest.ErrCut) {
			t.Fatal(err)
		}
		done, err := s.Faults.UndoFaults(t.Context(), at.Add(time.Minute), d.UserID, d.ProjectID, faults.ResolvedEvent, at)
		if err != nil || done.Changed != 4 {
			t.Errorf("undone %+v, %v; want the 4 of two lots", done, err)
		}
		d.Finish()
		if n := d.Numbers(`SELECT count(*) FROM faults WHERE resolved`, 1)[0]; n != 0 {
			t.Errorf("%d are resolved", n)
		}
	})
}

// mergeableFaults returns the ids of so many faults of one environment.
func (d *desk) mergeableFaults(n int) []int64 {
	d.T.Helper()
	ids := d.manyFaults(n)
	d.Run(`UPDATE faults SET environment = 'production'`)
	return ids
}

// A merge of many faults is completed, and so is its undo, wherever its process dies.
func TestMergesGoOnWhereverTheyAreCutOff(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ids := d.mergeableFaults(7)
		at := storetest.Noon.Add(time.Minute)
		counts := func() string {
			return fmt.Sprint(d.Numbers(fmt.Sprintf(`SELECT (SELECT count(*) FROM faults), (SELECT count(*) FROM merged_faults), (SELECT notices_count FROM fault_counts WHERE fault_id = %d)`, ids[0]), 3))
		}
		d.addLots(faultdb.ManyChange{UserID: d.UserID, At: db.Micros(at), Into: ids[0]}, ids[1:])
		if cuts := d.cutOff(); cuts != 2 || counts() != "[1 6 7]" {
			t.Errorf("cut off %d times, faults, parts and notices are %s", cuts, counts())
		}
		undo := faultdb.ManyChange{UserID: d.UserID, At: db.Micros(at.Add(time.Minute)), Undo: faultdb.UndoOf(faults.MergedEvent, at)}
		d.addLots(undo, ids[1:])
		if cuts := d.cutOff(); cuts != 2 || counts() != "[7 0 1]" {
			t.Errorf("undone: cut off %d times, faults, parts and notices are %s", cuts, counts())
		}

		at = at.Add(time.Hour)
		d.addLots(faultdb.ManyChange{UserID: d.UserID, At: db.Micros(at), Into: ids[0]}, ids[1:])
		if err := d.WorkUntil(storetest.CutAfter(1)); !errors.Is(err, storetest.ErrCut) || counts() != "[3 4 5]" {
			t.Fatal(err, counts())
		}
		d.Run(`DELETE FROM leases`)
		if _, err := s.Faults.UndoFaults(t.Context(), at.Add(time.Minute), d.UserID, d.ProjectID, faults.MergedEvent, at); err != nil {
			t.Fatal(err)
		}
		if d.Finish(); counts() != "[7 0 1]" {
			t.Errorf("the undo of a merge that is not finished leaves %s", counts())
		}
	})
}

// However many faults are merged, each transaction merges a lot, and all are merged or, if one cannot be, none.
func TestMergesAtTheBoundsOfLots(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	const lot = faultdb.MergesInLot
	ids := d.mergeableFaults(2*lot + 3)
	parts, most := int64(0), int64(0)
	d.Hook(db.Hooks{AfterCommit: []func(context.Context, *db.Tx){func(context.Context, *db.Tx) {
		now := d.Numbers(`SELECT count(*) FROM merged_faults`, 1)[0]
		parts, most = now, max(most, now-parts, parts-now)
	}}})
	into, others := ids[0], ids[1:]
	at := storetest.Noon
	for _, n := range []int{0, 1, lot, lot + 1, 2 * lot, 2*lot + 1} {
		at = at.Add(time.Minute)
		done, err := d.Faults.MergeFaults(t.Context(), at, d.UserID, d.ProjectID, append(slices.Clone(others[:n]), into, 9_999_999), into)
		if err != nil || done.Changed != int64(n) || done.Left != 1 || done.Waiting != 0 || parts != int64(n) {
			t.Errorf("%d: merged %+v, %v; %d parts", n, done, err, parts)
		}
		undone, err := d.Faults.UndoFaults(t.Context(), at.Add(time.Second), d.UserID, d.ProjectID, faults.MergedEvent, at)
		if err != nil || undone.Changed != int64(n) || parts != 0 {
			t.Errorf("%d: undone %+v, %v; %d parts", n, undone, err, parts)
		}
	}
	if most != lot {
		t.Errorf("a transaction merges %d faults, want %d", most, lot)
	}
	d.Run(`UPDATE faults SET environment = 'elsewhere' WHERE id = $1`, others[2*lot+1])
	if _, err := d.Faults.MergeFaults(t.Context(), at.Add(time.Hour), d.UserID, d.ProjectID, others, into); sett.CodeOf(err) != sett.Invalid || parts != 0 {
		t.Errorf("one that cannot be merged: %v, %d parts", err, parts)
	}
}

// The limit of parts counts all that are merged, before any is.
func TestMergesOfTooManyMergeNone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	ids := d.mergeableFaults(triage.MostParts + 1)
	for n, want := range map[int]sett.Code{triage.MostParts + 1: sett.Invalid, triage.MostParts: ""} {
		_, err := d.Faults.MergeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, ids[1:n], ids[0])
		got := d.Numbers(`SELECT count(*) FROM merged_faults`, 1)[0]
		if sett.CodeOf(err) != want || want != "" && got != 0 || want == "" && got != int64(n-1) {
			t.Errorf("%d: %v, %d parts", n, err, got)
		}
		if want == "" {
			_, err := d.Faults.UndoFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faults.MergedEvent, storetest.Noon)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
