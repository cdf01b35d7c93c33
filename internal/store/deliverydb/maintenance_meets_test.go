package deliverydb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// fails has a job report a failure.
func (d *desk) fails(at time.Time, c checks.CheckIn) {
	d.T.Helper()
	found, err := d.Uptime.RecordPings(d.T.Context(), []uptimedb.PingReport{{ID: c.ID, Ping: checks.Ping{At: at, Payload: &checks.PingPayload{Status: "error"}}}})
	if err != nil || !found[0] {
		d.T.Fatalf("a failure: %v, %v", found, err)
	}
}

// When a window ends while another one is active, only what would be sent waits for that one. What is well already stays with the first.
func TestWhatIsWellDoesNotWaitForAnotherWindow(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		first, second := d.window(minute(1), 1, 10), d.window(minute(1), 1, 20)
		d.checks(2, a, false)
		d.checks(3, b, false)
		d.checks(4, a, true)
		d.wantSent("in both windows", minute(5))
		d.wantWindow("the first one", first, minute(5), maintenance.Active, 3, 0)
		d.wantSent("the first one ends", minute(10))
		d.wantWindow("the first one, after its end", first, minute(10), maintenance.Ended, 2, 0)
		d.wantWindow("the second one, after that", second, minute(10), maintenance.Active, 1, 0)
		d.wantSent("the second one ends", minute(20), "B down")
		d.wantWindow("the second one, after its end", second, minute(20), maintenance.Ended, 1, 1)
	})
}

// A pause in a window: receivers know the outage from before the window, so its end is sent in the window.
func TestAPauseInAWindowKeepsAKnownOutageKnown(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, _ := maintained(t, s)
		pause := func(at int, active bool) {
			t.Helper()
			if err := s.Uptime.UpdateSite(t.Context(), minute(at), d.ProjectID, a.ID, checks.SiteChange{Active: sett.Some(active)}); err != nil {
				t.Fatal(err)
			}
		}
		d.checks(1, a, false)
		d.wantSent("before the window", minute(1).Add(time.Second), "A down")
		d.window(minute(2), 2, 60)
		pause(3, false)
		pause(30, true)
		d.checks(31, d.FindSite(a), false)
		d.wantSent("down after the pause", minute(32))
		d.checks(33, d.FindSite(a), true)
		d.wantSent("up", minute(34), "A up")
		d.wantSent("the window ends", minute(60))
	})
}

// A job that failed before a window goes missing in it, and succeeds: receivers know the problem, so they are notified of its end.
func TestAFailureThatIsMissingInAWindowStaysKnown(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, _, _ := maintained(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		d.fails(minute(1), c)
		d.wantSent("before the window", minute(2), d.named(c)+" check_in_failed")
		d.window(minute(2), 2, 120)
		d.Run(`UPDATE beats SET last_at = $1`, minute(70).Add(-time.Second).UnixMicro()) // a server was running
		d.BeatAt(minute(70))
		d.SweepAll(minute(70), 10)
		d.wantSent("missing", minute(71))
		d.PingAt(minute(80), c)
		d.wantSent("a success", minute(80), d.named(c)+" check_in_reporting")
		d.fails(minute(90), c)
		d.wantSent("a failure in the window", minute(91))
		d.wantSent("the window ends", minute(120), d.named(c)+" check_in_failed")
	})
}

// Sites go down and jobs fail in a window, and are paused, or not checked, when it ends. Receivers were not notified of that, so its end is no news to
// them, and a problem after the pause is.
func TestAPauseAtTheEndOfAWindowForgetsWhatItHeld(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, a, b := maintained(t, s)
		known, unchecked := d.Site(d.ProjectID, storetest.Named("Known")), d.Site(d.ProjectID, storetest.Named("Unchecked"))
		c := d.CheckIn(d.ProjectID, storetest.Hourly("job"))
		pause := func(at int, active bool) {
			t.Helper()
			for _, site := range []checks.Site{a, b, known} {
				if err := s.Uptime.UpdateSite(t.Context(), minute(at), d.ProjectID, site.ID, checks.SiteChange{Active: sett.Some(active)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		d.checks(0, unchecked, true)
		d.checks(1, known, false)
		d.wantSent("before the window", minute(2).Add(-time.Second), "Known down")
		d.window(minute(2), 2, 60)
		for _, site := range []checks.Site{a, b, unchecked} {
			d.checks(3, site, false)
		}
		d.fails(minute(3), c)
		pause(4, false)
		if err := s.Uptime.PauseCheckIn(t.Context(), minute(4), d.ProjectID, c.ID, minute(70)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Uptime.LapseSites(t.Context(), minute(30), 10); err != nil {
			t.Fatal(err)
		}
		d.wantSent("the window ends", minute(60))
		pause(70, true)
		d.SweepAll(minute(70), 10)
		d.checks(71, d.FindSite(a), true)
		d.checks(71, d.FindSite(known), true)
		d.checks(71, d.FindSite(b), false)
		d.checks(71, d.FindSite(unchecked), false)
		d.PingAt(minute(71), c)
		d.wantSent("after the pause", minute(72), "Known up", "B down", "Unchecked down")
		d.fails(minute(73), c)
		d.checks(73, d.FindSite(unchecked), true)
		d.wantSent("as usual", minute(74), d.named(c)+" check_in_failed", "Unchecked up")
	})
}
