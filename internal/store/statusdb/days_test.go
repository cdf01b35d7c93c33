package statusdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// goOn checks a site every 15 minutes from one time until before another, and does what else is done on the way.
func (d *desk) goOn(site checks.Site, from, to time.Time, up bool) {
	d.T.Helper()
	for at := from; at.Before(to); at = at.Add(15 * time.Minute) {
		d.Checked(at.Add(time.Second), storetest.Look(d.FindSite(site), checks.Virginia, at, up))
		d.RollUp(at.Add(time.Second))
	}
}

func (d *desk) activate(now time.Time, site checks.Site, active bool) {
	d.T.Helper()
	if err := d.Uptime.UpdateSite(d.T.Context(), now, site.ProjectID, site.ID, checks.SiteChange{Active: sett.Some(active)}); err != nil {
		d.T.Fatal(err)
	}
}

func TestDaysOfASite(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) {
			c.Frequency, c.OutageThreshold = sett.Some(int64(15)), sett.Some(int64(1))
			c.Timeout = sett.Some(int64(60))
		})
		other := d.Site(d.ProjectID)
		d.PageNamed("page", site, other)
		day := func(n int) time.Time { return accounts.Day(storetest.Noon).AddDate(0, 0, n) }
		d.WantDays("never checked", d.View(storetest.Noon, "page")[0])

		d.goOn(site, storetest.Noon, day(1).Add(20*time.Hour), true) // the 19th
		d.goOn(site, day(1).Add(20*time.Hour), day(3).Add(time.Hour+time.Minute), false)
		now := day(3).Add(time.Hour + time.Minute)
		c := d.View(now, "page")
		d.WantDays("an outage lasts", c[0], "11-18 12h0m0s", "11-19 24h0m0s down 4h0m0s, outages 1, new 1",
			"11-20 24h0m0s down 24h0m0s, outages 1, new 0", "11-21 1h1m0s down 1h1m0s, outages 1, new 0")
		if want := "90 days, 86 without data, 1 outage of 1 day 5 hours from 19 Nov to 21 Nov"; c[0].Summary("en") != want || c[0].State != status.ComponentDown {
			t.Errorf("%s, %q", c[0].State, c[0].Summary("en"))
		}
		d.WantDays("another site", c[1])
		d.goOn(site, day(3).Add(75*time.Minute), day(3).Add(2*time.Hour), false)
		d.goOn(site, day(3).Add(2*time.Hour), day(3).Add(2*time.Hour+time.Minute), true)
		d.activate(day(3).Add(3*time.Hour), site, false)
		past := []string{
			"11-18 12h0m0s", "11-19 24h0m0s down 4h0m0s, outages 1, new 1", "11-20 24h0m0s down 24h0m0s, outages 1, new 0",
		}
		d.RollUp(day(12))
		d.WantDays("in a pause", d.View(day(12), "page")[0], append(past, "11-21 2h17m30s down 2h0m0s, outages 1, new 0")...)

		d.activate(day(14), site, true)
		d.goOn(site, day(14).Add(23*time.Hour), day(15).Add(time.Minute), true)
		after := append(past, "11-21 2h17m30s down 2h0m0s, outages 1, new 0", "12-02 1h0m0s", "12-03 10m0s")
		d.WantDays("checked again", d.View(day(15).Add(10*time.Minute), "page")[0], after...)

		kept := storetest.Look(d.FindSite(site), checks.London, day(13).Add(22*time.Hour), true, func(r *checks.CheckReport) { r.Backfilled = true })
		late := storetest.Look(d.FindSite(site), checks.London, day(10).Add(22*time.Hour), true, func(r *checks.CheckReport) { r.Backfilled = true })
		d.RollUp(day(14).Add(time.Hour))
		d.Checked(day(15).Add(5*time.Minute), kept, late) // one of a day that is rolled up
		after = append(past, "11-21 2h17m30s down 2h0m0s, outages 1, new 0", "11-28 17m30s", "12-01 17m30s", "12-02 1h0m0s", "12-03 10m0s")
		d.WantDays("what an agent kept", d.View(day(15).Add(10*time.Minute), "page")[0], after...)

		d.WantDays("many days later", d.View(day(90), "page")[0], append(past[1:3:3], append(after[3:7:7], "12-03 17m30s")...)...)
		c = d.View(day(91), "page")
		d.WantDays("when the outage began before the days", c[0], append([]string{past[2]}, append(after[3:7:7], "12-03 17m30s")...)...)
		if c[0].Outages() != 1 {
			t.Errorf("%d outages", c[0].Outages())
		}
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, site.ID); err != nil {
			t.Fatal(err)
		}
		if left := d.View(day(15), "page"); len(left) != 1 || left[0].SiteID != other.ID {
			t.Errorf("left of a page whose site is gone: %v", left)
		}
	})
}

