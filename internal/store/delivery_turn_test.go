package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
)

func (d *desk) again(now time.Time, c ClaimedDelivery) {
	d.t.Helper()
	if _, err := d.Redeliver(d.t.Context(), now, d.ProjectID, c.IntegrationID, c.ID); err != nil {
		d.t.Fatal(err)
	}
}

// wantTurns checks that of what is open, to each receiver about each subject, the oldest is not marked as behind another.
func (d *desk) wantTurns(when string) {
	d.t.Helper()
	stuck := d.numbers(`SELECT count(*) FROM deliveries d WHERE d.behind AND (d.again OR d.state <> 'due' OR `+delivery.NoElder+`)`, 1)[0]
	if stuck != 0 {
		d.t.Errorf("%s: %d deliveries wait for nothing", when, stuck)
	}
}

// What people have asked for again may fail for days. What happened after it is told in the meantime, in its turn.
func TestWhatIsAskedForAgainHoldsUpNothing(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		old := d.due(noon, "fault 1")
		d.settled(noon, sett.DeliveryFailed, noon, old...)
		d.again(noon, old[0])
		old = d.wantClaims("again", noon, "fault 1 occurred 1")
		d.happen(noon, about("fault 1", sett.AlertResolved, sett.AlertUnresolved)...)
		d.spread(noon)
		resolved := d.wantClaims("while the old one is sent", noon, "fault 1 resolved 1")
		d.settled(noon, sett.DeliveryDue, noon.Add(time.Hour), old...)
		d.wantClaims("while the first waits", noon)
		d.settled(noon, sett.DeliverySent, noon, resolved...)
		unresolved := d.wantClaims("while the old one is put off", noon, "fault 1 unresolved 1")
		later := noon.Add(time.Hour)
		d.settled(noon, sett.DeliveryDue, later.Add(time.Hour), unresolved...)
		d.wantClaims("the old one, beside a newer that fails", later, "fault 1 occurred 2")
		d.wantTurns("in the end")
	})
}

// What was never told goes on waiting for its turn when people want it tried now, and is not asked for again by that.
func TestWhatIsToBeTriedNowKeepsItsTurn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.happen(noon, about("fault 1", sett.AlertOccurred, sett.AlertResolved)...)
		d.spread(noon)
		c := d.wantClaims("the first", noon, "fault 1 occurred 1")
		d.settled(noon, sett.DeliveryDue, noon.Add(time.Hour), c...)
		second := c[0]
		second.ID = d.numbers(`SELECT id FROM deliveries WHERE event = 'resolved'`, 1)[0]
		d.again(noon, second)
		d.wantClaims("while the first waits", noon)
		d.again(noon, c[0])
		c = d.wantClaims("the first, now", noon, "fault 1 occurred 2")
		d.settled(noon, sett.DeliveryDue, noon.Add(time.Hour), c...)
		d.wantClaims("while the first waits again", noon)
	})
}

// A site's outage that people ask for again is told again, though its end is told beside it.
func TestWhatIsAskedForAgainIsNotMerged(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.hook()
		d.happen(noon, about("site 1", sett.AlertDown)...)
		d.spread(noon)
		down := d.wantClaims("the outage", noon, "site 1 down 1")
		d.settled(noon, sett.DeliverySent, noon, down...)
		d.again(noon, down[0])
		d.happen(noon, about("site 1", sett.AlertUp)...)
		d.spread(noon)
		d.wantClaims("both", noon, "site 1 down 1", "site 1 up 1")
	})
}

// A result that comes when its claim was lost is nobody's, also after the tries began to be counted anew.
func TestALateResultIsNotThatOfANewClaim(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		i := d.hook()
		lost := d.due(noon, "fault 1")
		end := noon.Add(deliveryLease)
		d.settled(end, sett.DeliverySent, end, d.wantClaims("by another", end, "fault 1 occurred 2")...)
		d.again(end, lost[0])
		now := d.wantClaims("again", end, "fault 1 occurred 1")
		d.settled(end, sett.DeliveryFailed, end, lost...)
		if got := d.statesOf(i.ID); got[0] != "due" {
			t.Errorf("it is %s by a result that came late", got[0])
		}
		d.settled(end, sett.DeliverySent, end, now...)
		if n := d.numbers(`SELECT count(*) FROM attempts`, 1)[0]; n != 2 {
			t.Errorf("%d attempts were stored, want 2", n)
		}
	})
}

// queued has a delivery fail for a receiver, and many wait for it: half of them about its subject, half about others.
func (d *desk) queued(much int) (down, well sett.Integration) {
	d.t.Helper()
	down = d.hook(func(i *sett.Integration) { i.Events = []sett.AlertEvent{sett.AlertOccurred} })
	first := d.due(noon, "fault 0")
	for n := range much {
		d.happen(noon, about("fault 0", sett.AlertOccurred)...)
		d.happen(noon, about(sett.FaultSubject(int64(n+1)), sett.AlertOccurred)...)
		if n%100 == 0 {
			d.spread(noon)
		}
	}
	d.spread(noon)
	d.settled(noon, sett.DeliveryDue, noon.Add(24*time.Hour), first...)
	well = d.hook(func(i *sett.Integration) { i.Events = []sett.AlertEvent{sett.AlertResolved} })
	d.happen(noon, about("fault 0", sett.AlertResolved)...)
	d.spread(noon)
	return down, well
}

