package store

import (
	"errors"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
)

// named gives a site a name.
func named(name string) func(*sett.SiteChange) {
	return func(c *sett.SiteChange) { c.Name = sett.Some(name) }
}

func TestAnOutageOpensAnIncident(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.live(noon, sett.Virginia)
		shop, blog := d.site(d.ProjectID, named("Shop")), d.site(d.ProjectID, named("Blog"))
		page, quiet := d.pageOf(shop, blog), d.pageOf(shop)
		d.run(`UPDATE status_pages SET auto_incidents = false WHERE id = $1`, quiet.ID)
		other := d.pageOf(blog)
		before := d.revision(quiet)
		d.turn(1, true, shop, blog)
		d.tells("they are up", page)
		if d.revision(quiet) == before {
			t.Error("the first verdict changes what a page shows")
		}
		d.turn(2, false, shop)
		opened := []string{"  12:02 investigating: Our checks have failed since 12:02 UTC."}
		d.tells("one is down", page, append([]string{"Shop is down: investigating, automatic, about [0]"}, opened...)...)
		d.tells("nobody wants incidents", quiet)
		d.tells("another site", other)
		before = d.revision(page)
		d.turn(3, false, shop)
		if d.revision(page) != before {
			t.Error("a check that changes nothing revises the page")
		}
		d.turn(4, false, blog)
		joined := append([]string{"  12:04 investigating: Blog is down: our checks have failed since 12:04 UTC."}, opened...)
		d.tells("another joins it", page, append([]string{"Shop and Blog are down: investigating, automatic, about [0 1]"}, joined...)...)
		d.turn(5, true, shop)
		left := append([]string{"  12:05 investigating: Shop works again. / Blog is still down."}, joined...)
		d.tells("one is up again", page, append([]string{"Blog is down: investigating, automatic, about [1]"}, left...)...)
		d.turn(40, true, blog)
		d.tells("all are up again", page, append([]string{
			"Blog is down: resolved, automatic, over, about [1]", "  12:40 resolved: Blog works again. / This lasted 38 minutes.",
		}, left...)...)
		d.turn(50, false, shop, blog)
		if got := d.announced(page)[:2]; got[0] != "Shop and Blog are down: investigating, automatic, about [0 1]" ||
			got[1] != "  12:50 investigating: Shop is down: our checks have failed since 12:50 UTC. / Blog is down: our checks have failed since 12:50 UTC." {
			t.Errorf("both at once: %q", got)
		}
	})
}

func TestACheckInThatIsMissingOpensAnIncident(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		change := hourly("backup")
		change.Name = sett.Some("Backup")
		backup := d.checkIn(d.ProjectID, change)
		page := d.pageOf(backup)
		sweep := func(m int) {
			t.Helper()
			if _, _, err := s.SweepCheckIns(ctx, clock(m), 10); err != nil {
				t.Fatal(err)
			}
		}
		before := d.revision(page)
		d.ping(clock(0), backup)
		if d.revision(page) == before {
			t.Error("the first ping changes what the page shows")
		}
		before = d.revision(page)
		d.ping(clock(0), backup)
		if d.revision(page) != before {
			t.Error("a ping that changes nothing revises the page")
		}
		sweep(66)
		opened := []string{"  13:06 investigating: It was to report by 13:05 UTC and has not."}
		d.tells("missing", page, append([]string{"Backup has not reported: investigating, automatic, about [0]"}, opened...)...)
		d.ping(clock(70), backup)
		reported := append([]string{"Backup has not reported: resolved, automatic, over, about [0]", "  13:10 resolved: Backup has reported again. / This lasted 5 minutes."}, opened...)
		d.tells("reported", page, reported...)
		sweep(140)
		if err := s.PauseCheckIn(ctx, clock(141), d.ProjectID, backup.ID, clock(200)); err != nil {
			t.Fatal(err)
		}
		d.tells("paused", page, append([]string{
			"Backup has not reported: resolved, automatic, over, about [0]", "  14:21 resolved: Backup is no longer watched. / This lasted 6 minutes.",
			"  14:20 investigating: It was to report by 14:15 UTC and has not.",
		}, reported...)...)
	})
}

