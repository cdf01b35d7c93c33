package uptimedb_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func TestAnOutageOpensAnIncident(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		shop, blog := d.Site(d.ProjectID, storetest.Named("Shop")), d.Site(d.ProjectID, storetest.Named("Blog"))
		page, quiet := d.PageOf(shop, blog), d.PageOf(shop)
		d.Run(`UPDATE status_pages SET auto_incidents = false WHERE id = $1`, quiet.ID)
		other := d.PageOf(blog)
		before := d.Revision(quiet)
		d.Turn(1, true, shop, blog)
		d.WantAnnounced("they are up", page)
		if d.Revision(quiet) == before {
			t.Error("the first verdict changes what a page shows")
		}
		d.Turn(2, false, shop)
		opened := []string{"  12:02 investigating: Our checks have failed since 12:02 UTC."}
		d.WantAnnounced("one is down", page, append([]string{"Shop is down: investigating, automatic, about [0]"}, opened...)...)
		d.WantAnnounced("automatic incidents are off", quiet)
		d.WantAnnounced("another site", other)
		before = d.Revision(page)
		d.Turn(3, false, shop)
		if d.Revision(page) != before {
			t.Error("a check that changes nothing revises the page")
		}
		d.Turn(4, false, blog)
		joined := append([]string{"  12:04 investigating: Blog is down: our checks have failed since 12:04 UTC."}, opened...)
		d.WantAnnounced("another joins it", page, append([]string{"Shop and Blog are down: investigating, automatic, about [0 1]"}, joined...)...)
		d.Turn(5, true, shop)
		left := append([]string{"  12:05 investigating: Shop works again. / Blog is still down."}, joined...)
		d.WantAnnounced("one is up again", page, append([]string{"Blog is down: investigating, automatic, about [1]"}, left...)...)
		d.Turn(40, true, blog)
		d.WantAnnounced("all are up again", page, append([]string{
			"Blog is down: resolved, automatic, over, about [1]", "  12:40 resolved: Blog works again. / This lasted 38 minutes.",
		}, left...)...)
		d.Turn(50, false, shop, blog)
		if got := d.Announced(page)[:2]; got[0] != "Shop and Blog are down: investigating, automatic, about [0 1]" ||
			got[1] != "  12:50 investigating: Shop is down: our checks have failed since 12:50 UTC. / Blog is down: our checks have failed since 12:50 UTC." {
			t.Errorf("both at once: %q", got)
		}
	})
}

func TestACheckInThatIsMissingOpensAnIncident(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		change := storetest.Hourly("backup")
		change.Name = sett.Some("Backup")
		backup := d.CheckIn(d.ProjectID, change)
		page := d.PageOf(backup)
		sweep := func(m int) {
			t.Helper()
			if _, _, err := s.Uptime.SweepCheckIns(ctx, storetest.Clock(m), 10); err != nil {
				t.Fatal(err)
			}
		}
		before := d.Revision(page)
		d.PingAt(storetest.Clock(0), backup)
		if d.Revision(page) == before {
			t.Error("the first ping changes what the page shows")
		}
		before = d.Revision(page)
		d.PingAt(storetest.Clock(0), backup)
		if d.Revision(page) != before {
			t.Error("a ping that changes nothing revises the page")
		}
		sweep(66)
		opened := []string{"  13:06 investigating: It was to report by 13:05 UTC and has not."}
		d.WantAnnounced("missing", page, append([]string{"Backup has not reported: investigating, automatic, about [0]"}, opened...)...)
		d.PingAt(storetest.Clock(70), backup)
		reported := append([]string{"Backup has not reported: resolved, automatic, over, about [0]", "  13:10 resolved: Backup has reported again. / This lasted 5 minutes."}, opened...)
		d.WantAnnounced("reported", page, reported...)
		sweep(140)
		if err := s.Uptime.PauseCheckIn(ctx, storetest.Clock(141), d.ProjectID, backup.ID, storetest.Clock(200)); err != nil {
			t.Fatal(err)
		}
		d.WantAnnounced("paused", page, append([]string{
			"Backup has not reported: resolved, automatic, over, about [0]", "  14:21 resolved: Backup is no longer watched. / This lasted 6 minutes.",
			"  14:20 investigating: It was to report by 14:15 UTC and has not.",
		}, reported...)...)
	})
}

