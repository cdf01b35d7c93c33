package deliverydb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// A slow time in a window is sent at its end if the site is still slow. One that has ended is forgotten: the next one is sent.
func TestMaintenanceHoldsSlowTimes(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		for _, site := range []checks.Site{a, b} {
			limit := checks.SiteChange{SlowAfter: sett.Some[int64](800), SlowChecks: sett.Some[int64](2)}
			if err := s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, site.ID, limit); err != nil {
				t.Fatal(err)
			}
		}
		took := func(at int, site checks.Site, took time.Duration) {
			t.Helper()
			c := storetest.Look(d.FindSite(site), checks.Virginia, minute(at), true)
			c.Result.Duration = took
			d.Checked(minute(at).Add(time.Second), c)
		}
		w := d.window(minute(1), 2, 10)
		for at := 2; at <= 3; at++ {
			took(at, a, 2*time.Second)
			took(at, b, 2*time.Second)
		}
		d.checks(4, a, false) // nothing is known of its pace any more
		d.wantSent("in the window", minute(5))
		d.checks(6, a, true)
		d.wantWindow("in the window", w, minute(9), maintenance.Active, 3, 0)
		d.wantSent("at the end", minute(10), "B slow")
		for at := 11; at <= 12; at++ {
			took(at, a, 2*time.Second)
			took(at, b, 10*time.Millisecond)
		}
		d.wantSent("afterwards", minute(13), "A slow", "B fast")
	})
}