// A page that comes to show a site while that is found down waits for it, and tells of it then.
func TestAPageShowsASiteThatGoesDownMeanwhile(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	first, second := cluster.node(t), cluster.node(t)
	d := newDesk(t, first)
	d.live(noon, sett.Virginia)
	shop := d.site(d.ProjectID, named("Shop"))
	page := d.statusPage("Shop")
	d.turn(1, true, shop)
	done := make(chan error, 1)
	err := first.inTx(t.Context(), "find a site down", func(tx *tx) error {
		if _, err := tx.RecordChecks(t.Context(), clock(1).Add(2*time.Second), []sett.CheckReport{look(shop, sett.Virginia, clock(1).Add(time.Second), false)}); err != nil {
			return err
		}
		go func() {
			shows := sett.StatusPageChange{AutoIncidents: sett.Some(sett.LenientBool(true)), Sites: sett.Some([]sett.StatusSiteChange{{SiteID: sett.Some(shop.ID.String())}})}
			done <- second.UpdateStatusPage(t.Context(), clock(2), d.AccountID, page.ID, sett.StatusPageRules{}, shows)
		}()
		const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
		for d.numbers(waiting, 1)[0] == 0 && len(done) == 0 {
		}
		return nil
	})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	if open := d.incidentsOf(page, OpenIncident); len(open) != 1 || !open[0].Automatic {
		t.Errorf("open: %q", d.announced(page))
	}
}

// What people have told of an earlier outage says nothing of one that lasts, however little is left of its history.
func TestACheckInThatIsMissingForMonths(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		change := hourly("backup")
		change.Name = sett.Some("Backup")
		backup := d.checkIn(d.ProjectID, change)
		page := d.pageOf(backup)
		theirs := sett.IncidentChange{Name: sett.Some("Last year"), Message: sett.Some("Over."), Status: sett.Some("resolved"), CheckInIDs: sett.Some([]string{backup.ID})}
		if _, err := s.CreateIncident(ctx, clock(0), d.AccountID, page.ID, theirs); err != nil {
			t.Fatal(err)
		}
		d.ping(clock(1), backup)
		if _, _, err := s.SweepCheckIns(ctx, clock(70), 10); err != nil {
			t.Fatal(err)
		}
		later := noon.AddDate(0, 4, 0)
		if err := s.PruneCheckIns(ctx, later); err != nil {
			t.Fatal(err)
		}
		open := sett.IncidentChange{Name: sett.Some("Other"), Message: sett.Some("Something else."), Status: sett.Some("resolved")}
		if _, err := s.CreateIncident(ctx, later, d.AccountID, page.ID, open); err != nil { // so that the page is judged
			t.Fatal(err)
		}
		if left := d.checkInHistory(backup); len(left) > 0 {
			t.Errorf("events are left: %q", left)
		}
		if got := d.incidentsOf(page, OpenIncident); len(got) != 1 || !got[0].Automatic {
			t.Errorf("the outage lasts, and this is told: %q", d.announced(page))
		}
	})
}

