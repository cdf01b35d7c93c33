package deliverydb_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func TestAskIssue(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		fault, tracker, hook := d.FaultID("E"), d.newIntegration("Github").ID, d.newIntegration("WebHook").ID
		other := d.Project("Other")
		ask := func(event alerts.AlertEvent, integration int64) (alerts.Delivery, error) {
			return s.Deliveries.AskIssue(t.Context(), storetest.Noon.Add(time.Minute), d.UserID, d.ProjectID, fault, integration, event, storetest.TestKinds())
		}
		refused := func(event alerts.AlertEvent, integration int64, want string) {
			t.Helper()
			if _, err := ask(event, integration); sett.CodeOf(err) != sett.Invalid || err.Error() != want {
				t.Errorf("%s: %v, want %s", event, err, want)
			}
		}
		refused(alerts.AlertIssueCreate, hook, "Please correct: channel_id must be the id of an integration that is an issue tracker.")
		refused(alerts.AlertIssueCreate, hook+1, "Please correct: channel_id must be the id of an integration of this project.")
		refused(alerts.AlertIssueClose, tracker, "This fault is not linked with an issue of this tracker. Create one, or link one.")
		_, err := s.Deliveries.AskIssue(t.Context(), storetest.Noon, d.UserID, other.ID, fault, tracker, alerts.AlertIssueCreate, storetest.TestKinds())
		if sett.CodeOf(err) != sett.NotFound || err.Error() != "Fault not found" {
			t.Errorf("a fault of another project: %v", err)
		}

		got, err := ask(alerts.AlertIssueCreate, tracker)
		want := alerts.Delivery{
			ID: got.ID, AlertID: got.AlertID, Receiver: alerts.IntegrationReceiver(tracker), IntegrationID: tracker, Event: alerts.AlertIssueCreate,
			Subject: alerts.FaultSubject(fault), State: alerts.DeliveryDue, DueAt: storetest.Noon.Add(time.Minute), CreatedAt: storetest.Noon.Add(time.Minute),
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, delivery (-want +got):\n%s", err, diff)
		}
		raised, err := s.Deliveries.Alerts(t.Context(), s.Read, `SELECT `+deliverydb.AlertColumns+` FROM alerts a WHERE a.id = $1 AND a.spread`, got.AlertID)
		if err != nil || len(raised) != 1 || raised[0].FaultID != fault || raised[0].Environment != "production" || raised[0].Facts.Actor.ID != d.UserID {
			t.Errorf("the alert: %+v, %v", raised, err)
		}

		refused(alerts.AlertIssueCreate, tracker, "This tracker was already asked for an issue of this fault, and has not answered yet. See the deliveries of the integration.")
		if err := s.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, fault, tracker, triage.LinkData{"number": []byte("1")}); err != nil {
			t.Fatal(err)
		}
		refused(alerts.AlertIssueCreate, tracker, "This fault is already linked with an issue of this tracker. Unlink it to create another one.")
		for _, event := range []alerts.AlertEvent{alerts.AlertIssueClose, alerts.AlertIssueReopen} {
			if d, err := ask(event, tracker); err != nil || d.Event != event {
				t.Errorf("%s: %+v, %v", event, d, err)
			}
		}
	})
}

// Two people who ask at once get one issue.
func TestAskIssueAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		fault, tracker := d.FaultID("E"), d.newIntegration("Github").ID
		errs := make([]error, 4)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				_, errs[i] = s.Deliveries.AskIssue(t.Context(), storetest.Noon, d.UserID, d.ProjectID, fault, tracker, alerts.AlertIssueCreate, storetest.TestKinds())
			})
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if sett.CodeOf(err) != sett.Invalid {
				t.Error(err)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM deliveries`, 1)[0]; made != 1 || n != 1 {
			t.Errorf("%d asked, %d deliveries; want 1 of each", made, n)
		}
	})
}
