package uptimedb_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// nextDay is when the day of noon may be rolled up.
var nextDay = accounts.Day(storetest.Noon).Add(49 * time.Hour)

func (d *desk) uptime(site checks.Site, from, to time.Time) []checks.UptimeDay {
	d.T.Helper()
	days, err := d.Uptime.UptimeDays(d.T.Context(), site.ProjectID, site.ID, from, to)
	if err != nil {
		d.T.Fatal(err)
	}
	return days
}

// manyChecks records checks at random over two days from two places, and returns them.
func (d *desk) manyChecks(site checks.Site) (all []checks.UptimeCheck) {
	d.T.Helper()
	draw := rand.New(rand.NewPCG(1, 2))
	for minute := range 2 * 24 * 12 {
		at := accounts.Day(storetest.Noon).Add(time.Duration(minute) * 5 * time.Minute)
		var reports []checks.CheckReport
		for _, l := range []checks.Location{checks.Oregon, checks.London} {
			r := storetest.Look(site, l, at, draw.IntN(20) > 0, func(r *checks.CheckReport) {
				r.Result.Duration = time.Duration(20_000*math.Exp(draw.NormFloat64())) * time.Microsecond
			})
			reports, all = append(reports, r), append(all, r.Check())
		}
		d.Checked(at.Add(10*time.Second), reports...)
	}
	return all
}

func TestDaysSayWhatTheirChecksSaid(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site := d.Site(d.ProjectID)
		all := d.manyChecks(site)
		from, to := storetest.Noon, storetest.Noon.Add(24*time.Hour)
		fresh := d.uptime(site, from, to)
		if len(fresh) != 4 {
			t.Fatalf("%d days", len(fresh))
		}
		d.RollUp(nextDay.Add(-time.Microsecond))
		if n := d.Count(`SELECT count(*) FROM uptime_days WHERE 1 IN `, 1); n > 0 {
			t.Errorf("%d days were rolled up too early", n)
		}
		for range 2 {
			d.RollUp(nextDay)
			if n := d.Count(`SELECT count(*) FROM uptime_days WHERE 1 IN `, 1); n != 2 {
				t.Errorf("%d days are rolled up", n)
			}
		}
		if diff := cmp.Diff(fresh, d.uptime(site, from, to)); diff != "" {
			t.Errorf("rolled up (-before +after):\n%s", diff)
		}
		if err := s.Uptime.PruneChecks(t.Context(), storetest.Noon.AddDate(1, 0, 0)); err != nil {
			t.Fatal(err)
		}
		if n := d.Count(`SELECT count(*) FROM uptime_checks WHERE 1 IN `, 1); n != int64(len(all)/2) {
			t.Errorf("%d checks are left, want those of the second day", n)
		}
		if diff := cmp.Diff(fresh, d.uptime(site, from, to)); diff != "" {
			t.Errorf("pruned (-before +after):\n%s", diff)
		}
		d.compare(all, checks.SumUptime(d.uptime(site, from, to)))
		if days := d.uptime(site, to.Add(24*time.Hour), to.Add(72*time.Hour)); len(days) > 0 {
			t.Errorf("days without checks: %v", days)
		}
	})
}

// compare holds a sum of days against all of their checks.
func (d *desk) compare(all []checks.UptimeCheck, u checks.Uptime) {
	d.T.Helper()
	var took []time.Duration
	var failed int64
	for _, c := range all {
		if c.Up {
			took = append(took, c.Duration)
		} else {
			failed++
		}
	}
	if u.Checks != int64(len(all)) || u.Failed != failed || failed == 0 {
		d.T.Errorf("%d checks, %d failed; want %d, %d", u.Checks, u.Failed, len(all), failed)
	}
	slices.Sort(took)
	for _, q := range []float64{0.5, 0.95, 0.99} {
		want, got := took[int(math.Ceil(q*float64(len(took))))-1], u.Latencies.Quantile(q)
		if off := math.Abs(float64(got-want)) / float64(want); off > 0.05 {
			d.T.Errorf("p%v is %v, exactly %v", 100*q, got, want)
		}
	}
}

// What a location kept for too long joins the day that it belongs to, once.
func TestLateChecksJoinTheirDay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, other := d.Site(d.ProjectID), d.Site(d.ProjectID)
		d.Checked(storetest.Noon, storetest.Look(site, checks.London, storetest.Noon, true))
		d.RollUp(nextDay)
		kept := func(site checks.Site, minute int, up bool) checks.CheckReport {
			return storetest.Look(site, checks.London, storetest.Noon.Add(time.Duration(minute)*time.Minute), up, func(r *checks.CheckReport) { r.Backfilled = true })
		}
		for range 2 {
			d.Checked(nextDay, kept(site, 0, true), kept(site, 1, false), kept(site, 2, true), kept(other, 3, true))
		}
		fresh := kept(site, 24*60, true) // the next day is open
		d.Checked(nextDay, fresh)
		days := d.uptime(site, storetest.Noon, storetest.Noon.Add(24*time.Hour))
		if len(days) != 2 || days[0].Checks != 3 || days[0].Failed != 1 || days[0].Total != 200*time.Millisecond || days[1].Checks != 1 {
			t.Errorf("%+v", days)
		}
		if u := checks.SumUptime(days[:1]); u.Latencies.Quantile(1) == 0 || u.Mean() != 100*time.Millisecond {
			t.Errorf("%+v", u)
		}
		if days := d.uptime(other, storetest.Noon, storetest.Noon); len(days) != 1 || days[0].Checks != 1 {
			t.Errorf("of a site without a day: %+v", days)
		}
	})
}

