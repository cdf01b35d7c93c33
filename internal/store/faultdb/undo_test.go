package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

func TestUndo(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("Plain"), d.Report("Pending"), d.Report("Not pending"), d.Report("Back"), d.Report("Other"))
		d.Update("Pending", faults.FaultChange{ResolveOnDeploy: sett.Some(true)})
		for _, pending := range []bool{true, false} {
			d.Update("Not pending", faults.FaultChange{ResolveOnDeploy: sett.Some(pending)})
		}
		undo := func(event faults.CommentEvent, user int64, at, now time.Time) string {
			t.Helper()
			done, err := s.Faults.UndoFaults(t.Context(), now, user, d.ProjectID, event, at)
			return fmt.Sprint(done.Changed, " ", done.Left, " ", sett.CodeOf(err))
		}
		for event, action := range map[faults.CommentEvent]triage.BulkAction{faults.ResolvedEvent: triage.BulkResolve, faults.IgnoredEvent: triage.BulkIgnore} {
			at := storetest.Noon.Add(time.Hour + time.Duration(len(event))*time.Minute + 123*time.Microsecond)
			which := searchdb.Choice{IDs: []int64{d.FaultID("Plain"), d.FaultID("Pending"), d.FaultID("Not pending"), d.FaultID("Back")}}
			if _, err := s.Search.ChangeFaults(t.Context(), at, d.UserID, d.ProjectID, which, triage.BulkChange{Action: sett.Some(string(action))}); err != nil {
				t.Fatal(err)
			}
			d.Update("Other", faults.FaultChange{Resolved: sett.Some(true), Ignored: sett.Some(true)})
			d.Update("Back", faults.FaultChange{Resolved: sett.Some(false), Ignored: sett.Some(false)})
			if f := d.Fault("Pending"); f.ResolveOnDeploy {
				t.Errorf("%s does not end that the next deploy is waited for", action)
			}
			got := []string{
				undo(event, d.UserID+99, at, at), undo(event, d.UserID, at.Add(time.Microsecond), at.Add(time.Minute)), undo(event, d.UserID, at, at.Add(11*time.Minute)),
				undo(event, d.UserID, at, at.Add(9*time.Minute)), undo(event, d.UserID, at, at.Add(9*time.Minute)),
			}
			if diff := cmp.Diff([]string{"0 0 ", "0 0 ", "0 0 conflict", "3 1 ", "0 1 "}, got); diff != "" {
				t.Errorf("undo %s (-want +got):\n%s", action, diff)
			}
			for class, want := range map[string]faults.FaultState{"Plain": {}, "Pending": {ResolveOnDeploy: true}, "Not pending": {}, "Other": {Resolved: true, Ignored: true}} {
				if f := d.Fault(class); f.FaultState != want {
					t.Errorf("after %s was undone, %s is %+v", action, class, f.FaultState)
				}
			}
			for class, want := range map[string]int64{"Plain": 0, "Pending": 0, "Back": 1} {
				d.WantNumbers("entries of "+class+" after "+string(action)+" was undone", `SELECT count(*) FROM comments WHERE fault_id = $1 AND event = $2`,
					[]any{d.FaultID(class), string(event)}, want)
			}
		}
		if got := undo(faults.AssignedEvent, d.UserID, storetest.Noon, storetest.Noon); got != "0 0 invalid" {
			t.Errorf("an assignment is undone: %s", got)
		}
	})
}

