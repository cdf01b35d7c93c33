package deliverydb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Who would receive an alert is what the fan-out of the same alert decides, with the reason of everyone else.
func TestWhoReceivesAsTheFanOutDecides(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("Mia", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.wants(mia, alerts.PersonalAlertsChange{Events: sett.Some([]string{"down"})})
		wide := d.WebHook(func(i *alerts.Integration) {
			i.Events = []alerts.AlertEvent{alerts.AlertOccurred, alerts.AlertDown, alerts.AlertRateExceeded}
		}).ID
		narrow := d.WebHook(func(i *alerts.Integration) {
			i.Events = []alerts.AlertEvent{alerts.AlertOccurred, alerts.AlertDown}
			i.Filters = []alerts.IntegrationFilter{{Event: "occurred", Query: "class:Other"}}
		}).ID
		d.Run(`UPDATE integrations SET quiet_hours = '{"from":"11:00","to":"13:00"}' WHERE id = $1`, narrow)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.Run(`DELETE FROM alerts`)
		fault := d.FaultID("E")
		ask := func(mail bool) (lines []string) {
			t.Helper()
			of := func(id int64, e alerts.AlertEvent, fault int64, subject alerts.AlertSubject) alerts.Alert {
				return alerts.Alert{ID: id, ProjectID: d.ProjectID, Event: e, FaultID: fault, Subject: subject, Environment: "production", At: storetest.Noon, CreatedAt: storetest.Noon}
			}
			found, err := s.Deliveries.WhoReceives(t.Context(), storetest.Noon, mail, []alerts.Alert{
				of(1, alerts.AlertOccurred, fault, alerts.FaultSubject(fault)), of(2, alerts.AlertDown, 0, "site a"),
				of(3, alerts.AlertRateExceeded, fault, alerts.FaultSubject(fault)), of(4, alerts.AlertCommented, fault, alerts.FaultSubject(fault)),
			})
			if err != nil {
				t.Fatal(err)
			}
			who := map[int64]string{wide: "wide", narrow: "narrow", -mia: "mia", -d.UserID: "olga"}
			for _, r := range found {
				line := fmt.Sprint(who[r.IntegrationID-r.UserID], " ", r.Event, ": ", r.Why)
				if !r.Quiet.IsZero() {
					line += ", quiet"
				}
				if r.Mentioned {
					line += ", mentioned"
				}
				if r.Followed {
					line += ", followed"
				}
				if r.Held {
					line += ", held"
				}
				lines = append(lines, line)
			}
			return lines
		}
		if diff := cmp.Diff([]string{
			"wide occurred: ", "narrow occurred: no filter of the event matches", "olga occurred: ", "mia occurred: the event is not wanted",
			"wide down: ", "narrow down: , quiet", "olga down: ", "mia down: ",
			"wide rate_exceeded: ", "narrow rate_exceeded: the event is not wanted",
			"wide commented: the event is not wanted", "narrow commented: the event is not wanted", "olga commented: , mentioned", "mia commented: , mentioned",
		}, ask(true)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := s.Faults.Follow(t.Context(), storetest.Noon, mia, d.ProjectID, fault, true); err != nil {
			t.Fatal(err)
		}
		if got := ask(true); got[3] != "mia occurred: , followed" || got[len(got)-1] != "mia commented: , followed" {
			t.Errorf("of an error that Mia follows: %q", got)
		}
		if err := s.Faults.Follow(t.Context(), storetest.Noon, mia, d.ProjectID, fault, false); err != nil {
			t.Fatal(err)
		}
		if got := ask(true); got[3] != "mia occurred: the user unfollowed the fault" {
			t.Errorf("of an error that Mia unfollowed: %q", got)
		}
		d.Run(`UPDATE faults SET paused_until = $1 WHERE id = $2`, storetest.Noon.Add(time.Hour).UnixMicro(), fault)
		d.Run(`UPDATE environments SET notifications = false`)
		if got := ask(false); got[0] != "wide occurred: the environment is excluded or muted" || len(got) != 8 {
			t.Errorf("of a paused error in a muted environment: %q", got)
		}
		d.Run(`UPDATE environments SET notifications = true`)
		if got := ask(true); got[0] != "wide occurred: the fault is paused or ignored" {
			t.Errorf("of a paused error: %q", got)
		}
	})
}
