package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// What cannot be read, such as what a later version has written, keeps nothing else from being told.
func TestWhatCannotBeReadKeepsNothingWaiting(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		well := d.hook()
		d.happen(noon, about("fault 1", sett.AlertOccurred)...)
		d.run(`UPDATE alerts SET facts = '{"fault_ids":"broken"}'`)
		lost := d.hook()
		d.run(`UPDATE integrations SET filters = 'broken' WHERE id = $1`, lost.ID)
		d.happen(noon, about("fault 2", sett.AlertOccurred)...)
		d.happen(noon, about("fault 3", sett.AlertOccurred)...)
		d.spread(noon)
		d.spread(noon)
		want := []string{fmt.Sprint(well.ID, " occurred due"), fmt.Sprint(well.ID, " occurred due"), fmt.Sprint(well.ID, " occurred due")}
		if diff := cmp.Diff(want, d.outbox()); diff != "" {
			t.Errorf("spread (-want +got):\n%s", diff)
		}
		const problem = "The server cannot read the settings of this integration. Make another one."
		if diff := cmp.Diff([]string{"owner@example.test WebHook " + problem}, d.failureMails()); diff != "" {
			t.Errorf("mails (-want +got):\n%s", diff)
		}

		d.run(`UPDATE alerts SET message = $1 WHERE subject = 'fault 2'`, []byte("broken"))
		d.run(`UPDATE integrations SET filters = '[]'`)
		d.happen(noon, sett.Alert{Event: sett.AlertIssueClose, Subject: "fault 4", IntegrationID: lost.ID})
		d.spread(noon)
		d.run(`UPDATE integrations SET options = 'broken' WHERE id = $1`, lost.ID)
		claimed := d.wantClaims("all of them", noon, "fault 1 occurred 1", "fault 2 occurred 1", "fault 3 occurred 1", "fault 4 issue_close 1")
		for n, broken := range []bool{true, true, false, true} {
			if (claimed[n].Broken != nil) != broken {
				t.Errorf("%s is broken: %v", claimed[n].Subject, claimed[n].Broken)
			}
		}
		d.settled(noon, sett.DeliveryFailed, noon, claimed...)
		if n := d.numbers(`SELECT count(*) FROM deliveries WHERE state = 'failed'`, 1)[0]; n != 4 {
			t.Errorf("%d deliveries were recorded", n)
		}
	})
}
