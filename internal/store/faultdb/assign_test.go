package faultdb_test

import (
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// A user who is assigned many faults receives one notification, however many lots they are, and if a lot fails at first.
func TestManyAssignedFaultsShareAnAlert(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	mia := d.User("Mia", accounts.Admin)
	ids := d.manyFaults(2*faultdb.FaultsInLot + 1)
	assign, unassign := triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(mia)}, triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Optional[int64]{Sent: true, Null: true}}
	for _, n := range []int{0, 1, faultdb.FaultsInLot, faultdb.FaultsInLot + 1, 2 * faultdb.FaultsInLot, 2*faultdb.FaultsInLot + 1} {
		which := searchdb.Choice{IDs: ids[:n]}
		done, err := d.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, which, assign)
		if err != nil || done != (faultdb.BulkOutcome{Changed: int64(n)}) {
			t.Errorf("%d faults: changed %+v, %v", n, done, err)
		}
		d.wantAssigned(n, mia)
		if done, err := d.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, which, unassign); err != nil || done.Changed != int64(n) || len(d.Raised()) > 0 {
			t.Errorf("%d faults: unassigned %+v, %v", n, done, err)
		}
	}
	d.Run(fmt.Sprint(`CREATE TRIGGER refuse BEFORE UPDATE ON faults WHEN new.id = `, ids[len(ids)-1], ` BEGIN SELECT raise(ABORT, 'no'); END`))
	if _, err := d.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{IDs: ids}, assign); err == nil || len(d.Raised()) > 0 {
		t.Error("a lot that fails does not fail")
	}
	d.Run(`DROP TRIGGER refuse`)
	d.Finish()
	d.wantAssigned(len(ids), mia)
}

// wantAssigned fails the test unless so many faults were assigned with one alert, or none.
func (d *desk) wantAssigned(n int, to int64) {
	d.T.Helper()
	alerts := d.Raised()
	if len(alerts) != min(n, 1) {
		d.T.Fatalf("%d faults are announced by %d alerts", n, len(alerts))
	}
	if n < 2 {
		return
	}
	f := alerts[0].Facts
	if f.FaultsCount != int64(n) || len(f.FaultIDs) != n || f.Actor.ID != d.UserID || f.Assignee.ID != to || alerts[0].Environment != "" {
		d.T.Errorf("the alert of %d faults is %+v", n, alerts[0])
	}
}

// manyFaults records so many faults, in turn in two environments, and returns their ids.
func (d *desk) manyFaults(n int) []int64 {
	d.T.Helper()
	var reports []*faultdb.Packed
	for i := range n {
		reports = append(reports, d.Report(fmt.Sprint("E", i), func(r *faults.Report) { r.Environment = []string{"production", "staging"}[i%2] }))
	}
	d.Record(storetest.Noon, accounts.Limits{}, reports...)
	d.Raised()
	return d.FaultsOf(d.ProjectID)
}