// A day is measured only while the site is checked: neither before its first check, nor in a pause, nor while nothing checks it.
func TestTimesWithoutChecksAreNotMeasured(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Frequency, c.Timeout = sett.Some(int64(15)), sett.Some(int64(60)) })
		d.PageNamed("page", site) // made at 12:00; without checks it is waited for until 12:17:30
		day := accounts.Day(storetest.Noon)
		at := func(hours float64) time.Time { return day.Add(time.Duration(hours * float64(time.Hour))) }
		want := func(when string, now time.Time, lines ...string) {
			t.Helper()
			d.WantDays(when, d.View(now, "page")[0], lines...)
			line, _, err := s.Uptime.SiteLines(t.Context(), now, d.ProjectID, sett.Page{Size: 1})
			if err != nil || line[0].Month != checks.ShareOf(30, d.View(now, "page")[0].Days) {
				t.Errorf("%s: the list has %+v, %v", when, line, err)
			}
		}
		d.goOn(site, at(13), at(14), true)
		want("after its first check", at(14), "11-18 1h17m30s")
		d.activate(at(14), site, false)
		want("in a pause", at(16), "11-18 1h17m30s")
		d.activate(at(16), site, true)
		d.activate(at(16.5), site, false)
		d.activate(at(17), site, true)
		want("after a pause, before a check", at(17.1), "11-18 1h17m30s")
		d.goOn(site, at(18), at(19), true)
		want("after a pause", at(19), "11-18 2h17m30s")
		d.goOn(site, at(22), at(23), false)
		want("after hours without checks", at(23), "11-18 3h20m0s down 1h0m0s, outages 1, new 1") // until 19:02:30

		kept := func(hours float64) checks.CheckReport {
			return storetest.Look(d.FindSite(site), checks.London, at(hours), true, func(r *checks.CheckReport) { r.Backfilled = true })
		}
		d.Checked(at(23), kept(20), kept(20.25), kept(21))
		want("with the checks of an agent that was cut off", at(23), "11-18 4h10m0s down 1h0m0s, outages 1, new 1") // 20:00 to 20:32:30, and 17:30
		d.Checked(at(23), kept(19), kept(19.25), kept(19.5), kept(19.75), kept(20.5), kept(20.75), kept(21.25), kept(21.5), kept(21.75))
		want("with all of them", at(23), "11-18 6h17m30s down 1h0m0s, outages 1, new 1")
	})
}

// A check-in that misses all the time has many events and turns; its days are as exact as those of others.
func TestDaysOutliveTheHistory(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		change := storetest.Hourly("busy")
		change.ReportPeriod, change.GracePeriod = sett.Some[checks.PeriodText]("1 minute"), sett.Some[checks.PeriodText]("")
		busy, calm := d.CheckIn(d.ProjectID, change), d.CheckIn(d.ProjectID, storetest.Hourly("calm"))
		d.PageNamed("page", busy, calm)
		const rounds = 400 // of two minutes, one of which is missed
		d.PingAt(storetest.Noon, calm)
		for i := range rounds {
			at := storetest.Noon.Add(time.Duration(i) * 2 * time.Minute)
			d.PingAt(at, busy)
			if i == rounds/2 {
				d.prune(at)
			}
			d.Alive(storetest.Noon, at.Add(90*time.Second))
			d.SweepAll(at.Add(90*time.Second), 1)
		}
		now := storetest.Noon.Add(rounds * 2 * time.Minute)
		whole := d.View(now, "page")
		d.prune(now)
		for i, c := range d.View(now, "page") {
			if diff := cmp.Diff(whole[i], c); diff != "" {
				t.Errorf("pruned (-before +after):\n%s", diff)
			}
		}
		d.WantDays("busy", whole[0], "11-18 12h0m0s down 6h0m0s, outages 360, new 360", "11-19 1h20m0s down 40m0s, outages 40, new 40")
		d.WantDays("calm", whole[1], "11-18 12h0m0s down 10h55m0s, outages 1, new 1", "11-19 1h20m0s down 1h20m0s, outages 1, new 0")
		if n := d.Count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1+2 {
			t.Errorf("%d turns are left", n)
		}
		now = now.AddDate(0, 0, 100)
		d.prune(now)
		d.WantDays("a hundred days later", d.View(now, "page")[1], "11-30..02-26 24h0m0s down 24h0m0s, outages 1, new 0",
			"02-27 1h20m0s down 1h20m0s, outages 1, new 0")
	})
}

func (d *desk) prune(now time.Time) {
	d.T.Helper()
	if err := d.Uptime.PruneCheckIns(d.T.Context(), now); err != nil {
		d.T.Fatal(err)
	}
}

func TestOldTurnsAreFolded(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		d.PageNamed("page", c)
		d.PingAt(storetest.Noon, c)
		for _, days := range []int{1, 2, 95} {
			now := storetest.Noon.AddDate(0, 0, days)
			d.Alive(now, now)
			d.SweepAll(now, 10)
			d.PingAt(now, c)
		}
		now := storetest.Noon.AddDate(0, 0, 95)
		before := d.View(now, "page")
		d.prune(now)
		if diff := cmp.Diff(before, d.View(now, "page")); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
		if n := d.Count(`SELECT count(*) FROM check_in_turns WHERE 1 IN `, 1); n != 1 {
			t.Errorf("%d turns are left", n)
		}
	})
}