// Whoever waits for what fails is looked at no more until its turn.
func TestWhatWaitsIsOutOfTheWay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		down, well := d.queued(60)
		n := d.numbers(`SELECT count(*) FILTER (WHERE behind), count(*) FILTER (WHERE NOT behind) FROM deliveries WHERE state = 'due'`, 2)
		if n[0] != 60 || n[1] != 62 {
			t.Errorf("%d wait for another, %d do not", n[0], n[1])
		}
		if c := d.claimAll(noon, sett.IntegrationReceiver(down.ID)); len(c) != 1 || c[0].IntegrationID != well.ID {
			t.Errorf("claimed %v", brief(c))
		}
		told := map[string]int{}
		for at := noon.Add(24 * time.Hour); ; {
			c := d.claimAll(at)
			if len(c) == 0 {
				break
			}
			for _, one := range c {
				told[fmt.Sprint(one.Subject)]++
			}
			d.settled(at, sett.DeliverySent, at, c...)
			d.wantTurns("on the way")
		}
		if told["fault 0"] != 62 || len(told) != 61 {
			t.Errorf("of %d subjects, the first was told %d times", len(told), told["fault 0"])
		}
	})
}

// Nodes that spread, claim and record as fast as they can leave nothing behind that waits for nothing.
func TestNodesTakeTurnsAtOnce(t *testing.T) {
	t.Parallel()
	dsn := freshPostgres(t)
	nodes := []*Store{openTest(t, db.Options{Database: dsn}), openTest(t, db.Options{Database: dsn})}
	d := newDesk(t, nodes[0])
	d.hook()
	d.hook()
	const rounds = 40
	var spreaders, claimers sync.WaitGroup
	for n := range 4 {
		node := &desk{nodes[n%2], d.SetupResult, t}
		spreaders.Go(func() {
			for i := range rounds {
				node.happen(noon, about(sett.FaultSubject(int64(i%3)), sett.AlertDown, sett.AlertUp, sett.AlertCommented)...)
				if _, err := node.SpreadAlerts(t.Context(), noon, 5, false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var spread atomic.Bool
	for n := range 6 {
		node := &desk{nodes[n%2], d.SetupResult, t}
		claimers.Go(func() {
			for more := true; more; {
				last := spread.Load()
				claimed, err := node.ClaimDeliveries(t.Context(), noon, deliveryLease, 3, nil, anyRoom)
				if err != nil {
					t.Error(err)
					return
				}
				node.settled(noon, sett.DeliverySent, noon, claimed...)
				_, open, err := node.NextDelivery(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				more = open || !last
			}
		})
	}
	spreaders.Wait()
	d.spread(noon)
	spread.Store(true)
	claimers.Wait()
	d.wantTurns("in the end")
	n := d.numbers(`SELECT count(*), count(*) FILTER (WHERE state = 'due') FROM deliveries`, 2)
	if n[0] != 2*4*rounds*3 || n[1] != 0 {
		t.Errorf("of %d deliveries, %d are left", n[0], n[1])
	}
}

// pagesRead returns how many pages PostgreSQL reads for a statement.
func (d *desk) pagesRead(db *sql.DB, statement string, args ...any) int64 {
	d.t.Helper()
	var text []byte
	var plans []struct {
		Plan struct {
			Hit  int64 `json:"Shared Hit Blocks"`
			Read int64 `json:"Shared Read Blocks"`
		}
	}
	err := db.QueryRowContext(d.t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+d.Text(statement), args...).Scan(&text)
	if err = errors.Join(err, json.Unmarshal(text, &plans)); err != nil {
		d.t.Fatal(err)
	}
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// Claims for others read as few pages where thousands wait for a receiver that fails as where there is little.
func TestClaimsAreCheapBesideAReceiverThatFails(t *testing.T) {
	t.Parallel()
	s := openTest(t, db.Options{Database: freshPostgres(t)})
	d := newDesk(t, s)
	down, well := d.queued(2000)
	for _, known := range []string{`SELECT 1`, `VACUUM ANALYZE`} { // the planner knows nothing, and all
		if _, err := s.Write.ExecContext(t.Context(), known); err != nil {
			t.Fatal(err)
		}
		for _, q := range []struct {
			db   *sql.DB
			text string
			args []any
		}{
			{s.Write, delivery.ReceiversDue, nil},
			{s.Write, delivery.DueDeliveries, []any{string(sett.IntegrationReceiver(well.ID)), db.Micros(noon), 8}},
			{s.Write, delivery.DueDeliveries, []any{string(sett.IntegrationReceiver(down.ID)), db.Micros(noon), 1}},
			{s.Write, delivery.MergeDeliveries, []any{string(sett.IntegrationReceiver(down.ID)), db.Micros(noon)}},
			{s.Write, delivery.HastenDeliveries, []any{[]string{string(sett.IntegrationReceiver(down.ID))}, []int64{db.Micros(noon)}}},
		} {
			n := d.pagesRead(q.db, q.text, q.args...)
			if t.Logf("%d pages: %.30s", n, q.text); n > 60 {
				t.Errorf("%d pages were read by\n%s", n, q.text)
			}
		}
	}
}
