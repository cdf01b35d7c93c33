package uptimedb_test

import (
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

func (d *desk) feed(l checks.Location, revision int64) uptimedb.SiteFeed {
	d.T.Helper()
	f, err := d.Uptime.SitesSince(d.T.Context(), l, revision)
	if err != nil {
		d.T.Fatal(err)
	}
	return f
}

// feedIDs are what a feed says, in short.
type feedIDs struct {
	Sites, Gone []sett.UUID
	Revision    int64
	Whole       bool
}

func idsOf(f uptimedb.SiteFeed) (ids feedIDs) {
	ids = feedIDs{Gone: f.Gone, Revision: f.Revision, Whole: f.Whole}
	for _, site := range f.Sites {
		ids.Sites = append(ids.Sites, site.ID)
	}
	return ids
}

func TestALocationHearsOfItsSites(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		expect := func(what string, l checks.Location, since int64, want feedIDs) {
			t.Helper()
			if diff := cmp.Diff(want, idsOf(d.feed(l, since))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		update := func(id sett.UUID, change checks.SiteChange) {
			t.Helper()
			if err := s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, id, change); err != nil {
				t.Fatal(err)
			}
		}
		everywhere := d.Site(d.ProjectID).ID
		london := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Locations = sett.Some([]string{"London"}) }).ID
		idle := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Active = sett.Some(false) }).ID

		expect("everything", checks.London, 0, feedIDs{Sites: []sett.UUID{everywhere, london}, Revision: 3, Whole: true})
		expect("everything elsewhere", checks.Oregon, 3, feedIDs{Revision: 3})
		expect("since the first", checks.Oregon, 1, feedIDs{Gone: []sett.UUID{london, idle}, Revision: 3})

		update(idle, checks.SiteChange{Active: sett.Some(true)})
		update(everywhere, checks.SiteChange{Locations: sett.Some([]string{"Oregon"})})
		expect("changes", checks.London, 2, feedIDs{Sites: []sett.UUID{idle}, Gone: []sett.UUID{everywhere}, Revision: 5})
		update(everywhere, checks.SiteChange{Locations: sett.Some([]string{"Oregon"})})
		expect("no change", checks.Oregon, 5, feedIDs{Revision: 5})
		if err := s.Uptime.AskSite(t.Context(), storetest.Noon.Add(time.Minute), d.ProjectID, london); err != nil {
			t.Fatal(err)
		}
		expect("an ask", checks.London, 4, feedIDs{Sites: []sett.UUID{london}, Gone: []sett.UUID{everywhere}, Revision: 6})
		if site := d.feed(checks.London, 5).Sites[0]; !site.AskedAt.Equal(storetest.Noon.Add(time.Minute)) || site.URL == "" || site.TargetRevision != 2 {
			t.Errorf("asked: %+v", site)
		}
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, london); err != nil {
			t.Fatal(err)
		}
		expect("a deletion", checks.London, 5, feedIDs{Gone: []sett.UUID{london}, Revision: 7})
		expect("everything that is left", checks.London, 0, feedIDs{Sites: []sett.UUID{idle}, Revision: 7, Whole: true})
		expect("from a database that was lost", checks.London, 99, feedIDs{Sites: []sett.UUID{idle}, Revision: 7, Whole: true})
	})
}

func TestChangesOfSitesWake(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia, checks.London, checks.Oregon)
		storetest.SubscribeOthers(t, s)
		woken, _ := s.Sleep(uptimedb.SitesChanged)
		var site checks.Site
		expect := func(what string, want bool, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			select {
			case <-woken:
				if !want {
					t.Errorf("%s has woken", what)
				}
			default:
				if want {
					t.Errorf("%s has not woken", what)
				}
			}
		}
		record := func(l checks.Location, up bool) error {
			_, err := s.Uptime.RecordChecks(t.Context(), storetest.Noon, []checks.CheckReport{storetest.Look(site, l, storetest.Noon.Add(-time.Second), up)})
			return err
		}
		site = d.Site(d.ProjectID)
		expect("a new site", true, nil)
		expect("a check", false, record(checks.Virginia, true))
		expect("another", false, record(checks.London, true))
		expect("a failure", true, record(checks.Oregon, false))
		expect("an ask", true, s.Uptime.AskSite(t.Context(), storetest.Noon, d.ProjectID, site.ID))
		expect("a change", true, s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, site.ID, checks.SiteChange{Name: sett.Some("x")}))
		expect("no change", false, s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, site.ID, checks.SiteChange{Name: sett.Some("x")}))
		expect("a deletion", true, s.Uptime.DeleteSite(t.Context(), d.ProjectID, site.ID))
	})
}

