package fault_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/fault"
	"sett/internal/store/storetest"
	"sett/internal/triage"
)

// A user who is assigned many faults receives one notification, even if they are changed in several batches and the last one fails.
func TestManyAssignedFaultsShareAnAlert(t *testing.T) {
	t.Parallel()
	for _, failing := range []bool{false, true} {
		d := newDesk(t, storetest.OpenSQLite(t))
		var reports []*fault.Packed
		for i := range fault.FaultsInLot + 5 {
			reports = append(reports, d.Report(fmt.Sprint("E", i), func(r *sett.Report) { r.Environment = []string{"production", "staging"}[i%2] }))
		}
		d.Record(storetest.Noon, sett.Limits{}, reports...)
		d.Raised()
		mia, assigned := d.User("Mia", sett.Admin), fault.FaultsInLot+5
		if failing {
			last := d.FaultID(fmt.Sprint("E", fault.FaultsInLot+4))
			d.Run(fmt.Sprint(`CREATE TRIGGER refuse BEFORE UPDATE ON faults WHEN new.id = `, last, ` BEGIN SELECT raise(ABORT, 'no'); END`))
			assigned = fault.FaultsInLot
		}
		c := triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(mia)}
		done, err := d.Faults.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, fault.FaultChoice{}, c)
		if (err != nil) != failing || done.Changed != int64(assigned) {
			t.Errorf("failing %t: changed %+v, %v", failing, done, err)
		}
		alerts := d.Raised()
		if len(alerts) != 1 {
			t.Fatalf("failing %t: %d alerts", failing, len(alerts))
		}
		f := alerts[0].Facts
		if f.FaultsCount != int64(assigned) || len(f.FaultIDs) != assigned || f.Actor.ID != d.UserID || f.Assignee.ID != mia || alerts[0].Environment != "" {
			t.Errorf("failing %t: the alert is %+v", failing, alerts[0])
		}
		if diff := cmp.Diff([]string{"web assigned Olga: Assigned to Mia."}, d.historyLines("E0")); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		c.AssigneeID = sett.Optional[int64]{Sent: true, Null: true}
		if failing {
			d.Run(`DROP TRIGGER refuse`)
		}
		if done, err := d.Faults.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, fault.FaultChoice{}, c); err != nil || done.Changed != int64(assigned) || len(d.Raised()) > 0 {
			t.Errorf("unassigned %+v, %v", done, err)
		}
		if n := d.Numbers(`SELECT count(*) FROM faults WHERE assignee_id IS NOT NULL`, 1)[0]; n != 0 {
			t.Errorf("%d faults are assigned", n)
		}
	}
}
