package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestSiteLines(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		busy, idle := d.Site(d.ProjectID), d.Site(d.ProjectID)
		d.Site(d.Project("Other").ID)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		for i := range stats.RecentChecks + 5 {
			d.Checked(at(i).Add(time.Second), storetest.Look(busy, checks.Virginia, at(i), i != 3 && i != 33))
		}
		d.Run(`UPDATE outages SET up_at = $1 WHERE up_at = 0`, db.Micros(at(34)))

		now := at(40)
		lines, marks, err := s.Uptime.SiteLines(t.Context(), now, d.ProjectID, sett.Page{Size: 10})
		if err != nil || len(lines) != 2 || marks != (sett.Marks{}) {
			t.Fatalf("%d lines, %v, %v", len(lines), marks, err)
		}
		line := lines[0]
		if line.ID != busy.ID || len(line.Recent) != stats.RecentChecks || !line.Recent[0].At.Equal(at(5)) || !line.Recent[29].At.Equal(at(34)) || line.Recent[28].Up {
			t.Errorf("checks: %+v", line.Recent)
		}
		if o := line.LastOutage; !o.DownAt.Equal(at(33)) || !o.UpAt.Equal(at(34)) || o.Reason == "" {
			t.Errorf("the last outage: %+v", o)
		}
		if line.Month.Measured == 0 || line.Month.Down != 2*time.Minute {
			t.Errorf("a month: %+v", line.Month)
		}
		if diff := cmp.Diff(stats.SiteLine{Site: d.FindSite(idle)}, lines[1]); diff != "" {
			t.Errorf("a site without checks (-want +got):\n%s", diff)
		}
		lines, marks, err = s.Uptime.SiteLines(t.Context(), now, d.ProjectID, sett.Page{Size: 1})
		if err != nil || len(lines) != 1 || marks.Next == "" {
			t.Fatalf("%d lines, %v, %v", len(lines), marks, err)
		}
		lines, _, err = s.Uptime.SiteLines(t.Context(), now, d.ProjectID, sett.Page{Size: 1, Mark: marks.Next})
		if err != nil || len(lines) != 1 || lines[0].ID != idle.ID {
			t.Errorf("the second page: %+v, %v", lines, err)
		}
		if _, _, err := s.Uptime.SiteLines(t.Context(), now, d.ProjectID, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}

func TestSitePulse(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		site := d.Site(d.ProjectID)
		d.Checked(storetest.Noon.Add(time.Second), storetest.Look(site, checks.London, storetest.Noon, true), storetest.Look(site, checks.Virginia, storetest.Noon, true))
		d.Checked(storetest.Noon.Add(time.Minute), storetest.Look(site, checks.Virginia, storetest.Noon.Add(time.Minute), true))

		p, err := s.Uptime.SitePulse(t.Context(), storetest.Noon.Add(24*time.Hour), d.ProjectID, site.ID)
		if err != nil || len(p.Checks) != 3 || p.Checks[0].Location != checks.Virginia || p.Checks[1].Location != checks.London || len(p.Days) != checks.StatusDays {
			t.Errorf("%+v, %d days, %v", p.Checks, len(p.Days), err)
		}
		if p, err = s.Uptime.SitePulse(t.Context(), storetest.Noon.Add(24*time.Hour+time.Microsecond), d.ProjectID, site.ID); err != nil || len(p.Checks) != 1 {
			t.Errorf("%+v, %v", p.Checks, err)
		}
		if _, err := s.Uptime.SitePulse(t.Context(), storetest.Noon, d.Project("Other").ID, site.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}

func TestResponseTimes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		site := d.Site(d.ProjectID)
		took := func(l checks.Location, at time.Time, took time.Duration, up bool) checks.CheckReport {
			r := storetest.Look(site, l, at, up)
			r.Result.Duration = took
			return r
		}
		quarter := storetest.Noon.Truncate(15 * time.Minute)
		d.Checked(storetest.Noon.Add(time.Minute), took(checks.London, quarter, 100*time.Millisecond, true), took(checks.London, quarter.Add(time.Second), 300*time.Millisecond, true),
			took(checks.Virginia, quarter, time.Minute, false), took(checks.Virginia, quarter.Add(-15*time.Minute), 50*time.Millisecond, true))

		for span, want := range map[stats.ResponseSpan]map[checks.Location][2]time.Duration{ // the last two means
			stats.ResponseDay:   {checks.Virginia: {50 * time.Millisecond, -1}, checks.London: {-1, 200 * time.Millisecond}},
			stats.ResponseWeek:  {checks.Virginia: {50 * time.Millisecond, -1}, checks.London: {-1, 200 * time.Millisecond}},
			stats.ResponseMonth: {checks.Virginia: {-1, 50 * time.Millisecond}, checks.London: {-1, 200 * time.Millisecond}},
		} {
			lines, err := s.Uptime.ResponseTimes(t.Context(), storetest.Noon.Add(time.Minute), d.ProjectID, site.ID, span)
			if err != nil || len(lines) != 2 || lines[0].Location != checks.Virginia {
				t.Fatalf("%s: %+v, %v", span, lines, err)
			}
			if pulse, err := s.Uptime.SitePulse(t.Context(), storetest.Noon.Add(time.Minute), d.ProjectID, site.ID); err != nil || span == stats.ResponseDay && !cmp.Equal(pulse.ResponseTimes(storetest.Noon.Add(time.Minute)), lines) {
				t.Errorf("from the checks of the day: %+v, %v; want %+v", pulse.ResponseTimes(storetest.Noon.Add(time.Minute)), err, lines)
			}
			for _, line := range lines {
				n := len(line.Means)
				if got := [2]time.Duration(line.Means[n-2:]); got != want[line.Location] {
					t.Errorf("%s from %s: %v", span, line.Location, got)
				}
			}
		}
		if _, err := s.Uptime.ResponseTimes(t.Context(), storetest.Noon, d.Project("Other").ID, site.ID, stats.ResponseDay); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
