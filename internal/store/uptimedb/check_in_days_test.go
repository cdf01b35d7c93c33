package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func TestDaysOfACheckIn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c, idle := d.CheckIn(d.ProjectID, storetest.Hourly("job")), d.CheckIn(d.ProjectID, storetest.Hourly("idle"))
		d.PageNamed("page", c, idle)
		at := func(days, hours int) time.Time {
			return accounts.Day(storetest.Noon).AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour)
		}
		d.Alive(at(0, 12), at(0, 22))
		d.PingAt(at(0, 22).Add(-5*time.Minute), c) // late for 23:00 from then on
		for now := at(0, 23); now.Before(at(2, 6)); now = now.Add(10 * time.Minute) {
			d.Alive(now.Add(-10*time.Minute), now)
			d.SweepAll(now, 10)
		}
		d.PingAt(at(2, 6), c)
		d.WantDays("missing for two days", d.View(at(2, 7), "page")[0], "11-18 2h5m0s down 1h0m0s, outages 1, new 1",
			"11-19 24h0m0s down 24h0m0s, outages 1, new 0", "11-20 7h0m0s down 6h0m0s, outages 1, new 0")
		d.WantDays("never pinged", d.View(at(2, 7), "page")[1])

		d.Alive(at(2, 6), at(2, 7))
		if blind := d.BeatAt(at(3, 4)); blind.IsZero() { // no server was running since 7
			t.Fatal("no window")
		}
		d.SweepAll(at(3, 4), 10)
		d.PingAt(at(3, 4), c)
		if err := s.Uptime.PauseCheckIn(t.Context(), at(3, 5), d.ProjectID, c.ID, at(5, 5)); err != nil {
			t.Fatal(err)
		}
		past := []string{"11-18 2h5m0s down 1h0m0s, outages 1, new 1", "11-19 24h0m0s down 24h0m0s, outages 1, new 0"}
		d.WantDays("in a pause", d.View(at(4, 7), "page")[0], append(past, "11-20 7h0m0s down 6h0m0s, outages 1, new 0", "11-21 1h0m0s")...)
		d.Alive(at(3, 4), at(5, 7))
		d.SweepAll(at(5, 7), 10)
		want := append(past, "11-20 7h0m0s down 6h0m0s, outages 1, new 0", "11-21 1h0m0s", "11-23 55m0s down 55m0s, outages 1, new 1")
		d.WantDays("missing after it", d.View(at(5, 7), "page")[0], want...)

		for range 2 { // the second changes nothing
			d.fold(at(5, 7), c)
			d.WantDays("folded", d.View(at(5, 7), "page")[0], want...)
		}
		d.PingAt(at(5, 8), c)
		want[4] = "11-23 2h55m0s down 1h55m0s, outages 1, new 1"
		d.fold(at(5, 9), c)
		d.WantDays("folded again", d.View(at(5, 9), "page")[0], want...)
		if n := d.Count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1 {
			t.Errorf("%d turns are left", n)
		}
		if err := s.Uptime.PruneCheckIns(t.Context(), at(93, 0)); err != nil {
			t.Fatal(err)
		}
		if n := d.Count(`SELECT count(*) FROM check_in_days WHERE 1 IN `, 1); n != 3 {
			t.Errorf("%d days are left", n)
		}
		if err := s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, c.ID); err != nil {
			t.Fatal(err)
		}
		if n := d.Count(`SELECT count(*) FROM check_in_days WHERE 1 IN `, 1); n > 0 {
			t.Errorf("%d days are left of a check-in that is gone", n)
		}
		if left := d.View(at(5, 9), "page"); len(left) != 1 || left[0].CheckInID != idle.ID {
			t.Errorf("left of a page whose check-in is gone: %v", left)
		}
	})
}

// flush folds the turns of a check-in, however few they are.
func (d *desk) fold(now time.Time, c checks.CheckIn) {
	d.T.Helper()
	numbers, err := d.ListIDs(d.T.Context(), d.Read, `SELECT number FROM check_ins WHERE id = $1`, c.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	err = d.Uptime.InOwnTx(d.T.Context(), "fold", func(t uptimedb.Tx) error {
		return t.FoldCheckIn(d.T.Context(), numbers[0], now.Add(-uptimedb.KeepCheckInTurns), now)
	})
	if err != nil {
		d.T.Fatal(err)
	}
}

// What a clock noted that was far ahead neither lasts until then nor is in the days when they come.
func TestAWrongClockSpoilsNoDay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c, folded := d.CheckIn(d.ProjectID, storetest.Hourly("job")), d.CheckIn(d.ProjectID, storetest.Hourly("folded"))
		d.PageNamed("page", c, folded)
		d.Alive(storetest.Noon, storetest.Noon)
		d.PingAt(storetest.Noon, c, folded)
		wrong := storetest.Noon.AddDate(0, 0, 3)
		d.BeatAt(wrong.Add(-2 * time.Hour))
		d.BeatAt(wrong)
		d.Run(`UPDATE beats SET last_at = $1`, db.Micros(wrong))
		d.Run(`DELETE FROM blind_windows`)
		d.SweepAll(wrong, 10)
		d.PingAt(wrong, c, folded)
		d.fold(wrong, folded)
		right := storetest.Noon.Add(10 * time.Minute)
		d.BeatAt(right)
		d.PingAt(right.Add(time.Minute), c, folded)
		shown := d.View(right.Add(time.Hour), "page")
		d.WantDays("set back", shown[0], "11-18 1h10m0s")
		d.WantDays("set back and folded", shown[1], "11-18 1h0m0s")
		d.WantDays("some days later", d.View(right.AddDate(0, 0, 3), "page")[1], "11-18 11h50m0s", "11-19..11-20 24h0m0s", "11-21 12h10m0s")
	})
}

// On PostgreSQL several nodes may fold the same check-in at once; each turn is counted by one of them.
func TestTurnsAreRolledUpOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	d.PageNamed("page", d.CheckIn(d.ProjectID, storetest.Hourly("job")))
	for i := range 2 * uptimedb.MostCheckInTurns {
		state := []string{"reporting", "missing"}[i%2]
		d.Run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, $2 FROM check_ins`, db.Micros(storetest.Noon)+int64(i)*60e6, state)
	}
	now := storetest.Noon.Add(12 * time.Hour)
	fold := func(s *store.Store) func() error {
		return func() error { return s.Uptime.PruneCheckIns(t.Context(), now) }
	}
	before := d.View(now, "page")
	d.RowHeld(`SELECT number FROM check_ins WHERE slug = $1 FOR UPDATE`, "job", fold(first), fold(second))
	if diff := cmp.Diff(before, d.View(now, "page")); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
