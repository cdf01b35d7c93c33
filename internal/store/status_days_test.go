package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/uptime"
)

const insertTestPage = `INSERT INTO status_pages (id, account_id, slug, name, hide_branding, features, unlisted, auto_incidents, password_hash,
	password_key, domain, domain_secret, domain_state, domain_problem, domain_verified_at, domain_checked_at, domain_due_at, domain_failing_at,
	revision, created_at, updated_at)
	VALUES ($1, $2, $1, 'Status', false, '{}', false, false, '', $3, '', '', '', '', 0, 0, 0, 0, 1, 0, 0)`

// pageNamed makes a status page that shows sites and check-ins.
func (d *desk) pageNamed(id string, components ...any) {
	d.t.Helper()
	d.run(insertTestPage, id, d.AccountID, []byte{})
	for i, c := range components {
		statement := `INSERT INTO status_components (page, position, site_id, check_in, display_name, description)
			SELECT p.number, $1, s.id, c.number, '', '' FROM status_pages p LEFT JOIN sites s ON s.uuid = $2 LEFT JOIN check_ins c ON c.id = $3
			WHERE p.id = $4`
		switch c := c.(type) {
		case sett.Site:
			d.run(statement, i, c.ID[:], "", id)
		case sett.CheckIn:
			d.run(statement, i, []byte{}, c.ID, id)
		}
	}
}

// view returns the components of a page at a time.
func (d *desk) view(now time.Time, id string) []sett.ComponentView {
	d.t.Helper()
	v, err := d.StatusView(d.t.Context(), now, id)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, c := range v.Components {
		if len(c.Days) != sett.StatusDays || !c.Days[sett.StatusDays-1].Day.Equal(sett.Day(now)) {
			d.t.Fatalf("%d days", len(c.Days))
		}
	}
	return v.Components
}

// daysShown lists the days of a component that have data, such as "11-18 12h0m0s", with those that are alike and follow
// one another as one, and what was wrong on them.
func daysShown(c sett.ComponentView) (lines []string) {
	var first, last, said string
	flush := func() {
		if said != "" {
			lines = append(lines, strings.TrimSuffix(first+".."+last, ".."+first)+" "+said)
		}
	}
	for _, d := range c.Days {
		line := ""
		if d != (sett.StatusDay{Day: d.Day}) {
			line = d.Measured.String()
		}
		if d.Down > 0 || d.Outages > 0 {
			line += fmt.Sprintf(" down %v, outages %d, new %d", d.Down, d.Outages, d.Began)
		}
		day := d.Day.Format("01-02")
		if line != said {
			flush()
			first, said = day, line
		}
		last = day
	}
	flush()
	return lines
}

func (d *desk) wantDays(when string, c sett.ComponentView, want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(want, daysShown(c)); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// goOn checks a site every hour from one time until before another, and does what else is done on the way.
func (d *desk) goOn(site sett.Site, from, to time.Time, up bool) {
	d.t.Helper()
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		d.checked(at.Add(time.Second), look(d.findSite(site), sett.Virginia, at, up))
		d.rollUp(at.Add(time.Second))
	}
}

func (d *desk) activate(now time.Time, site sett.Site, active bool) {
	d.t.Helper()
	if err := d.UpdateSite(d.t.Context(), now, site.ProjectID, site.ID, sett.SiteChange{Active: sett.Some(active)}); err != nil {
		d.t.Fatal(err)
	}
}

