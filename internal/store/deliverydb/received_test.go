package deliverydb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Of an alert of the past, the log says who received it, and the settings of now say why others would not.
func TestWhoReceivedAnAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("Mia", accounts.Member)
		d.Team(d.ProjectID, mia)
		d.wants(mia, alerts.PersonalAlertsChange{Events: sett.Some([]string{"down"})})
		d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertOccurred} })
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		alert := d.Numbers(`SELECT id FROM alerts`, 1)[0]
		read := func() (lines []string) {
			t.Helper()
			past, err := s.Deliveries.WhoReceived(t.Context(), true, d.ProjectID, alert)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range past.Received {
				lines = append(lines, fmt.Sprint(r.IntegrationID > 0, " ", r.UserID == mia, " ", r.Delivery != nil, " ", r.Why))
			}
			return lines
		}
		if _, err := s.Deliveries.WhoReceived(t.Context(), true, d.ProjectID, alert); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("before its receivers are chosen: %v", err)
		}
		if _, err := s.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 10, true); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"true false true ", "false false true ", "false true false the event is not wanted"}, read()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		d.wants(d.UserID, alerts.PersonalAlertsChange{Events: sett.Some([]string{"down"})})
		d.wants(mia, alerts.PersonalAlertsChange{Events: sett.Some([]string{"occurred"})})
		if diff := cmp.Diff([]string{"true false true ", "false false true the event is not wanted", "false true false "}, read()); diff != "" {
			t.Errorf("by other settings (-want +got):\n%s", diff)
		}
		if _, err := s.Deliveries.WhoReceived(t.Context(), true, d.Project("Other").ID, alert); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
