package statusdb_test

import (
	"testing"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// The average of an hour is of all locations, without checks that failed, those of the time before and those of other pages.
func TestResponseTimesOfAPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London)
		site, young, other := d.Site(d.ProjectID), d.Site(d.ProjectID), d.Site(d.ProjectID)
		d.PageNamed("page", site, young, d.CheckIn(d.ProjectID, storetest.Hourly("night")))
		d.PageNamed("other", other)
		took := func(site checks.Site, l checks.Location, at time.Time, took time.Duration, up bool) {
			c := storetest.Look(d.FindSite(site), l, at, up)
			c.Result.Duration = took
			d.Checked(at.Add(time.Second), c)
		}
		first := status.FirstResponseHour(storetest.Noon)
		took(site, checks.Virginia, first.Add(-time.Minute), time.Hour, true)
		took(site, checks.Virginia, first, 100*time.Millisecond, true)
		took(site, checks.London, first.Add(time.Minute), 300*time.Millisecond, true)
		took(site, checks.London, first.Add(2*time.Minute), 9*time.Second, false)
		took(other, checks.London, first, 5*time.Second, true)
		took(site, checks.Virginia, storetest.Noon.Add(-time.Minute), 50*time.Millisecond, true)
		page := d.FindStatusPage("page")
		times, err := s.Status.ResponseTimes(t.Context(), storetest.Noon, page.Number)
		if err != nil || len(times) != 1 {
			t.Fatalf("%v, %v", times, err)
		}
		of := times[page.Components[0].ID]
		if h := of.Hours[0]; h != (status.ResponseHour{Total: 400 * time.Millisecond, Checks: 2}) {
			t.Errorf("the first hour: %+v", h)
		}
		if mean, ok := of.Mean(); mean != 150*time.Millisecond || !ok {
			t.Errorf("the mean is %s, %v", mean, ok)
		}
		if low, high, without := of.Range(); low != 50*time.Millisecond || high != 200*time.Millisecond || without != status.ResponseHours-2 {
			t.Errorf("from %s to %s, %d without", low, high, without)
		}
	})
}
