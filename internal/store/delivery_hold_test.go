package store

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/intake"
)

const deadWait = 10 * time.Second

func (d *desk) free(now time.Time) {
	d.t.Helper()
	if err := d.FreeClaims(d.t.Context(), now, deadWait); err != nil {
		d.t.Fatal(err)
	}
}

// lives says that the node lives.
func (d *desk) lives() {
	d.t.Helper()
	if _, err := d.HoldClaims(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}

// What a process had in hand when it died is due for the next one of an SQLite file, as if it had not been tried, and what
// this one has in hand stays its own.
func TestTheNextProcessFreesDeliveries(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	d := newDesk(t, s)
	d.hook()
	d.happen(noon, about("fault 1", sett.AlertOccurred)...)
	d.spread(noon)
	late := d.wantClaims("by the first process", noon, "fault 1 occurred 1")
	d.free(noon)
	d.wantClaims("which lives", noon)
	s.Process = "the next"
	woken, _ := s.Sleep(DeliveryDue)
	d.free(noon)
	<-woken
	c := d.wantClaims("by the next", noon, "fault 1 occurred 1")
	d.settled(noon, sett.DeliveryFailed, noon, late...)
	d.settled(noon, sett.DeliverySent, noon, c...)
	if got := d.statesOf(c[0].IntegrationID); got[0] != "sent" {
		t.Errorf("it is %s by what the dead process recorded", got[0])
	}
}

// twoNodes are two nodes, the first of which has a delivery in hand.
func twoNodes(t *testing.T) (first, second *desk, hand []ClaimedDelivery) {
	t.Helper()
	c := newCluster(t)
	first = newDesk(t, c.node(t))
	second = &desk{c.node(t), first.SetupResult, t}
	first.hook()
	first.happen(noon, about("fault 1", sett.AlertOccurred)...)
	first.spread(noon)
	return first, second, first.wantClaims("by the first node", noon, "fault 1 occurred 1")
}

// fence has the second node take the first for dead, whose session ends.
func fence(t *testing.T, first, second *desk) {
	t.Helper()
	die(t, first.Store)
	for {
		if _, err := second.Adopt(t.Context()); err != nil {
			t.Fatal(err)
		}
		if held, err := first.HoldsClaims(t.Context()); err != nil {
			t.Fatal(err)
		} else if !held {
			return
		}
	}
}

// What a node had in hand is for others soon after it died, and not before.
func TestWhatADeadNodeHadInHandIsFreed(t *testing.T) {
	t.Parallel()
	first, second, _ := twoNodes(t)
	second.free(noon)
	second.free(noon.Add(deadWait))
	second.wantClaims("while both live", noon.Add(deadWait))
	fence(t, first, second)
	dead := noon.Add(deadWait + time.Second)
	second.free(dead)
	second.free(dead.Add(deadWait - time.Microsecond))
	second.wantClaims("while the dead may only have been cut off", dead.Add(deadWait-time.Microsecond))
	second.free(dead.Add(deadWait))
	second.wantClaims("after it", dead.Add(deadWait), "fault 1 occurred 1")
}

// A node that was only cut off says so, and keeps what it has in hand; nobody counts its notices twice by that.
func TestANodeThatWasCutOffKeepsWhatItHasInHand(t *testing.T) {
	t.Parallel()
	first, second, hand := twoNodes(t)
	first.recordBusy(noon, sett.Limits{}, first.many()...)
	fence(t, first, second)
	second.free(noon)
	first.lives()
	for at := noon; at.Before(noon.Add(deliveryLease)); at = at.Add(deadWait / 2) {
		second.free(at)
	}
	second.wantClaims("of a node that lives", noon.Add(deliveryLease-time.Microsecond))
	first.settled(noon, sett.DeliverySent, noon, hand...)
	if got := second.statesOf(hand[0].IntegrationID); got[0] != "sent" {
		t.Errorf("what was in hand is %s", got[0])
	}
	if err := first.Fold(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.wantCounts("after all", all(intake.BusyBatch))
}

// The wait begins anew with every death.
func TestADeathIsForgottenWithItsEnd(t *testing.T) {
	t.Parallel()
	first, second, _ := twoNodes(t)
	fence(t, first, second)
	second.free(noon)
	first.lives()
	second.free(noon.Add(deadWait))
	fence(t, first, second)
	second.free(noon.Add(2 * deadWait))
	second.wantClaims("at the second death", noon.Add(2*deadWait))
}
