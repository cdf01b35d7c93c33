package deliverydb_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/storetest"
)

func (d *desk) again(now time.Time, c deliverydb.ClaimedDelivery) {
	d.T.Helper()
	if _, err := d.Deliveries.Redeliver(d.T.Context(), now, d.ProjectID, c.IntegrationID, c.ID); err != nil {
		d.T.Fatal(err)
	}
}

// wantTurns checks that of what is open, to each receiver about each subject, the oldest is not marked as behind another.
func (d *desk) wantTurns(when string) {
	d.T.Helper()
	stuck := d.Numbers(`SELECT count(*) FROM deliveries d WHERE d.behind AND (d.again OR d.state <> 'due' OR `+deliverydb.NoElder+`)`, 1)[0]
	if stuck != 0 {
		d.T.Errorf("%s: %d deliveries wait for nothing", when, stuck)
	}
}

// A redelivery may fail for days. Newer deliveries about its subject are sent in the meantime, in their order.
func TestWhatIsAskedForAgainHoldsUpNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		old := d.Due(storetest.Noon, "fault 1")
		d.Settled(storetest.Noon, alerts.DeliveryFailed, storetest.Noon, old...)
		d.again(storetest.Noon, old[0])
		old = d.WantClaims("again", storetest.Noon, "fault 1 occurred 1")
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertResolved, alerts.AlertUnresolved)...)
		d.FanOut(storetest.Noon)
		resolved := d.WantClaims("while the old one is sent", storetest.Noon, "fault 1 resolved 1")
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(time.Hour), old...)
		d.WantClaims("while the first waits", storetest.Noon)
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, resolved...)
		unresolved := d.WantClaims("while the old one is put off", storetest.Noon, "fault 1 unresolved 1")
		later := storetest.Noon.Add(time.Hour)
		d.Settled(storetest.Noon, alerts.DeliveryDue, later.Add(time.Hour), unresolved...)
		d.WantClaims("the old one, beside a newer that fails", later, "fault 1 occurred 2")
		d.wantTurns("in the end")
	})
}

// A delivery that was never sent keeps its turn when people retry it. It does not count as a redelivery.
func TestWhatIsToBeTriedNowKeepsItsTurn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.Happen(storetest.Noon, storetest.About("fault 1", alerts.AlertOccurred, alerts.AlertResolved)...)
		d.FanOut(storetest.Noon)
		c := d.WantClaims("the first", storetest.Noon, "fault 1 occurred 1")
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(time.Hour), c...)
		second := c[0]
		second.ID = d.Numbers(`SELECT id FROM deliveries WHERE event = 'resolved'`, 1)[0]
		d.again(storetest.Noon, second)
		d.WantClaims("while the first waits", storetest.Noon)
		d.again(storetest.Noon, c[0])
		c = d.WantClaims("the first, now", storetest.Noon, "fault 1 occurred 2")
		d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(time.Hour), c...)
		d.WantClaims("while the first waits again", storetest.Noon)
	})
}

// A redelivery of an outage is sent, and not merged, although the message about the end of the outage is due too.
func TestWhatIsAskedForAgainIsNotMerged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.WebHook()
		d.Happen(storetest.Noon, storetest.About("site 1", alerts.AlertDown)...)
		d.FanOut(storetest.Noon)
		down := d.WantClaims("the outage", storetest.Noon, "site 1 down 1")
		d.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, down...)
		d.again(storetest.Noon, down[0])
		d.Happen(storetest.Noon, storetest.About("site 1", alerts.AlertUp)...)
		d.FanOut(storetest.Noon)
		d.WantClaims("both", storetest.Noon, "site 1 down 1", "site 1 up 1")
	})
}

// A result of a claim that was lost is discarded, even after a redelivery has reset the number of attempts.
func TestALateResultIsNotThatOfANewClaim(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		i := d.WebHook()
		lost := d.Due(storetest.Noon, "fault 1")
		end := storetest.Noon.Add(storetest.DeliveryLease)
		d.Settled(end, alerts.DeliverySent, end, d.WantClaims("by another", end, "fault 1 occurred 2")...)
		d.again(end, lost[0])
		now := d.WantClaims("again", end, "fault 1 occurred 1")
		d.Settled(end, alerts.DeliveryFailed, end, lost...)
		if got := d.statesOf(i.ID); got[0] != "due" {
			t.Errorf("it is %s by a result that came late", got[0])
		}
		d.Settled(end, alerts.DeliverySent, end, now...)
		if n := d.Numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 2 {
			t.Errorf("%d attempts were stored, want 2", n)
		}
	})
}

// queued has a delivery fail for a receiver, and many wait for it: half of them about its subject, half about others.
func (d *desk) queued(much int) (down, well alerts.Integration) {
	d.T.Helper()
	down = d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertOccurred} })
	first := d.Due(storetest.Noon, "fault 0")
	for n := range much {
		d.Happen(storetest.Noon, storetest.About("fault 0", alerts.AlertOccurred)...)
		d.Happen(storetest.Noon, storetest.About(alerts.FaultSubject(int64(n+1)), alerts.AlertOccurred)...)
		if n%100 == 0 {
			d.FanOut(storetest.Noon)
		}
	}
	d.FanOut(storetest.Noon)
	d.Settled(storetest.Noon, alerts.DeliveryDue, storetest.Noon.Add(24*time.Hour), first...)
	well = d.WebHook(func(i *alerts.Integration) { i.Events = []alerts.AlertEvent{alerts.AlertResolved} })
	d.Happen(storetest.Noon, storetest.About("fault 0", alerts.AlertResolved)...)
	d.FanOut(storetest.Noon)
	return down, well
}

