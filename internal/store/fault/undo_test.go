package fault_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/fault"
	"sett/internal/store/storetest"
	"sett/internal/triage"
)

func TestUndo(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, sett.Limits{}, d.Report("Plain"), d.Report("Pending"), d.Report("Not pending"), d.Report("Back"), d.Report("Other"))
		d.Update("Pending", sett.FaultChange{ResolveOnDeploy: sett.Some(true)})
		for _, pending := range []bool{true, false} {
			d.Update("Not pending", sett.FaultChange{ResolveOnDeploy: sett.Some(pending)})
		}
		undo := func(event sett.CommentEvent, user int64, at, now time.Time) string {
			t.Helper()
			done, err := s.Faults.UndoFaults(t.Context(), now, user, d.ProjectID, event, at)
			return fmt.Sprint(done.Changed, " ", done.Left, " ", sett.CodeOf(err))
		}
		for event, action := range map[sett.CommentEvent]triage.BulkAction{sett.ResolvedEvent: triage.BulkResolve, sett.IgnoredEvent: triage.BulkIgnore} {
			at := storetest.Noon.Add(time.Hour + time.Duration(len(event))*time.Minute + 123*time.Microsecond)
			which := fault.FaultChoice{IDs: []int64{d.FaultID("Plain"), d.FaultID("Pending"), d.FaultID("Not pending"), d.FaultID("Back")}}
			if _, err := s.Faults.ChangeFaults(t.Context(), at, d.UserID, d.ProjectID, which, triage.BulkChange{Action: sett.Some(string(action))}); err != nil {
				t.Fatal(err)
			}
			d.Update("Other", sett.FaultChange{Resolved: sett.Some(true), Ignored: sett.Some(true)})
			d.Update("Back", sett.FaultChange{Resolved: sett.Some(false), Ignored: sett.Some(false)})
			if f := d.Fault("Pending"); f.ResolveOnDeploy {
				t.Errorf("%s does not end that the next deploy is waited for", action)
			}
			got := []string{
				undo(event, d.UserID+99, at, at), undo(event, d.UserID, at.Add(time.Microsecond), at.Add(time.Minute)), undo(event, d.UserID, at, at.Add(11*time.Minute)),
				undo(event, d.UserID, at, at.Add(9*time.Minute)), undo(event, d.UserID, at, at.Add(9*time.Minute)),
			}
			if diff := cmp.Diff([]string{"0 0 ", "0 0 ", "0 0 conflict", "3 1 ", "0 4 "}, got); diff != "" {
				t.Errorf("undo %s (-want +got):\n%s", action, diff)
			}
			for class, want := range map[string]sett.FaultState{"Plain": {}, "Pending": {ResolveOnDeploy: true}, "Not pending": {}, "Other": {Resolved: true, Ignored: true}} {
				if f := d.Fault(class); f.FaultState != want {
					t.Errorf("after %s was undone, %s is %+v", action, class, f.FaultState)
				}
			}
		}
		if got := undo(sett.AssignedEvent, d.UserID, storetest.Noon, storetest.Noon); got != "0 0 invalid" {
			t.Errorf("an assignment is undone: %s", got)
		}
	})
}