// A page that is changed to show a site while the site goes down waits for that, and then has an incident.
func TestAPageShowsASiteThatGoesDownMeanwhile(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	first, second := cluster.Node(t), cluster.Node(t)
	d := newDesk(t, first)
	d.Live(storetest.Noon, checks.Virginia)
	shop := d.Site(d.ProjectID, storetest.Named("Shop"))
	page := d.StatusPage("Shop")
	d.Turn(1, true, shop)
	done := make(chan error, 1)
	err := first.Uptime.InOwnTx(t.Context(), "find a site down", func(tx uptimedb.Tx) error {
		if _, err := tx.RecordChecks(t.Context(), storetest.Clock(1).Add(2*time.Second), []checks.CheckReport{storetest.Look(shop, checks.Virginia, storetest.Clock(1).Add(time.Second), false)}); err != nil {
			return err
		}
		go func() {
			shows := status.StatusPageChange{AutoIncidents: sett.Some(sett.LenientBool(true)), Sites: sett.Some([]status.StatusSiteChange{{SiteID: sett.Some(shop.ID.String())}})}
			done <- second.Status.UpdateStatusPage(t.Context(), storetest.Clock(2), d.AccountID, page.ID, status.StatusPageRules{}, shows)
		}()
		const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
		for d.Numbers(waiting, 1)[0] == 0 && len(done) == 0 {
		}
		return nil
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if open := d.IncidentsOf(page, statusdb.OpenIncident); len(open) != 1 || !open[0].Automatic {
		t.Errorf("open: %q", d.Announced(page))
	}
}

// An incident of a user about an earlier outage does not concern a current one, even if little of its history is left.
func TestACheckInThatIsMissingForMonths(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		change := storetest.Hourly("backup")
		change.Name = sett.Some("Backup")
		backup := d.CheckIn(d.ProjectID, change)
		page := d.PageOf(backup)
		theirs := status.IncidentChange{Name: sett.Some("Last year"), Message: sett.Some("Over."), Status: sett.Some("resolved"), CheckInIDs: sett.Some([]string{backup.ID})}
		if _, err := s.Status.CreateIncident(ctx, storetest.Clock(0), d.AccountID, page.ID, theirs); err != nil {
			t.Fatal(err)
		}
		d.PingAt(storetest.Clock(1), backup)
		if _, _, err := s.Uptime.SweepCheckIns(ctx, storetest.Clock(70), 10); err != nil {
			t.Fatal(err)
		}
		later := storetest.Noon.AddDate(0, 4, 0)
		if err := s.Uptime.PruneCheckIns(ctx, later); err != nil {
			t.Fatal(err)
		}
		open := status.IncidentChange{Name: sett.Some("Other"), Message: sett.Some("Something else."), Status: sett.Some("resolved")}
		if _, err := s.Status.CreateIncident(ctx, later, d.AccountID, page.ID, open); err != nil { // so that the page is judged
			t.Fatal(err)
		}
		if left := d.checkInHistory(backup); len(left) > 0 {
			t.Errorf("events are left: %q", left)
		}
		if got := d.IncidentsOf(page, statusdb.OpenIncident); len(got) != 1 || !got[0].Automatic {
			t.Errorf("the outage continues, and the page shows: %q", d.Announced(page))
		}
	})
}

// When a site of an incident is no longer watched, or deleted, updates are about the remaining ones.
func TestSitesThatAreNotWatchedAnyMore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.Live(storetest.Noon, checks.Virginia)
		shop := d.Site(d.ProjectID, storetest.Named("Shop"))
		page := d.PageOf(shop)
		d.Turn(1, false, shop)
		active := func(m int, is bool) {
			t.Helper()
			if err := s.Uptime.UpdateSite(ctx, storetest.Clock(m), d.ProjectID, shop.ID, checks.SiteChange{Active: sett.Some(is)}); err != nil {
				t.Fatal(err)
			}
		}
		active(2, false)
		first := []string{"Shop is down: resolved, automatic, over, about [0]", "  12:02 resolved: Shop is no longer watched. / This lasted 1 minute.", "  12:01 investigating: Our checks have failed since 12:01 UTC."}
		d.WantAnnounced("not active", page, first...)
		active(3, true)
		d.WantAnnounced("active again", page, first...)
		d.Turn(4, false, shop)
		again := "  12:04 investigating: Our checks have failed since 12:04 UTC."
		if got := d.Announced(page); got[0] != "Shop is down: investigating, automatic, about [0]" || got[1] != again {
			t.Errorf("checked again: %q", got)
		}
		if err := s.Uptime.DeleteSite(ctx, d.ProjectID, shop.ID); err != nil {
			t.Fatal(err)
		}
		if more, err := s.Status.MoveIncidents(ctx, storetest.Clock(5)); more || err != nil {
			t.Fatal(more, err)
		}
		if got := d.Announced(page); got[0] != "Shop is down: resolved, automatic, over, about []" || got[1] != "  12:05 resolved: Shop is no longer on this page. / This lasted 1 minute." {
			t.Errorf("deleted: %q", got)
		}
		before := d.Revision(page)
		if _, err := s.Status.MoveIncidents(ctx, storetest.Clock(6)); err != nil || d.Revision(page) != before {
			t.Errorf("moved again: %v", err)
		}
	})
}