// What is about to be told of a site is told of what is left when it is no longer watched, or gone.
func TestSitesThatAreNotWatchedAnyMore(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.live(noon, sett.Virginia)
		shop := d.site(d.ProjectID, named("Shop"))
		page := d.pageOf(shop)
		d.turn(1, false, shop)
		active := func(m int, is bool) {
			t.Helper()
			if err := s.UpdateSite(ctx, clock(m), d.ProjectID, shop.ID, sett.SiteChange{Active: sett.Some(is)}); err != nil {
				t.Fatal(err)
			}
		}
		active(2, false)
		first := []string{"Shop is down: resolved, automatic, over, about [0]", "  12:02 resolved: Shop is no longer watched. / This lasted 1 minute.", "  12:01 investigating: Our checks have failed since 12:01 UTC."}
		d.tells("not active", page, first...)
		active(3, true)
		again := "  12:03 investigating: Our checks have failed since 12:01 UTC."
		if got := d.announced(page); got[0] != "Shop is down: investigating, automatic, about [0]" || got[1] != again {
			t.Errorf("active again: %q", got)
		}
		if err := s.DeleteSite(ctx, d.ProjectID, shop.ID); err != nil {
			t.Fatal(err)
		}
		if more, err := s.MoveIncidents(ctx, clock(4)); more || err != nil {
			t.Fatal(more, err)
		}
		if got := d.announced(page); got[0] != "Shop is down: resolved, automatic, over, about []" || got[1] != "  12:04 resolved: Shop is no longer on this page. / This lasted 3 minutes." {
			t.Errorf("deleted: %q", got)
		}
		before := d.revision(page)
		if _, err := s.MoveIncidents(ctx, clock(5)); err != nil || d.revision(page) != before {
			t.Errorf("moved again: %v", err)
		}
	})
}

// An incident that people have written to is theirs, and so is the outage that it tells of.
func TestAnAutomaticIncidentThatPeopleTakeOver(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.live(noon, sett.Virginia)
		shop, blog := d.site(d.ProjectID, named("Shop")), d.site(d.ProjectID, named("Blog"))
		page := d.pageOf(shop, blog)
		d.turn(1, false, shop)
		id := d.incidentsOf(page, OpenIncident)[0].ID
		if err := s.DeleteIncident(ctx, clock(2), d.AccountID, page.ID, id); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("delete what would be back at once: %v", err)
		}
		say := func(m int, status, message string) {
			t.Helper()
			if _, err := s.AddIncidentUpdate(ctx, clock(m), d.AccountID, page.ID, id, sett.IncidentUpdateChange{Status: sett.Some(status), Message: sett.Some(message)}); err != nil {
				t.Fatal(err)
			}
		}
		say(2, "identified", "A disk is full.")
		theirs := []string{"  12:02 identified: A disk is full.", "  12:01 investigating: Our checks have failed since 12:01 UTC."}
		d.turn(3, false, blog)
		blogs := []string{"Blog is down: investigating, automatic, about [1]", "  12:03 investigating: Our checks have failed since 12:03 UTC."}
		d.tells("another site", page, append(append(blogs[:2:2], "Shop is down: identified, by people, about [0]"), theirs...)...)
		say(4, "resolved", "Mended.")
		d.turn(5, true, blog)
		d.tells("they say it is over while checks still fail", page, append([]string{
			"Blog is down: resolved, automatic, over, about [1]", "  12:05 resolved: Blog works again. / This lasted 2 minutes.", blogs[1],
			"Shop is down: resolved, by people, over, about [0]", "  12:04 resolved: Mended.",
		}, theirs...)...)
		d.turn(6, true, shop)
		d.turn(7, false, shop)
		if got := d.announced(page)[0]; got != "Shop is down: investigating, automatic, about [0]" {
			t.Errorf("the next outage: %s", got)
		}
		d.run(`UPDATE status_pages SET auto_incidents = false WHERE id = $1`, page.ID)
		d.turn(8, true, shop)
		if got := d.announced(page)[0]; got != "Shop is down: investigating, by people, about [0]" {
			t.Errorf("once nobody wants automatic incidents any more: %s", got)
		}
	})
}

