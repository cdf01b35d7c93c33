package sheet_test

import (
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// The sheet of an alert has what it is about; of several errors, the first that still exist.
func TestAlertSheet(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := storetest.NewDesk(t, s)
		for i := range 12 {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report(fmt.Sprint("A", i)))
		}
		ids := d.FaultsOf(d.ProjectID)
		if err := s.Faults.DeleteFault(t.Context(), d.ProjectID, ids[0]); err != nil {
			t.Fatal(err)
		}
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "production", Revision: "a"})
		deploy := d.Deploy(storetest.Noon, faults.Deploy{Environment: "production", Revision: "b"})
		read := func(a alerts.Alert) string {
			t.Helper()
			a.ProjectID = d.ProjectID
			got, err := s.Sheets.OfAlert(t.Context(), a)
			if err != nil || got.Project == nil || len(got.Environments) != 1 {
				t.Errorf("%s: %+v, %v", a.Event, got, err)
			}
			text := fmt.Sprint(len(got.Faults), " errors")
			if got.Fault != nil {
				text += ", " + got.Fault.Class
			}
			if got.Notice != nil {
				text += ", notice of " + got.Notice.Class
			}
			if got.Deploy != nil {
				text += ", " + got.Deploy.Previous + " to " + got.Deploy.Revision
			}
			return text
		}
		for want, a := range map[string]alerts.Alert{
			"10 errors":                  {Event: alerts.AlertResolved, Facts: alerts.AlertFacts{FaultIDs: ids}},
			"0 errors, A5, notice of A5": {Event: alerts.AlertOccurred, FaultID: ids[5], Facts: alerts.AlertFacts{NoticeID: d.Newest("A5")}},
			"0 errors, A6":               {Event: alerts.AlertAssigned, FaultID: ids[6]},
			"0 errors, a to b":           {Event: alerts.AlertDeployed, Facts: alerts.AlertFacts{DeployID: deploy}},
			"0 errors":                   {Event: alerts.AlertOccurred, FaultID: ids[0], Facts: alerts.AlertFacts{NoticeID: 1}},
		} {
			if got := read(a); got != want {
				t.Errorf("%s: got %q, want %q", a.Event, got, want)
			}
		}
		if got := read(alerts.Alert{Event: alerts.AlertOccurred, FaultID: ids[5], Facts: alerts.AlertFacts{Test: true}}); got != "0 errors" {
			t.Errorf("a test: %q", got)
		}
		gone, err := s.Sheets.OfAlert(t.Context(), alerts.Alert{ProjectID: d.ProjectID + 1, Event: alerts.AlertDown, Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{ID: sett.UUID{}.String()}}})
		if err != nil || gone.Project != nil || gone.Site != nil {
			t.Errorf("of no project: %+v, %v", gone, err)
		}
	})
}
