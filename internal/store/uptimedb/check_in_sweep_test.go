package uptimedb_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func TestSweepsTakeAFewCheckInsAtATime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var all []checks.CheckIn
		for i := range 25 {
			all = append(all, d.CheckIn(d.ProjectID, storetest.Hourly(fmt.Sprint("job-", i))))
		}
		d.PingAt(storetest.Noon, all[:23]...)
		d.PingAt(storetest.Noon.Add(time.Second), all[23])
		due := storetest.Noon.Add(65 * time.Minute)
		if more, n, err := s.Uptime.SweepCheckIns(t.Context(), due.Add(-time.Microsecond), 10); more || n > 0 || err != nil {
			t.Errorf("before the deadline: %v, %d, %v", more, n, err)
		}
		if rounds, n := d.SweepAll(due, 10); rounds != 3 || n != 23 {
			t.Errorf("at the deadline: %d events in %d rounds, want 23 in 3", n, rounds)
		}
		if rounds, n := d.SweepAll(due, 10); rounds != 1 || n != 0 {
			t.Errorf("again: %d events in %d rounds", n, rounds)
		}
		for i, c := range all {
			want := sett.CheckInMissing
			switch i {
			case 23:
				want = sett.CheckInReporting
			case 24:
				want = sett.CheckInPending
			}
			if got := d.checkInNow(c).State; got != want {
				t.Errorf("check-in %d is %s, want %s", i, got, want)
			}
		}
		if diff := cmp.Diff([]string{"reported 12:00:00", "missing 13:05:00"}, d.checkInHistory(all[0])); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