// Checks cost nothing more for status pages, unless they change what is shown.
func TestStatusPagesCostChecksNothing(t *testing.T) {
	t.Parallel()
	s := countStatements(t)
	d := newDesk(t, s.Store)
	d.live(noon, sett.Virginia)
	shown, hidden := d.site(d.ProjectID), d.site(d.ProjectID)
	page := d.pageOf(shown)
	count := func(m int, up bool, site sett.Site) int64 {
		t.Helper()
		report := look(d.findSite(site), sett.Virginia, clock(m), up)
		d.staysLive(clock(m))
		s.n.Store(0)
		if _, err := s.RecordChecks(t.Context(), clock(m), []sett.CheckReport{report}); err != nil {
			t.Fatal(err)
		}
		return s.n.Load()
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
	ping := func(c sett.CheckIn, m int) int64 {
		s.n.Store(0)
		d.ping(clock(m), c)
		return s.n.Load()
	}
	watched, alone := d.checkIn(d.ProjectID, hourly("watched")), d.checkIn(d.ProjectID, hourly("alone"))
	d.run(`INSERT INTO status_components (page, position, check_in, display_name, description) SELECT $1, 7, number, '', '' FROM check_ins WHERE id = $2`, page.Number, watched.ID)
	first := ping(alone, 1)
	ping(watched, 1)
	if n, other := ping(watched, 2), ping(alone, 2); n != other || other != first {
		t.Errorf("a ping takes %d statements, one of what is shown %d, the first %d", other, n, first)
	}
}

// Nodes that find sites of the same pages up and down at once neither miss one another's outages nor wait in a circle.
func TestOutagesOnSeveralNodes(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	nodes := []*Store{cluster.node(t), cluster.node(t)}
	d := newDesk(t, nodes[0])
	d.live(noon, sett.Virginia)
	var sites [4]sett.Site
	for i := range sites {
		sites[i] = d.site(d.ProjectID)
	}
	pages := []sett.StatusPage{
		d.pageOf(sites[0], sites[2]), d.pageOf(sites[1], sites[2], sites[3]), d.pageOf(sites[3], sites[0], sites[1]),
	}
	d.staysLive(clock(1))
	var done sync.WaitGroup
	for n, node := range nodes {
		own := sites[2*n : 2*n+2]
		done.Go(func() {
			for round := range 31 { // an odd number: all are down in the end
				for _, site := range own {
					at := clock(1).Add(time.Duration(round) * 200 * time.Millisecond)
					report := look(site, sett.Virginia, at, round%2 == 1)
					if _, err := node.RecordChecks(t.Context(), at, []sett.CheckReport{report}); err != nil {
						t.Errorf("node %d: %v", n, err)
					}
				}
			}
		})
	}
	done.Wait()
	for n, page := range pages {
		open := d.incidentsOf(page, OpenIncident)
		if len(open) != 1 || len(open[0].ComponentIDs) != len(page.Components) {
			t.Errorf("page %d: %+v", n, open)
		}
	}
}

// Whoever finds another component of a page down waits for those who are at the page, and then sees what they have left.
func TestOutagesOfOnePageAtTheSameTime(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	first, second := cluster.node(t), cluster.node(t)
	d := newDesk(t, first)
	d.live(noon, sett.Virginia)
	shop, blog := d.site(d.ProjectID, named("Shop")), d.site(d.ProjectID, named("Blog"))
	page := d.pageOf(shop, blog)
	d.turn(1, true, shop, blog)
	done := make(chan error, 1)
	err := first.inTx(t.Context(), "find a site down", func(tx *tx) error {
		if _, err := tx.RecordChecks(t.Context(), clock(1).Add(2*time.Second), []sett.CheckReport{look(shop, sett.Virginia, clock(1).Add(time.Second), false)}); err != nil {
			return err
		}
		go func() {
			_, err := second.RecordChecks(t.Context(), clock(1).Add(2*time.Second), []sett.CheckReport{look(blog, sett.Virginia, clock(1).Add(time.Second), false)})
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
	if open := d.incidentsOf(page, OpenIncident); len(open) != 1 || len(open[0].ComponentIDs) != 2 {
		t.Errorf("open: %q", d.announced(page))
	}
}