// An incident with an update by a user is left to users, and so is the outage that it reports.
func TestAnAutomaticIncidentThatPeopleTakeOver(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.Live(storetest.Noon, checks.Virginia)
		shop, blog := d.Site(d.ProjectID, storetest.Named("Shop")), d.Site(d.ProjectID, storetest.Named("Blog"))
		page := d.PageOf(shop, blog)
		d.Turn(1, false, shop)
		id := d.IncidentsOf(page, statusdb.OpenIncident)[0].ID
		if err := s.Status.DeleteIncident(ctx, storetest.Clock(2), d.AccountID, page.ID, id); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("delete what would be back at once: %v", err)
		}
		say := func(m int, next, message string) {
			t.Helper()
			if _, err := s.Status.AddIncidentUpdate(ctx, storetest.Clock(m), d.AccountID, page.ID, id, status.IncidentUpdateChange{Status: sett.Some(next), Message: sett.Some(message)}); err != nil {
				t.Fatal(err)
			}
		}
		say(2, "identified", "A disk is full.")
		theirs := []string{"  12:02 identified: A disk is full.", "  12:01 investigating: Our checks have failed since 12:01 UTC."}
		d.Turn(3, false, blog)
		blogs := []string{"Blog is down: investigating, automatic, about [1]", "  12:03 investigating: Our checks have failed since 12:03 UTC."}
		d.WantAnnounced("another site", page, append(append(blogs[:2:2], "Shop is down: identified, by people, about [0]"), theirs...)...)
		say(4, "resolved", "Fixed.")
		d.Turn(5, true, blog)
		d.WantAnnounced("a user resolves it while checks still fail", page, append([]string{
			"Blog is down: resolved, automatic, over, about [1]", "  12:05 resolved: Blog works again. / This lasted 2 minutes.", blogs[1],
			"Shop is down: resolved, by people, over, about [0]", "  12:04 resolved: Fixed.",
		}, theirs...)...)
		d.Turn(6, true, shop)
		d.Turn(7, false, shop)
		if got := d.Announced(page)[0]; got != "Shop is down: investigating, automatic, about [0]" {
			t.Errorf("the next outage: %s", got)
		}
		d.Run(`UPDATE status_pages SET auto_incidents = false WHERE id = $1`, page.ID)
		d.Turn(8, true, shop)
		if got := d.Announced(page)[0]; got != "Shop is down: investigating, by people, about [0]" {
			t.Errorf("after automatic incidents were switched off: %s", got)
		}
	})
}

