package deliverydb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// Data that cannot be read, such as that of a later version, delays no other deliveries.
func TestWhatCannotBeReadKeepsNothingWaiting(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		well := d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
		d.Run(`UPDATE alerts SET facts = '{"fault_ids":"broken"}'`)
		lost := d.WebHook()
		d.Run(`UPDATE integrations SET filters = 'broken' WHERE id = $1`, lost.ID)
		d.Happen(storetest.Noon, storetest.About("fault 2", alerts.AlertOccurred)...)
		d.Happen(storetest.Noon, storetest.About("fault 3", alerts.AlertOccurred)...)
		d.FanOut(storetest.Noon)
		d.FanOut(storetest.Noon)
		want := []string{fmt.Sprint(well.ID, " occurred due"), fmt.Sprint(well.ID, " occurred due"), fmt.Sprint(well.ID, " occurred due")}
		if diff := cmp.Diff(want, d.outbox()); diff != "" {
			t.Errorf("spread (-want +got):\n%s", diff)
		}
		const problem = "The server cannot read the settings of this integration. Create a new one."
		if diff := cmp.Diff([]string{"owner@example.test WebHook " + problem}, d.failureMails()); diff != "" {
			t.Errorf("mails (-want +got):\n%s", diff)
		}

		d.Run(`UPDATE alerts SET message = $1 WHERE subject = 'fault 2'`, []byte("broken"))
		d.Run(`UPDATE integrations SET filters = '[]'`)
		d.Happen(storetest.Noon, alerts.Alert{Event: alerts.AlertIssueClose, Subject: "fault 4", IntegrationID: lost.ID})
		d.FanOut(storetest.Noon)
		d.Run(`UPDATE integrations SET options = 'broken' WHERE id = $1`, lost.ID)
		claimed := d.WantClaims("all of them", storetest.Noon, "fault 1 occurred 1", "fault 2 occurred 1", "fault 3 occurred 1", "fault 4 issue_close 1")
		for n, broken := range []bool{true, true, false, true} {
			if (claimed[n].Broken != nil) != broken {
				t.Errorf("%s is broken: %v", claimed[n].Subject, claimed[n].Broken)
			}
		}
		d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, claimed...)
		if n := d.Numbers(`SELECT count(*) FROM deliveries WHERE state = 'failed'`, 1)[0]; n != 4 {
			t.Errorf("%d deliveries were recorded", n)
		}
	})
}
