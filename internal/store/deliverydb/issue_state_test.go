package deliverydb_test

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// What becomes of the state of an issue that sett sets: what its tracker says of a time before is not news, and after a failure nothing is known.
func TestStatesOfIssuesThatSettSets(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		fault, tracker := d.FaultID("E"), d.newIntegration("Github")
		if err := s.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, fault, tracker.ID, triage.LinkData{"number": []byte("7")}); err != nil {
			t.Fatal(err)
		}
		at := func(seconds int) time.Time { return storetest.Noon.Add(time.Duration(seconds) * time.Second) }
		set := func(now int, event alerts.AlertEvent, state alerts.DeliveryState, set time.Time) {
			t.Helper()
			if _, err := s.Deliveries.AskIssue(t.Context(), at(now), d.UserID, d.ProjectID, fault, tracker.ID, event, storetest.TestKinds()); err != nil {
				t.Fatal(err)
			}
			d.FanOut(at(now))
			claimed := d.ClaimAll(at(now))
			if len(claimed) != 1 || claimed[0].Event != event {
				t.Fatalf("claimed are %+v", claimed)
			}
			result := deliverydb.DeliveryResult{ID: claimed[0].ID, Claim: claimed[0].Claim, State: state, DueAt: at(now), IssueAt: set}
			if err := s.Deliveries.RecordDeliveries(t.Context(), at(now), []deliverydb.DeliveryResult{result}); err != nil {
				t.Fatal(err)
			}
		}
		hear := func(when string, state triage.IssueState, said int, resolved bool) {
			t.Helper()
			news := triage.IssueNews{Number: "7", Name: "acme/shop#7", State: state, At: at(said)}
			if err := s.Faults.HearIssue(t.Context(), at(100+said), tracker, news); err != nil {
				t.Fatal(err)
			}
			if is := d.Numbers(`SELECT CASE WHEN resolved THEN 1 ELSE 0 END FROM faults`, 1)[0] == 1; is != resolved {
				t.Errorf("%s: the fault is resolved: %v, want %v", when, is, resolved)
			}
		}
		set(10, alerts.AlertIssueReopen, alerts.DeliverySent, at(12)) // the clock of the tracker is ahead
		hear("closed before sett had reopened it", triage.IssueClosed, 11, false)
		hear("closed after that", triage.IssueClosed, 13, true)

		set(20, alerts.AlertIssueReopen, alerts.DeliveryFailed, time.Time{})
		hear("opened by a person after sett could not", triage.IssueOpen, 21, false)
	})
}
