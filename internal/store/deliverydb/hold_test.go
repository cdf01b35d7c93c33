package deliverydb_test

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

// lives says that the node lives.
func (d *desk) lives() {
	d.T.Helper()
	if _, err := d.Intake.HoldClaims(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
}

// Deliveries that were in flight when a process died are due for the next process of an SQLite file, as if they had not been tried.
// A process does not free its own.
func TestTheNextProcessFreesDeliveries(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	d.WebHook()
	d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
	d.FanOut(storetest.Noon)
	late := d.WantClaims("by the first process", storetest.Noon, "fault 1 occurred 1")
	d.Free(storetest.Noon)
	d.WantClaims("which lives", storetest.Noon)
	s.Process = "the next"
	woken, _ := s.Sleep(deliverydb.DeliveryDue)
	d.Free(storetest.Noon)
	<-woken
	c := d.WantClaims("by the next", storetest.Noon, "fault 1 occurred 1")
	d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, late...)
	d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, c...)
	if got := d.statesOf(c[0].IntegrationID); got[0] != "sent" {
		t.Errorf("it is %s by what the dead process recorded", got[0])
	}
}

// twoNodes returns two nodes. A delivery of the first is in flight.
func twoNodes(t *testing.T) (first, second *desk, inFlight []deliverydb.ClaimedDelivery) {
	t.Helper()
	c := storetest.NewCluster(t)
	first = newDesk(t, c.Node(t))
	second = &desk{storetest.DeskOf(c.Node(t), first.SetupResult, t)}
	first.WebHook()
	first.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred)...)
	first.FanOut(storetest.Noon)
	return first, second, first.WantClaims("by the first node", storetest.Noon, "fault 1 occurred 1")
}

// Deliveries that a node had in flight are freed soon after it died, and not before.
func TestDeliveriesOfADeadNodeAreFreed(t *testing.T) {
	t.Parallel()
	first, second, _ := twoNodes(t)
	second.Free(storetest.Noon)
	second.Free(storetest.Noon.Add(storetest.DeadWait))
	second.WantClaims("while both live", storetest.Noon.Add(storetest.DeadWait))
	storetest.Fence(t, first.Desk, second.Desk)
	dead := storetest.Noon.Add(storetest.DeadWait + time.Second)
	second.Free(dead)
	second.Free(dead.Add(storetest.DeadWait - time.Microsecond))
	second.WantClaims("while the dead may only have been cut off", dead.Add(storetest.DeadWait-time.Microsecond))
	second.Free(dead.Add(storetest.DeadWait))
	second.WantClaims("after it", dead.Add(storetest.DeadWait), "fault 1 occurred 1")
}

// A node that was only cut off keeps its deliveries in flight once it is heard from again. Its notices are counted once.
func TestANodeThatWasCutOffKeepsItsClaims(t *testing.T) {
	t.Parallel()
	first, second, inFlight := twoNodes(t)
	first.RecordBusy(storetest.Noon, accounts.Limits{}, first.Many()...)
	storetest.Fence(t, first.Desk, second.Desk)
	second.Free(storetest.Noon)
	first.lives()
	for at := storetest.Noon; at.Before(storetest.Noon.Add(storetest.DeliveryLease)); at = at.Add(storetest.DeadWait / 2) {
		second.Free(at)
	}
	second.WantClaims("of a node that lives", storetest.Noon.Add(storetest.DeliveryLease-time.Microsecond))
	first.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, inFlight...)
	if got := second.statesOf(inFlight[0].IntegrationID); got[0] != "sent" {
		t.Errorf("the delivery in flight is %s", got[0])
	}
	if err := first.Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.WantCounts("after all", storetest.All(storetest.BusyBatch))
}

// The wait begins anew with every death.
func TestADeathIsForgottenWithItsEnd(t *testing.T) {
	t.Parallel()
	first, second, _ := twoNodes(t)
	storetest.Fence(t, first.Desk, second.Desk)
	second.Free(storetest.Noon)
	first.lives()
	second.Free(storetest.Noon.Add(storetest.DeadWait))
	storetest.Fence(t, first.Desk, second.Desk)
	second.Free(storetest.Noon.Add(2 * storetest.DeadWait))
	second.WantClaims("at the second death", storetest.Noon.Add(2*storetest.DeadWait))
}