func TestDeadlinesInABlindWindowAreForgiven(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		if blind := d.BeatAt(at(-600)); !blind.IsZero() {
			t.Errorf("the first beat of all: %v", blind)
		}
		d.BeatAt(at(0))
		d.PingAt(at(0), c)
		if blind, want := d.BeatAt(at(65)), (checks.BlindWindow{From: at(0), To: at(65)}); blind != want {
			t.Errorf("blind in %v, want %v", blind, want)
		}
		if blind := d.BeatAt(at(65)); !blind.IsZero() {
			t.Errorf("a beat of another node at the same time: %v", blind)
		}
		d.SweepAll(at(65), 10)
		got := d.checkInNow(c)
		if got.State != sett.CheckInReporting || !got.DeadlineAt.Equal(at(70)) || !got.ExpectedAt.Equal(at(65)) || got.MissedCount != 0 {
			t.Errorf("forgiven: %+v", got)
		}
		d.BeatAt(at(70).Add(-10 * time.Second))
		d.BeatAt(at(70))
		d.SweepAll(at(70), 10)
		if diff := cmp.Diff([]string{"reported 12:00:00", "forgiven 13:05:00", "missing 13:10:00"}, d.checkInHistory(c)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

func TestPausesEndByThemselves(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c, other := d.CheckIn(d.ProjectID, storetest.Hourly("a")), d.CheckIn(d.ProjectID, storetest.Hourly("b"))
		d.PingAt(storetest.Noon, c, other)
		until := storetest.Noon.Add(24 * time.Hour)
		for _, c := range []checks.CheckIn{c, other} {
			if err := s.Uptime.PauseCheckIn(t.Context(), storetest.Noon, d.ProjectID, c.ID, until); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Uptime.UnpauseCheckIn(t.Context(), storetest.Noon.Add(time.Hour), d.ProjectID, other.ID); err != nil {
			t.Fatal(err)
		}
		d.SweepAll(until.Add(-time.Second), 10)
		if got := d.checkInNow(c); got.State != sett.CheckInPaused || !got.DeadlineAt.Equal(until) || !got.ExpectedAt.IsZero() {
			t.Errorf("paused: %+v", got)
		}
		d.SweepAll(until, 10)
		if got := d.checkInNow(c); got.State != sett.CheckInPending || !got.ExpectedAt.Equal(until.Add(time.Hour)) {
			t.Errorf("at the end of its pause: %+v", got)
		}
		if diff := cmp.Diff([]string{"reported 12:00:00", "paused 12:00:00", "resumed 12:00:00"}, d.checkInHistory(c)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if got := d.checkInHistory(other)[:3]; !slices.Equal(got, []string{"reported 12:00:00", "paused 12:00:00", "resumed 13:00:00"}) {
			t.Errorf("history of the other: %q", got)
		}
	})
}

// Pings, sweeps, edits and deletions that come at the same moment, on several nodes where there are, wait for each other
// and never in a circle.
func TestCheckInsUnderManyHands(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var s, other *store.Store
			if engine == "sqlite" {
				s = storetest.OpenSQLite(t)
				other = s
			} else {
				c := storetest.NewCluster(t)
				s, other = c.Node(t), c.Node(t)
			}
			d := newDesk(t, s)
			var all []checks.CheckIn
			for i := range 40 {
				all = append(all, d.CheckIn(d.ProjectID, storetest.Hourly(fmt.Sprint("job-", i))))
			}
			const rounds = 15
			var hands sync.WaitGroup
			hand := func(work func(round int) error) {
				hands.Go(func() {
					for round := range rounds {
						if err := work(round); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			pings := func(s *store.Store, order func(i int) int) {
				hand(func(round int) error {
					var batch []uptimedb.PingReport
					for i := range all {
						batch = append(batch, uptimedb.PingReport{ID: all[order(i)].ID, Ping: checks.Ping{At: storetest.Noon.Add(time.Duration(round) * 2 * time.Hour), Payload: &checks.PingPayload{Status: "success"}}})
					}
					_, err := s.Uptime.RecordPings(t.Context(), batch)
					return err
				})
			}
			pings(s, func(i int) int { return i })
			pings(other, func(i int) int { return len(all) - 1 - i })
			for _, s := range []*store.Store{s, other} {
				hand(func(round int) error {
					_, _, err := s.Uptime.SweepCheckIns(t.Context(), storetest.Noon.Add(time.Duration(round)*2*time.Hour), 10)
					return err
				})
			}
			hand(func(round int) error {
				return other.Uptime.UpdateCheckIn(t.Context(), storetest.Noon, d.ProjectID, all[round].ID, checks.CheckInChange{Name: sett.Some(fmt.Sprint("n", round))})
			})
			hand(func(round int) error {
				return s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, all[len(all)-1-round].ID)
			})
			hands.Wait()
			for _, c := range all[:len(all)-rounds] {
				pinged := 0
				for _, line := range d.checkInHistory(c) {
					if line[:8] == "reported" {
						pinged++
					}
				}
				if pinged != 2*rounds {
					t.Errorf("%s has %d pings in its history, want %d", c.Slug, pinged, 2*rounds)
				}
			}
		})
	}
}

// On PostgreSQL several nodes may make the same change to a check-in at once; it raises one alert.
func TestCheckInsTellWhatNodesDoAtOnceOnce(t *testing.T) {
	t.Parallel()
	nodes := storetest.NewCluster(t)
	first, second := nodes.Node(t), nodes.Node(t)
	d := newDesk(t, first)
	c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
	d.PingAt(storetest.Noon, c)
	d.SweepAll(storetest.Noon.Add(65*time.Minute), 10)
	ping := func(s *store.Store) func() error {
		return func() error {
			_, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: c.ID, Ping: checks.Ping{At: storetest.Noon.Add(2 * time.Hour)}}})
			return err
		}
	}
	const hold = `SELECT id FROM check_ins WHERE id = $1 FOR UPDATE`
	d.RowHeld(hold, c.ID, ping(first), ping(second))
	holding, err := first.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := holding.ExecContext(t.Context(), hold, c.ID); err != nil {
		t.Fatal(err)
	}
	waits, cancel := context.WithTimeout(t.Context(), 10*time.Second) // only of one that waits for the other
	defer cancel()
	if more, n, err := second.Uptime.SweepCheckIns(waits, storetest.Noon.Add(4*time.Hour), 10); more || n > 0 || err != nil {
		t.Errorf("a sweep of what another node sweeps: %v, %d, %v", more, n, err)
	}
	if err := holding.Commit(); err != nil {
		t.Fatal(err)
	}
	want := []string{"reported 12:00:00", "missing 13:05:00", "reported 14:00:00", "reporting 14:00:00"}
	if diff := cmp.Diff(want, d.checkInHistory(c)); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestHistoriesArePruned(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		old, busy, calm := d.CheckIn(d.ProjectID, storetest.Hourly("old")), d.CheckIn(d.ProjectID, storetest.Hourly("busy")), d.CheckIn(d.ProjectID, storetest.Hourly("calm"))
		const many = `INSERT INTO check_in_events (check_in, kind, at, payload)
			WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($3 AS bigint) - 1)
			SELECT c.number, 'reported', CAST($1 AS bigint) + i, '' FROM n, check_ins c WHERE c.id = $2`
		now := storetest.Noon.Add(90 * 24 * time.Hour)
		d.Run(many, db.Micros(storetest.Noon)-1500, old.ID, 1502) // the last two are just young enough
		d.Run(many, db.Micros(now), calm.ID, uptimedb.MostCheckInEvents)
		d.Run(many, db.Micros(now), busy.ID, 2*uptimedb.MostCheckInEvents+1)
		d.Run(`INSERT INTO blind_windows (from_at, to_at) VALUES (1, $1), (1, $2)`, db.Micros(storetest.Noon)-1, db.Micros(storetest.Noon))
		if err := s.Uptime.PruneCheckIns(t.Context(), now); err != nil {
			t.Fatal(err)
		}
		for c, first := range map[checks.CheckIn]int64{old: db.Micros(storetest.Noon), calm: db.Micros(now), busy: db.Micros(now) + uptimedb.MostCheckInEvents + 1} {
			events, _, err := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID, c.ID, sett.Page{Size: 5000})
			if err != nil {
				t.Fatal(err)
			}
			want := uptimedb.MostCheckInEvents
			if c == old {
				want = 2
			}
			if len(events) != want || db.Micros(events[len(events)-1].At) != first {
				t.Errorf("%s has %d events, the first at %d; want %d from %d", c.Slug, len(events), db.Micros(events[len(events)-1].At), want, first)
			}
		}
		if n := d.Count(`SELECT count(*) FROM blind_windows WHERE from_at IN `, 1); n != 1 {
			t.Errorf("%d blind windows are left, want 1", n)
		}
	})
}
