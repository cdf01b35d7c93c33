package uptimedb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

// A site is down, paused, and resumed an hour later: the outage and the public incident end with the pause, nothing begins with the end of the
// pause, and receivers of the outage are notified once the site is up.
func TestAPauseEndsAnOutage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		for _, c := range []struct {
			name, url string
			up        bool
		}{
			{"and is up after it", "", true},
			{"and is down after it", "", false},
			{"and its address was corrected", "https://right.example.org/", true},
		} {
			site := d.Site(d.ProjectID, storetest.Named("Shop"))
			page := d.PageOf(site)
			change := func(m int, change checks.SiteChange) {
				t.Helper()
				if err := s.Uptime.UpdateSite(t.Context(), storetest.Clock(m), d.ProjectID, site.ID, change); err != nil {
					t.Fatal(err)
				}
			}
			d.Turn(1, true, site)
			d.Turn(2, false, site)
			d.Raised()
			change(3, checks.SiteChange{Active: sett.Some(false)})
			over := d.OutagesOf(site)
			if len(over) != 1 || !over[0].UpAt.Equal(storetest.Clock(3)) {
				t.Errorf("%s: in the pause: %+v", c.name, over)
			}
			resolved := []string{"Shop is down: resolved, automatic, over, about [0]", "  12:03 resolved: Shop is no longer watched. / This lasted 1 minute.", "  12:02 investigating: Our checks have failed since 12:02 UTC."}
			d.WantAnnounced(c.name+": in the pause", page, resolved...)
			if c.url != "" {
				change(10, checks.SiteChange{URL: sett.Some(c.url)})
			}
			change(63, checks.SiteChange{Active: sett.Some(true)})
			if got := d.FindSite(site).State; got != sett.SitePending {
				t.Errorf("%s: resumed: %s", c.name, got)
			}
			d.WantAnnounced(c.name+": resumed", page, resolved...)
			d.WantRaised(c.name + ": nothing was seen")
			d.Turn(64, c.up, site)
			raised, outages := d.Raised(), d.OutagesOf(site)
			want, event := 1, alerts.AlertUp
			if !c.up {
				want, event = 2, alerts.AlertDown
			}
			if len(raised) != 1 || raised[0].Event != event || len(outages) != want || raised[0].Facts.Site.Again == c.up {
				t.Errorf("%s: %+v, %+v", c.name, raised, outages)
			}
			if !c.up && !outages[0].DownAt.Equal(storetest.Clock(64)) {
				t.Errorf("%s: down since %v", c.name, outages[0].DownAt)
			}
			days := d.View(storetest.Clock(65), page.ID)[0].Days
			if down := days[len(days)-1].Down; c.up && down != time.Minute {
				t.Errorf("%s: down for %v", c.name, down)
			}
		}
	})
}

// The only location of a site disappears while it is down: it is pending from then on. The incident stays until it is known more.
func TestUncheckedSitesArePending(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site, paused, fresh := d.Site(d.ProjectID, storetest.Named("Shop")), d.Site(d.ProjectID), d.Site(d.ProjectID)
		page := d.PageOf(site)
		d.Turn(1, true, site, paused)
		d.Turn(2, false, site, paused)
		if err := s.Uptime.UpdateSite(t.Context(), storetest.Clock(3), d.ProjectID, paused.ID, checks.SiteChange{Active: sett.Some(false)}); err != nil {
			t.Fatal(err)
		}
		d.Raised()
		opened := []string{"Shop is down: investigating, automatic, about [0]", "  12:02 investigating: Our checks have failed since 12:02 UTC."}
		patience := site.Patience()
		lapse := func(at time.Time, want sett.SiteState) {
			t.Helper()
			if _, err := s.Uptime.LapseSites(t.Context(), at, 10); err != nil {
				t.Fatal(err)
			}
			if got := d.FindSite(site); got.State != want {
				t.Errorf("at %v it is %s, want %s", at, got.State, want)
			}
		}
		lapse(storetest.Clock(2).Add(patience), sett.SiteDown)
		lapse(storetest.Clock(2).Add(patience+time.Second), sett.SitePending)
		if got := d.OutagesOf(site); len(got) != 1 || !got[0].UpAt.Equal(storetest.Clock(2).Add(patience)) {
			t.Errorf("the outage: %+v", got)
		}
		if a, b := d.FindSite(paused).State, d.FindSite(fresh).State; a != sett.SiteDown || b != sett.SitePending {
			t.Errorf("a paused site is %s, a new one is %s", a, b)
		}
		d.WantAnnounced("unchecked", page, opened...)
		d.Turn(60, false, site)
		d.WantAnnounced("it is still down", page, opened...)
		d.WantRaised("no notification again")
		d.Turn(61, true, site)
		if got := d.Raised(); len(got) != 1 || got[0].Event != alerts.AlertUp {
			t.Errorf("up: %+v", got)
		}
		if got := d.Announced(page)[0]; got != "Shop is down: resolved, automatic, over, about [0]" {
			t.Errorf("up: %s", got)
		}
	})
}

// Before version 85, the outage of a site went on in a pause.
func TestAnUpgradeEndsOutagesOfPausedSites(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		paused, checked := d.Site(d.ProjectID), d.Site(d.ProjectID)
		d.Turn(1, false, paused, checked)
		d.Turn(2, false, paused, checked)
		d.Run(`UPDATE sites SET active = false WHERE uuid = $1`, paused.ID[:])
		d.Run(`ALTER TABLE site_states DROP COLUMN gap`)
		d.Run(`DELETE FROM goose_db_version WHERE version_id = 85`)
		if err := s.Apply(t.Context(), 85); err != nil {
			t.Fatal(err)
		}
		if got := d.OutagesOf(paused); len(got) != 1 || !got[0].UpAt.Equal(storetest.Clock(2)) {
			t.Errorf("the paused site: %+v", got)
		}
		if got := d.OutagesOf(checked); len(got) != 1 || !got[0].UpAt.IsZero() {
			t.Errorf("the other: %+v", got)
		}
	})
}

// Users have resolved the incident of an outage. The site is down after a gap too: that outage has an incident of its own.
func TestAnOutageAfterAGapHasAnIncident(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID, storetest.Named("Shop"))
		page := d.PageOf(site)
		d.Turn(1, false, site)
		resolved := status.IncidentUpdateChange{Status: sett.Some("resolved"), Message: sett.Some("Fixed.")}
		id := d.IncidentsOf(page, statusdb.OpenIncident)[0].ID
		if _, err := s.Status.AddIncidentUpdate(t.Context(), storetest.Clock(2), d.AccountID, page.ID, id, resolved); err != nil {
			t.Fatal(err)
		}
		d.Turn(3, false, site)
		if open := d.IncidentsOf(page, statusdb.OpenIncident); len(open) > 0 {
			t.Errorf("the outage that users resolved: %q", d.Announced(page))
		}
		d.Turn(60, false, site)
		if open := d.IncidentsOf(page, statusdb.OpenIncident); len(open) != 1 || !open[0].Automatic {
			t.Errorf("the outage after a gap: %q", d.Announced(page))
		}
	})
}