func TestMergeOfManyIsUndone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("A"), d.Report("B"), d.Report("C"), d.Report("D"), d.Report("Elsewhere", func(r *faults.Report) { r.Environment = "staging" }))
		ids := map[string]int64{}
		for _, class := range []string{"A", "B", "C", "D", "Elsewhere"} {
			ids[class] = d.FaultID(class)
		}
		count := func(class string) int64 {
			f, err := s.Faults.FaultByID(t.Context(), d.ProjectID, ids[class])
			if sett.CodeOf(err) == sett.NotFound {
				return 0
			}
			if err != nil {
				t.Fatal(err)
			}
			return f.NoticesCount
		}
		want := func(when string, a, b, c int64) {
			t.Helper()
			if got := [3]int64{count("A"), count("B"), count("C")}; got != [3]int64{a, b, c} {
				t.Errorf("%s the faults count %v, want %v", when, got, [3]int64{a, b, c})
			}
		}
		at := storetest.Noon.Add(time.Hour)
		merge := func(into string, classes ...string) string {
			t.Helper()
			faults := []int64{999}
			for _, class := range classes {
				faults = append(faults, ids[class])
			}
			done, err := s.Faults.MergeFaults(t.Context(), at, d.UserID, d.ProjectID, faults, ids[into])
			return fmt.Sprint(done.Changed, " ", done.Left, " ", done.Nested, " ", sett.CodeOf(err))
		}
		undo := func(user int64, at time.Time) string {
			t.Helper()
			done, err := s.Faults.UndoFaults(t.Context(), at.Add(time.Minute), user, d.ProjectID, faults.MergedEvent, at)
			return fmt.Sprint(done.Changed, " ", done.Left, " ", sett.CodeOf(err))
		}
		if got := merge("C", "A", "B", "Elsewhere"); got != "0 0 false invalid" {
			t.Errorf("merged across environments: %s", got)
		}
		want("after a merge that was refused", 2, 1, 1)
		if got := merge("C", "A", "B", "C", "A"); got != "2 1 false " {
			t.Errorf("merged: %s", got)
		}
		want("merged", 0, 0, 4)
		d.Record(at, accounts.Limits{}, d.Report("A"))
		want("merged, and one of them recurs", 0, 0, 5)
		if got := undo(d.UserID+99, at) + undo(d.UserID, at.Add(time.Microsecond)); got != "0 0 0 0 " {
			t.Errorf("undone by others, or at another time: %s", got)
		}
		if got := undo(d.UserID, at) + undo(d.UserID, at); got != "2 0 0 0 " {
			t.Errorf("undone: %s", got)
		}
		want("undone", 3, 1, 1)
		at = at.Add(time.Hour)
		merge("A", "B")
		at = at.Add(time.Hour)
		if got := merge("C", "A"); got != "1 1 true " {
			t.Errorf("what has parts is merged: %s", got)
		}
		if _, err := s.Faults.MergeFaults(t.Context(), at, d.UserID, d.ProjectID, []int64{ids["D"]}, 999); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("merged into nothing: %v", err)
		}
		found, err := s.Faults.GroupingsOf(t.Context(), d.ProjectID, []int64{ids["C"], ids["A"], 999})
		if err != nil || len(found) != 1 || found[ids["C"]] == "" {
			t.Errorf("groupings %v, error %v", found, err)
		}
	})
}

// What applying rules has merged can be split off again, also when a merge cannot be undone any more otherwise, and by another user.
func TestSplitMerged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"), d.Report("D"))
		a, b, c, other := d.FaultID("A"), d.FaultID("B"), d.FaultID("C"), d.FaultID("D")
		merged, later := storetest.Noon.Add(time.Minute), storetest.Noon.Add(time.Hour)
		for at, faults := range map[time.Time][]int64{merged: {b, c}, later: {other}} {
			if _, err := s.Faults.MergeFaults(t.Context(), at, d.UserID, d.ProjectID, faults, a); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Faults.SplitFault(t.Context(), later, d.UserID, d.ProjectID, c); err != nil { // by hand, meanwhile
			t.Fatal(err)
		}
		if n, err := s.Faults.SplitMerged(t.Context(), later.Add(24*time.Hour), d.User("mia", accounts.Admin), d.ProjectID, d.UserID, merged); err != nil || n != 1 {
			t.Errorf("split off %d, %v; want the one that is still merged", n, err)
		}
		if into, err := s.Faults.MergedInto(t.Context(), d.ProjectID, other); err != nil || into != a {
			t.Errorf("what was merged later is in %d, %v", into, err)
		}
		if f := d.Fault("B"); f.NoticesCount != 1 {
			t.Errorf("what was split off has %d notices", f.NoticesCount)
		}
	})
}