// A delivery behind one that fails is marked as such, so that claims skip it until its turn.
func TestBlockedDeliveriesAreNotRead(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		down, well := d.queued(60)
		n := d.Numbers(`SELECT count(*) FILTER (WHERE behind), count(*) FILTER (WHERE NOT behind) FROM deliveries WHERE state = 'due'`, 2)
		if n[0] != 60 || n[1] != 62 {
			t.Errorf("%d wait for another, %d do not", n[0], n[1])
		}
		if c := d.ClaimAll(storetest.Noon, alerts.IntegrationReceiver(down.ID)); len(c) != 1 || c[0].IntegrationID != well.ID {
			t.Errorf("claimed %v", storetest.Brief(c))
		}
		claimed := map[string]int{}
		for at := storetest.Noon.Add(24 * time.Hour); ; {
			c := d.ClaimAll(at)
			if len(c) == 0 {
				break
			}
			for _, one := range c {
				claimed[fmt.Sprint(one.Subject)]++
			}
			d.Settled(at, alerts.DeliverySent, at, c...)
			d.wantTurns("on the way")
		}
		if claimed["fault 0"] != 62 || len(claimed) != 61 {
			t.Errorf("of %d subjects, the first was claimed %d times", len(claimed), claimed["fault 0"])
		}
	})
}

// Nodes that spread, claim and record as fast as they can leave nothing behind that waits for nothing.
func TestNodesTakeTurnsAtOnce(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshPostgres(t)
	nodes := []*store.Store{storetest.OpenTest(t, db.Options{Database: dsn}), storetest.OpenTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	d.WebHook()
	d.WebHook()
	const rounds = 40
	var fanOuters, claimers sync.WaitGroup
	for n := range 4 {
		node := &desk{storetest.DeskOf(nodes[n%2], d.SetupResult, t)}
		fanOuters.Go(func() {
			for i := range rounds {
				node.Happen(storetest.Noon, storetest.About(alerts.FaultSubject(int64(i%3)), alerts.AlertDown, alerts.AlertUp, alerts.AlertCommented)...)
				if _, err := node.Deliveries.FanOutAlerts(t.Context(), storetest.Noon, 5, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var fanOut atomic.Bool
	for n := range 6 {
		node := &desk{storetest.DeskOf(nodes[n%2], d.SetupResult, t)}
		claimers.Go(func() {
			for more := true; more; {
				last := fanOut.Load()
				claimed, err := node.Deliveries.ClaimDeliveries(t.Context(), storetest.Noon, storetest.DeliveryLease, 3, storetest.AnyRoom)
				if err != nil {
					t.Error(err)
					return
				}
				node.Settled(storetest.Noon, alerts.DeliverySent, storetest.Noon, claimed...)
				_, open, err := node.Deliveries.NextDelivery(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				more = open || !last
			}
		})
	}
	fanOuters.Wait()
	d.FanOut(storetest.Noon)
	fanOut.Store(true)
	claimers.Wait()
	d.wantTurns("in the end")
	n := d.Numbers(`SELECT count(*), count(*) FILTER (WHERE state = 'due') FROM deliveries`, 2)
	if n[0] != 2*4*rounds*3 || n[1] != 0 {
		t.Errorf("of %d deliveries, %d are left", n[0], n[1])
	}
}

// pagesRead returns how many pages PostgreSQL reads for a statement.
func (d *desk) pagesRead(db *sql.DB, statement string, args ...any) int64 {
	d.T.Helper()
	var text []byte
	var plans []struct {
		Plan struct {
			Hit  int64 `json:"Shared Hit Blocks"`
			Read int64 `json:"Shared Read Blocks"`
		}
	}
	err := db.QueryRowContext(d.T.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+d.Text(statement), args...).Scan(&text)
	if err = errors.Join(err, json.Unmarshal(text, &plans)); err != nil {
		d.T.Fatal(err)
	}
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// Claims for others read as few pages where thousands wait for a receiver that fails as where there is little.
func TestClaimsAreCheapBesideAReceiverThatFails(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	d := newDesk(t, s)
	down, well := d.queued(2000)
	lanes, due, _, _, _ := d.Deliveries.Queue.Texts()
	for _, known := range []string{`SELECT 1`, `VACUUM ANALYZE`} { // the planner knows nothing, and all
		if _, err := s.Locks.ExecContext(t.Context(), known); err != nil { // which a pooler does not wrap in a transaction
			t.Fatal(err)
		}
		for _, q := range []struct {
			db   *sql.DB
			text string
			args []any
		}{
			{s.Write, lanes, nil},
			{s.Write, due, []any{string(alerts.IntegrationReceiver(well.ID)), db.Micros(storetest.Noon), 8}},
			{s.Write, due, []any{string(alerts.IntegrationReceiver(down.ID)), db.Micros(storetest.Noon), 1}},
			{s.Write, deliverydb.MergeDeliveries, []any{string(alerts.IntegrationReceiver(down.ID)), db.Micros(storetest.Noon)}},
			{s.Write, deliverydb.HastenDeliveries, []any{[]string{string(alerts.IntegrationReceiver(down.ID))}, []int64{db.Micros(storetest.Noon)}}},
		} {
			const enough = 60
			n := d.pagesRead(q.db, q.text, q.args...)
			for wait := 10 * time.Millisecond; n > enough && wait < 10*time.Second; wait *= 2 { // readers of an index pass entries of old rows, and mark them
				time.Sleep(wait) // for all others once no transaction can see those
				n = d.pagesRead(q.db, q.text, q.args...)
			}
			if t.Logf("%d pages: %.30s", n, q.text); n > enough {
				t.Errorf("%d pages were read by\n%s", n, q.text)
			}
		}
	}
}