// Checks cost nothing more for status pages, unless they change what is shown.
func TestStatusPagesCostChecksNothing(t *testing.T) {
	t.Parallel()
	s := storetest.CountStatements(t)
	d := newDesk(t, s.Store)
	d.Live(storetest.Noon, checks.Virginia)
	shown, hidden := d.Site(d.ProjectID), d.Site(d.ProjectID)
	page := d.PageOf(shown)
	count := func(m int, up bool, site checks.Site) int64 {
		t.Helper()
		report := storetest.Look(d.FindSite(site), checks.Virginia, storetest.Clock(m), up)
		d.StaysLive(storetest.Clock(m))
		s.N.Store(0)
		if _, err := s.Uptime.RecordChecks(t.Context(), storetest.Clock(m), []checks.CheckReport{report}); err != nil {
			t.Fatal(err)
		}
		return s.N.Load()
	}
	count(1, true, hidden)
	count(1, true, shown)
	plain := count(2, true, hidden)
	if n := count(2, true, shown); n != plain {
		t.Errorf("a check of what is shown takes %d statements, another %d", n, plain)
	}
	down := count(3, false, hidden)
	if again := count(4, false, hidden); down-again > 4 { // an outage, an alert, whom to tell of it, and a look for pages
		t.Errorf("a site that goes down takes %d statements, and then %d", down, again)
	}
	ping := func(c checks.CheckIn, m int) int64 {
		s.N.Store(0)
		d.PingAt(storetest.Clock(m), c)
		return s.N.Load()
	}
	watched, alone := d.CheckIn(d.ProjectID, storetest.Hourly("watched")), d.CheckIn(d.ProjectID, storetest.Hourly("alone"))
	d.Run(`INSERT INTO status_components (page, position, check_in, display_name, description) SELECT $1, 7, number, '', '' FROM check_ins WHERE id = $2`, page.Number, watched.ID)
	first := ping(alone, 1)
	ping(watched, 1)
	if n, other := ping(watched, 2), ping(alone, 2); n != other || other != first {
		t.Errorf("a ping takes %d statements, one of what is shown %d, the first %d", other, n, first)
	}
}

// Nodes that find sites of the same pages up and down at once neither miss one another's outages nor wait in a circle.
func TestOutagesOnSeveralNodes(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	nodes := []*store.Store{cluster.Node(t), cluster.Node(t)}
	d := newDesk(t, nodes[0])
	d.Live(storetest.Noon, checks.Virginia)
	var sites [4]checks.Site
	for i := range sites {
		sites[i] = d.Site(d.ProjectID)
	}
	pages := []status.StatusPage{
		d.PageOf(sites[0], sites[2]), d.PageOf(sites[1], sites[2], sites[3]), d.PageOf(sites[3], sites[0], sites[1]),
	}
	d.StaysLive(storetest.Clock(1))
	var done sync.WaitGroup
	for n, node := range nodes {
		own := sites[2*n : 2*n+2]
		done.Go(func() {
			for round := range 31 { // an odd number: all are down in the end
				for _, site := range own {
					at := storetest.Clock(1).Add(time.Duration(round) * 200 * time.Millisecond)
					report := storetest.Look(site, checks.Virginia, at, round%2 == 1)
					if _, err := node.Uptime.RecordChecks(t.Context(), at, []checks.CheckReport{report}); err != nil {
						t.Errorf("node %d: %v", n, err)
					}
				}
			}
		})
	}
	done.Wait()
	for n, page := range pages {
		open := d.IncidentsOf(page, statusdb.OpenIncident)
		if len(open) != 1 || len(open[0].ComponentIDs) != len(page.Components) {
			t.Errorf("page %d: %+v", n, open)
		}
	}
}

// A transaction that finds another component of a page down waits for those that have locked the page, and then sees their changes.
func TestOutagesOfOnePageAtTheSameTime(t *testing.T) {
	t.Parallel()
	cluster := storetest.NewCluster(t)
	first, second := cluster.Node(t), cluster.Node(t)
	d := newDesk(t, first)
	d.Live(storetest.Noon, checks.Virginia)
	shop, blog := d.Site(d.ProjectID, storetest.Named("Shop")), d.Site(d.ProjectID, storetest.Named("Blog"))
	page := d.PageOf(shop, blog)
	d.Turn(1, true, shop, blog)
	done := make(chan error, 1)
	err := first.Uptime.InOwnTx(t.Context(), "find a site down", func(tx uptimedb.Tx) error {
		if _, err := tx.RecordChecks(t.Context(), storetest.Clock(1).Add(2*time.Second), []checks.CheckReport{storetest.Look(shop, checks.Virginia, storetest.Clock(1).Add(time.Second), false)}); err != nil {
			return err
		}
		go func() {
			_, err := second.Uptime.RecordChecks(t.Context(), storetest.Clock(1).Add(2*time.Second), []checks.CheckReport{storetest.Look(blog, checks.Virginia, storetest.Clock(1).Add(time.Second), false)})
			done <- err
		}()
		for waits := 0; waits == 0 && len(done) == 0; {
			if err := first.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waits); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if open := d.IncidentsOf(page, statusdb.OpenIncident); len(open) != 1 || len(open[0].ComponentIDs) != 2 {
		t.Errorf("open: %q", d.Announced(page))
	}
}