func TestDaysOfASite(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.live(noon, sett.Virginia, sett.London)
		site := d.site(d.ProjectID, func(c *sett.SiteChange) {
			c.Frequency, c.OutageThreshold = sett.Some(int64(15)), sett.Some(int64(1))
			c.Timeout = sett.Some(int64(60))
		})
		other := d.site(d.ProjectID)
		d.pageNamed("page", site, other)
		day := func(n int) time.Time { return sett.Day(noon).AddDate(0, 0, n) }
		d.wantDays("never checked", d.view(noon, "page")[0])

		d.goOn(site, noon, day(1).Add(20*time.Hour), true) // the 19th
		d.goOn(site, day(1).Add(20*time.Hour), day(3).Add(2*time.Hour), false)
		now := day(3).Add(time.Hour + time.Minute)
		c := d.view(now, "page")
		d.wantDays("an outage lasts", c[0], "11-18 12h0m0s", "11-19 24h0m0s down 4h0m0s, outages 1, new 1",
			"11-20 24h0m0s down 24h0m0s, outages 1, new 0", "11-21 1h1m0s down 1h1m0s, outages 1, new 0")
		if want := "90 days, 86 without data, 1 outage of 1 day 5 hours from 19 Nov to 21 Nov"; c[0].Summary() != want || c[0].State != sett.ComponentDown {
			t.Errorf("%s, %q", c[0].State, c[0].Summary())
		}
		d.wantDays("another site", c[1])
		d.goOn(site, day(3).Add(2*time.Hour), day(3).Add(3*time.Hour), true)
		d.activate(day(3).Add(3*time.Hour), site, false)
		past := []string{
			"11-18 12h0m0s", "11-19 24h0m0s down 4h0m0s, outages 1, new 1", "11-20 24h0m0s down 24h0m0s, outages 1, new 0",
		}
		d.rollUp(day(12))
		d.wantDays("in a pause", d.view(day(12), "page")[0], append(past, "11-21 2h17m30s down 2h0m0s, outages 1, new 0")...)

		d.activate(day(14), site, true)
		d.goOn(site, day(14).Add(23*time.Hour), day(15).Add(1*time.Hour), true)
		after := append(past, "11-21 24h0m0s down 2h0m0s, outages 1, new 0", "12-02 24h0m0s", "12-03 10m0s")
		d.wantDays("checked again", d.view(day(15).Add(10*time.Minute), "page")[0], after...)

		kept := look(d.findSite(site), sett.London, day(13).Add(22*time.Hour), true, func(r *sett.CheckReport) { r.Backfilled = true })
		late := look(d.findSite(site), sett.London, day(10).Add(22*time.Hour), true, func(r *sett.CheckReport) { r.Backfilled = true })
		d.rollUp(day(14).Add(time.Hour))
		d.checked(day(15).Add(5*time.Minute), kept, late) // one of a day that is rolled up
		after = append(past, "11-21 24h0m0s down 2h0m0s, outages 1, new 0", "11-28 24h0m0s", "12-01..12-02 24h0m0s", "12-03 10m0s")
		d.wantDays("what an agent kept", d.view(day(15).Add(10*time.Minute), "page")[0], after...)

		d.wantDays("many days later", d.view(day(90), "page")[0], append(past[1:3:3], append(after[3:6:6], "12-03 17m30s")...)...)
		c = d.view(day(91), "page")
		d.wantDays("when the outage began before the days", c[0], append([]string{past[2]}, append(after[3:6:6], "12-03 17m30s")...)...)
		if c[0].Outages() != 1 {
			t.Errorf("%d outages", c[0].Outages())
		}
		if err := s.DeleteSite(t.Context(), d.ProjectID, site.ID); err != nil {
			t.Fatal(err)
		}
		if left := d.view(day(15), "page"); len(left) != 1 || left[0].SiteID != other.ID {
			t.Errorf("left of a page whose site is gone: %v", left)
		}
	})
}

