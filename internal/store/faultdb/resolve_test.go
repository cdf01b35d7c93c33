package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestSettResolvesFaultsInARelease(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Deploy(storetest.Noon, faults.Deploy{Revision: "r1"})
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Open"), d.Report("Pending"), d.Report("Resolved"), d.Report("Other"))
		d.Update("Pending", faults.FaultChange{ResolveOnDeploy: sett.Some(true)})
		d.Update("Resolved", faults.FaultChange{Resolved: sett.Some(true)})
		tracker := d.WebHook(func(i *alerts.Integration) { i.Type = "Github" })
		d.Run(`INSERT INTO fault_links (fault_id, integration_id, data, created_at, updated_at) VALUES ($1, $2, '{}', 0, 0)`, d.FaultID("Open"), tracker.ID)
		d.Raised()
		ids := []int64{d.FaultID("Open"), d.FaultID("Pending"), d.FaultID("Resolved"), 999_999}
		entry := faults.Entry{Event: faults.ResolvedEvent, Revision: "r1", Body: "Resolved: it is fixed."}
		at := storetest.Noon.Add(time.Hour)
		for _, wrong := range []struct {
			project  int64
			revision string
		}{{d.ProjectID, "r2"}, {d.Project("Other").ID, "r1"}} {
			if _, err := s.Faults.ResolveIn(t.Context(), at, wrong.project, ids, wrong.revision, entry); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("in %q, which is no release of it: %v", wrong.revision, err)
			}
		}
		resolved, err := s.Faults.ResolveIn(t.Context(), at, d.ProjectID, ids, "r1", entry)
		if diff := cmp.Diff(ids[:2], resolved); err != nil || diff != "" {
			t.Errorf("resolved %v: %v", resolved, err)
		}
		for class, want := range map[string]faults.FaultState{
			"Open": {Resolved: true, ResolvedIn: "r1"}, "Pending": {Resolved: true, ResolvedIn: "r1"}, "Resolved": {Resolved: true}, "Other": {},
		} {
			if f := d.Fault(class); f.FaultState != want {
				t.Errorf("%s is %+v", class, f.FaultState)
			}
		}
		if diff := cmp.Diff([]string{"system resolved : Resolved: it is fixed."}, d.HistoryLines("Open")); diff != "" {
			t.Error(diff)
		}
		d.WantNumbers("faults that the release resolved", `SELECT count(*) FROM release_faults WHERE project_id = $1 AND version = 'r1' AND event = 'resolved'`, []any{d.ProjectID}, 2)
		var events []alerts.AlertEvent
		for _, a := range d.Raised() {
			events = append(events, a.Event)
		}
		if diff := cmp.Diff([]alerts.AlertEvent{alerts.AlertIssueClose}, events); diff != "" {
			t.Errorf("alerts (-want +got):\n%s", diff)
		}
	})
}

// Whatever opens a fault forgets the release in which it was resolved, and what keeps it resolved does not.
func TestOnlyResolvedFaultsHaveARelease(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Deploy(storetest.Noon, faults.Deploy{Revision: "r1"})
		in := faults.FaultChange{ResolvedIn: sett.Some("r1")}
		resolved := faults.FaultState{Resolved: true, ResolvedIn: "r1"}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		a, b := d.FaultID("A"), d.FaultID("B")
		want := func(when string, state faults.FaultState) {
			t.Helper()
			if diff := cmp.Diff(state, d.Fault("A").FaultState); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		undo := func(event faults.CommentEvent) {
			t.Helper()
			if done, err := s.Faults.UndoFaults(t.Context(), storetest.Noon.Add(time.Minute), d.UserID, d.ProjectID, event, storetest.Noon); err != nil || done.Changed != 1 {
				t.Errorf("undo %s: %+v, %v", event, done, err)
			}
		}
		d.Update("A", in)
		undo(faults.ResolvedEvent)
		want("resolving was undone", faults.FaultState{})
		d.Update("A", in)
		d.Update("A", faults.FaultChange{Ignored: sett.Some(true)})
		undo(faults.IgnoredEvent)
		want("ignoring was undone", resolved)
		if _, err := s.Faults.MergeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, []int64{a}, b); err != nil {
			t.Fatal(err)
		}
		if f, err := s.Faults.FaultByID(t.Context(), d.ProjectID, b); err != nil || f.FaultState != (faults.FaultState{}) {
			t.Errorf("what it was merged into is %+v: %v", f.FaultState, err)
		}
		undo(faults.MergedEvent)
		want("merging was undone", resolved)
		d.Update("A", faults.FaultChange{Resolved: sett.Some(false)})
		want("reopened", faults.FaultState{})
		if _, err := s.Faults.ResolveIn(t.Context(), storetest.Noon, d.ProjectID, []int64{a}, "r1", faults.ResolvedEntry("r1")); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Faults.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faultdb.Chosen{IDs: []int64{a}}, triage.BulkChange{Action: sett.Some("resolve")}); err != nil {
			t.Fatal(err)
		}
		want("resolved among others", resolved)
		if _, err := s.Faults.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, faultdb.Chosen{IDs: []int64{a}}, triage.BulkChange{Action: sett.Some("unresolve")}); err != nil {
			t.Fatal(err)
		}
		want("reopened among others", faults.FaultState{})
	})
}