// On SQLite a transaction that writes would wait here for the one that is on.
func TestPruningWritesNothingWhereNothingIsOld(t *testing.T) {
	t.Parallel()
	s := storetest.OpenSQLite(t)
	d := newDesk(t, s)
	d.Site(d.ProjectID)
	err := s.Uptime.InOwnTx(t.Context(), "write", func(uptimedb.Tx) error {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		return s.Uptime.PruneChecks(ctx, storetest.Noon)
	})
	if err != nil {
		t.Error(err)
	}
}

// Days that were open when the server was stopped are rolled up, however long it was away.
func TestDaysBeforeALongAbsence(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site := d.Site(d.ProjectID)
		d.RollUp(storetest.Noon)
		d.Checked(storetest.Noon, storetest.Look(site, checks.London, storetest.Noon, true))
		d.RollUp(storetest.Noon.Add(30 * 24 * time.Hour))
		if days := d.uptime(site, storetest.Noon, storetest.Noon); len(days) != 1 || days[0].Checks != 1 {
			t.Errorf("%+v", days)
		}
	})
}

// A day is rolled up some sites at a time; between two steps each site has all of its checks once.
func TestDaysAreRolledUpInSteps(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var sites []checks.Site
		var reports []checks.CheckReport
		for range uptimedb.SitesRolledAtOnce + 3 {
			site := d.Site(d.ProjectID)
			sites = append(sites, site)
			reports = append(reports, storetest.Look(site, checks.London, storetest.Noon, true))
		}
		d.Checked(storetest.Noon, reports...)
		for step := range 25 {
			err := s.Uptime.InOwnTx(t.Context(), "one step", func(t uptimedb.Tx) error {
				_, err := t.RollUp(d.T.Context(), checks.RolledUpTo(nextDay))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			late := storetest.Noon.Add(time.Duration(step+1) * time.Minute)
			for i, site := range []checks.Site{sites[0], sites[len(sites)-1]} {
				d.Checked(nextDay, storetest.Look(site, checks.London, late, true, func(r *checks.CheckReport) { r.Backfilled = true }))
				if days := d.uptime(site, storetest.Noon, storetest.Noon); len(days) != 1 || days[0].Checks != int64(step+2) {
					t.Fatalf("step %d, site %d: %+v", step, i, days)
				}
			}
		}
		for _, site := range sites[1:] {
			if days := d.uptime(site, storetest.Noon, storetest.Noon); len(days) != 1 {
				t.Errorf("%d days", len(days))
			}
		}
	})
}

func TestHistoriesPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		at := func(minute int) time.Time { return storetest.Noon.Add(time.Duration(minute) * time.Minute) }
		var want []time.Time
		for minute := range 14 { // down and up in turn
			d.Checked(at(minute), storetest.Look(site, checks.Virginia, at(minute), minute%2 == 1))
			want = append([]time.Time{at(minute)}, want...)
		}
		checks := func(f uptimedb.SpanFilter) (times []time.Time, marks sett.Marks) {
			t.Helper()
			found, marks, err := s.Uptime.ListUptimeChecks(t.Context(), d.ProjectID, site.ID, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				times = append(times, c.At)
			}
			return times, marks
		}
		outages := func(f uptimedb.SpanFilter) (times []time.Time, marks sett.Marks) {
			t.Helper()
			found, marks, err := s.Uptime.ListOutages(t.Context(), d.ProjectID, site.ID, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range found {
				times = append(times, o.CreatedAt)
			}
			return times, marks
		}
		var downs []time.Time
		for _, when := range want {
			if when.Sub(storetest.Noon)%(2*time.Minute) == 0 {
				downs = append(downs, when)
			}
		}
		for name, c := range map[string]struct {
			list func(uptimedb.SpanFilter) ([]time.Time, sett.Marks)
			want []time.Time
		}{"checks": {checks, want}, "outages": {outages, downs}} {
			first, marks := c.list(uptimedb.SpanFilter{Page: sett.Page{Size: 3}})
			second, marks := c.list(uptimedb.SpanFilter{Page: sett.Page{Size: 3, Mark: marks.Next}})
			back, _ := c.list(uptimedb.SpanFilter{Page: sett.Page{Size: 3, Mark: marks.Prev, Back: true}})
			if diff := cmp.Diff([][]time.Time{c.want[:3], c.want[3:6], c.want[:3]}, [][]time.Time{first, second, back}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			span, _ := c.list(uptimedb.SpanFilter{CreatedAfter: c.want[4], CreatedBefore: c.want[1], Page: sett.Page{Size: 25}})
			if diff := cmp.Diff(c.want[2:5], span); diff != "" {
				t.Errorf("%s from one time until before another (-want +got):\n%s", name, diff)
			}
			later, _ := c.list(uptimedb.SpanFilter{Page: sett.Page{Size: 3, Offset: 3}})
			if diff := cmp.Diff(c.want[3:6], later); diff != "" {
				t.Errorf("%s of page 2 (-want +got):\n%s", name, diff)
			}
		}
		for _, mark := range []string{"x", "1", "1.2.3", "1.99999999999999999999"} {
			if _, _, err := s.Uptime.ListUptimeChecks(t.Context(), d.ProjectID, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 3, Mark: mark}}); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("a mark that is none: %v", err)
			}
		}
		if _, _, err := s.Uptime.ListUptimeChecks(t.Context(), d.ProjectID, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 3, Mark: "1.9999999999"}}); err != nil {
			t.Errorf("a mark of no location: %v", err)
		}
	})
}