func TestDaysOfACheckIn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		c, idle := d.checkIn(d.ProjectID, hourly("job")), d.checkIn(d.ProjectID, hourly("idle"))
		d.pageNamed("page", c, idle)
		at := func(days, hours int) time.Time {
			return sett.Day(noon).AddDate(0, 0, days).Add(time.Duration(hours) * time.Hour)
		}
		d.alive(at(0, 12), at(0, 22))
		d.ping(at(0, 22).Add(-5*time.Minute), c) // late for 23:00 from then on
		for now := at(0, 23); now.Before(at(2, 6)); now = now.Add(10 * time.Minute) {
			d.alive(now.Add(-10*time.Minute), now)
			d.sweepAll(now, 10)
		}
		d.ping(at(2, 6), c)
		d.wantDays("missing for two days", d.view(at(2, 7), "page")[0], "11-18 2h5m0s down 1h0m0s, outages 1, new 1",
			"11-19 24h0m0s down 24h0m0s, outages 1, new 0", "11-20 7h0m0s down 6h0m0s, outages 1, new 0")
		d.wantDays("never pinged", d.view(at(2, 7), "page")[1])

		d.alive(at(2, 6), at(2, 7))
		if blind := d.beat(at(3, 4)); blind.IsZero() { // nobody was alive since 7
			t.Fatal("no window")
		}
		d.sweepAll(at(3, 4), 10)
		d.ping(at(3, 4), c)
		if err := s.PauseCheckIn(t.Context(), at(3, 5), d.ProjectID, c.ID, at(5, 5)); err != nil {
			t.Fatal(err)
		}
		past := []string{"11-18 2h5m0s down 1h0m0s, outages 1, new 1", "11-19 24h0m0s down 24h0m0s, outages 1, new 0"}
		d.wantDays("in a pause", d.view(at(4, 7), "page")[0], append(past, "11-20 7h0m0s down 6h0m0s, outages 1, new 0", "11-21 1h0m0s")...)
		d.alive(at(3, 4), at(5, 7))
		d.sweepAll(at(5, 7), 10)
		want := append(past, "11-20 7h0m0s down 6h0m0s, outages 1, new 0", "11-21 1h0m0s", "11-23 2h0m0s down 55m0s, outages 1, new 1")
		d.wantDays("missing after it", d.view(at(5, 7), "page")[0], want...)

		for range 2 { // the second changes nothing
			d.fold(at(5, 7), c)
			d.wantDays("folded", d.view(at(5, 7), "page")[0], want...)
		}
		d.ping(at(5, 8), c)
		want[4] = "11-23 4h0m0s down 1h55m0s, outages 1, new 1"
		d.fold(at(5, 9), c)
		d.wantDays("folded again", d.view(at(5, 9), "page")[0], want...)
		if n := d.count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1 {
			t.Errorf("%d turns are left", n)
		}
		if err := s.PruneCheckIns(t.Context(), at(93, 0)); err != nil {
			t.Fatal(err)
		}
		if n := d.count(`SELECT count(*) FROM check_in_days WHERE 1 IN `, 1); n != 3 {
			t.Errorf("%d days are left", n)
		}
		if err := s.DeleteCheckIn(t.Context(), d.ProjectID, c.ID); err != nil {
			t.Fatal(err)
		}
		if n := d.count(`SELECT count(*) FROM check_in_days WHERE 1 IN `, 1); n > 0 {
			t.Errorf("%d days are left of a check-in that is gone", n)
		}
		if left := d.view(at(5, 9), "page"); len(left) != 1 || left[0].CheckInID != idle.ID {
			t.Errorf("left of a page whose check-in is gone: %v", left)
		}
	})
}

// alive lets a server beat from one time until another.
func (d *desk) alive(from, to time.Time) {
	d.t.Helper()
	d.run(`UPDATE beats SET last_at = $1`, db.Micros(to.Add(-10*time.Second)))
	d.beat(to)
}

// fold folds the turns of a check-in, however few they are.
func (d *desk) fold(now time.Time, c sett.CheckIn) {
	d.t.Helper()
	numbers, err := d.ListIDs(d.t.Context(), d.Read, `SELECT number FROM check_ins WHERE id = $1`, c.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	err = d.inTx(d.t.Context(), "fold", func(t *tx) error {
		return t.FoldCheckIn(d.t.Context(), numbers[0], now.Add(-uptime.KeepCheckInTurns), now)
	})
	if err != nil {
		d.t.Fatal(err)
	}
}

// A check-in that misses all the time has many events and turns; its days are as exact as those of others.
func TestDaysOutliveTheHistory(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		change := hourly("busy")
		change.ReportPeriod, change.GracePeriod = sett.Some[sett.PeriodText]("1 minute"), sett.Some[sett.PeriodText]("")
		busy, calm := d.checkIn(d.ProjectID, change), d.checkIn(d.ProjectID, hourly("calm"))
		d.pageNamed("page", busy, calm)
		const rounds = 400 // of two minutes, one of which is missed
		d.ping(noon, calm)
		for i := range rounds {
			at := noon.Add(time.Duration(i) * 2 * time.Minute)
			d.ping(at, busy)
			if i == rounds/2 {
				d.prune(at)
			}
			d.alive(noon, at.Add(90*time.Second))
			d.sweepAll(at.Add(90*time.Second), 1)
		}
		now := noon.Add(rounds * 2 * time.Minute)
		whole := d.view(now, "page")
		d.prune(now)
		for i, c := range d.view(now, "page") {
			if diff := cmp.Diff(whole[i], c); diff != "" {
				t.Errorf("pruned (-before +after):\n%s", diff)
			}
		}
		d.wantDays("busy", whole[0], "11-18 12h0m0s down 6h0m0s, outages 360, new 360", "11-19 1h20m0s down 40m0s, outages 40, new 40")
		d.wantDays("calm", whole[1], "11-18 12h0m0s down 10h55m0s, outages 1, new 1", "11-19 1h20m0s down 1h20m0s, outages 1, new 0")
		if n := d.count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1+2 {
			t.Errorf("%d turns are left", n)
		}
		now = now.AddDate(0, 0, 100)
		d.prune(now)
		d.wantDays("a hundred days later", d.view(now, "page")[1], "11-30..02-26 24h0m0s down 24h0m0s, outages 1, new 0",
			"02-27 1h20m0s down 1h20m0s, outages 1, new 0")
	})
}