func TestTombstonesAreForgotten(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		stays, goes := d.Site(d.ProjectID), d.Site(d.ProjectID)
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, goes.ID); err != nil {
			t.Fatal(err)
		}
		sweep := func(at time.Time) {
			t.Helper()
			if err := s.Uptime.ForgetSites(t.Context(), at); err != nil {
				t.Fatal(err)
			}
		}
		sweep(storetest.Noon)
		sweep(storetest.Noon.Add(uptimedb.TombstoneAge - 1))
		if diff := cmp.Diff(feedIDs{Gone: []sett.UUID{goes.ID}, Revision: 3}, idsOf(d.feed(checks.London, 2))); diff != "" {
			t.Errorf("remembered (-want +got):\n%s", diff)
		}
		sweep(storetest.Noon.Add(uptimedb.TombstoneAge))
		if diff := cmp.Diff(feedIDs{Sites: []sett.UUID{stays.ID}, Revision: 3, Whole: true}, idsOf(d.feed(checks.London, 2))); diff != "" {
			t.Errorf("forgotten (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(feedIDs{Revision: 3}, idsOf(d.feed(checks.London, 3))); diff != "" {
			t.Errorf("nothing was missed (-want +got):\n%s", diff)
		}
	})
}

// What a site has collected goes with it, also where its deletion was cut off, and so does what a project has.
func TestDeletedSitesLeaveNothing(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		other := d.Project("Other").ID
		fill := func(project int64) checks.Site {
			site := d.Site(project)
			d.Checked(storetest.Noon, storetest.Look(site, checks.Virginia, storetest.Noon, false, func(r *checks.CheckReport) {
				r.Result.Certificate = &checks.ProbeCertificate{Fingerprint: "aa", NotAfter: storetest.Noon.Add(time.Hour)}
			}))
			d.Run(`INSERT INTO uptime_days SELECT id, 0, 1, 0, 0, 0, uuid FROM sites WHERE uuid = $1`, site.ID[:])
			d.Run(`INSERT INTO site_gaps (site_id, from_at, to_at) SELECT id, 1, 2 FROM sites WHERE uuid = $1`, site.ID[:])
			d.Run(`INSERT INTO slow_spells (site_id, slow_at, fast_at, created_at, slow_after, took, ending) SELECT id, 1, 2, 1, 800, 0, 'fast' FROM sites WHERE uuid = $1`, site.ID[:])
			return site
		}
		left := func() map[string]int64 {
			rows := map[string]int64{}
			for _, table := range []string{"sites", "site_states", "verdicts", "uptime_checks", "uptime_days", "outages", "slow_spells", "cert_warnings", "site_gaps"} {
				rows[table] = d.Count(`SELECT count(*) FROM `+table+` WHERE 1 IN `, 1)
			}
			return rows
		}
		one := map[string]int64{"sites": 1, "site_states": 1, "verdicts": 1, "uptime_checks": 1, "uptime_days": 1, "outages": 1, "slow_spells": 1, "cert_warnings": 1, "site_gaps": 1}
		fill(other)
		if diff := cmp.Diff(one, left()); diff != "" {
			t.Fatalf("there is (-want +got):\n%s", diff)
		}
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, fill(d.ProjectID).ID); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(one, left()); diff != "" {
			t.Errorf("after a site (-want +got):\n%s", diff)
		}
		cut := fill(d.ProjectID)
		err := s.Uptime.InOwnTx(t.Context(), "bury", func(tx uptimedb.Tx) error {
			have, err := tx.LockSite(t.Context(), d.ProjectID, cut.ID)
			if err != nil {
				return err
			}
			return tx.BurySites(t.Context(), []int64{have.Number}, []sett.UUID{cut.ID})
		})
		if err != nil {
			t.Fatal(err)
		}
		d.Finish()
		if diff := cmp.Diff(one, left()); diff != "" {
			t.Errorf("after a deletion that was cut off (-want +got):\n%s", diff)
		}
		gone := fill(d.ProjectID)
		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		d.Finish()
		if diff := cmp.Diff(one, left()); diff != "" {
			t.Errorf("after a project (-want +got):\n%s", diff)
		}
		if f := d.feed(checks.London, gone.Revision); len(f.Gone) != 1 || f.Gone[0] != gone.ID {
			t.Errorf("locations hear of %v", f.Gone)
		}
	})
}

// Recording checks and deleting their project both lock a site's state first, so that the second waits
// for the first while that still writes about the site.
func TestADeletionWaitsForChecks(t *testing.T) {
	t.Parallel()
	s := storetest.OpenTest(t, db.Options{Database: storetest.FreshPostgres(t)})
	d := newDesk(t, s)
	site := d.Site(d.ProjectID)
	gone := make(chan error, 1)
	err := s.Uptime.InOwnTx(t.Context(), "record", func(recording uptimedb.Tx) error {
		if _, err := recording.LockSite(t.Context(), d.ProjectID, site.ID); err != nil {
			return err
		}
		go func() { gone <- s.DeleteProject(t.Context(), d.ProjectID, func() {}) }()
		for waiting := int64(0); waiting == 0 && len(gone) == 0; { // until it has come as far as it comes
			waiting = d.Numbers(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, 1)[0]
		}
		var free bool
		const isFree = `SELECT count(*) = 1 FROM (SELECT 1 FROM sites WHERE uuid = $1 FOR UPDATE SKIP LOCKED) s`
		if err := recording.QueryRowContext(t.Context(), isFree, site.ID[:]).Scan(&free); err != nil || !free {
			t.Errorf("the deletion holds a site whose checks are recorded: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-gone; err != nil {
		t.Error(err)
	}
}