func (d *desk) prune(now time.Time) {
	d.t.Helper()
	if err := d.PruneCheckIns(d.t.Context(), now); err != nil {
		d.t.Fatal(err)
	}
}

func TestOldTurnsAreFolded(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		c := d.checkIn(d.ProjectID, hourly("job"))
		d.pageNamed("page", c)
		d.ping(noon, c)
		for _, days := range []int{1, 2, 95} {
			now := noon.AddDate(0, 0, days)
			d.alive(now, now)
			d.sweepAll(now, 10)
			d.ping(now, c)
		}
		now := noon.AddDate(0, 0, 95)
		before := d.view(now, "page")
		d.prune(now)
		if diff := cmp.Diff(before, d.view(now, "page")); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
		if n := d.count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1 {
			t.Errorf("%d turns are left", n)
		}
	})
}

// What a clock noted that was far ahead neither lasts until then nor is in the days when they come.
func TestAWrongClockSpoilsNoDay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		c, folded := d.checkIn(d.ProjectID, hourly("job")), d.checkIn(d.ProjectID, hourly("folded"))
		d.pageNamed("page", c, folded)
		d.alive(noon, noon)
		d.ping(noon, c, folded)
		wrong := noon.AddDate(0, 0, 3)
		d.beat(wrong.Add(-2 * time.Hour))
		d.beat(wrong)
		d.run(`UPDATE beats SET last_at = $1`, db.Micros(wrong))
		d.run(`DELETE FROM blind_windows`)
		d.sweepAll(wrong, 10)
		d.ping(wrong, c, folded)
		d.fold(wrong, folded)
		right := noon.Add(10 * time.Minute)
		d.beat(right)
		d.ping(right.Add(time.Minute), c, folded)
		shown := d.view(right.Add(time.Hour), "page")
		d.wantDays("set back", shown[0], "11-18 1h10m0s")
		d.wantDays("set back and folded", shown[1], "11-18 1h0m0s")
		d.wantDays("some days later", d.view(right.AddDate(0, 0, 3), "page")[1], "11-18 11h50m0s", "11-19..11-20 24h0m0s", "11-21 12h10m0s")
	})
}

// On PostgreSQL several nodes may fold the same check-in at once; each turn is counted by one of them.
func TestTurnsAreFoldedOnce(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	first, second := c.node(t), c.node(t)
	d := newDesk(t, first)
	d.pageNamed("page", d.checkIn(d.ProjectID, hourly("job")))
	for i := range 2 * uptime.MostCheckInTurns {
		state := []string{"reporting", "missing"}[i%2]
		d.run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, $2 FROM check_ins`, db.Micros(noon)+int64(i)*60e6, state)
	}
	now := noon.Add(12 * time.Hour)
	fold := func(s *Store) func() error {
		return func() error { return s.PruneCheckIns(t.Context(), now) }
	}
	before := d.view(now, "page")
	d.rowHeld(`SELECT number FROM check_ins WHERE slug = $1 FOR UPDATE`, "job", fold(first), fold(second))
	if diff := cmp.Diff(before, d.view(now, "page")); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}
