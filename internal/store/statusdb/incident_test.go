package statusdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

func TestAnIncidentByPeople(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		shop, backup := d.Site(d.ProjectID), d.CheckIn(d.ProjectID, storetest.Hourly("backup"))
		page := d.PageOf(shop, backup)
		woken, stop := s.Sleep(statusdb.StatusChanged)
		defer stop()
		revision := d.Revision(page)
		changes := func(what string, err error) {
			t.Helper()
			if now := d.Revision(page); err != nil || now <= revision {
				t.Errorf("%s: %v, revision %d after %d", what, err, now, revision)
			}
			select {
			case <-woken:
			default:
				t.Errorf("%s wakes no sleeper", what)
			}
			revision = d.Revision(page)
		}
		made, err := s.Status.CreateIncident(ctx, storetest.Clock(1), d.AccountID, page.ID, status.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("We look."), SiteIDs: sett.Some([]string{shop.ID.String()}), CheckInIDs: sett.Some([]string{backup.ID}),
		})
		changes("create", err)
		d.WantAnnounced("made", page, "Slow: investigating, by people, about [0 1]", "  12:01 investigating: We look.")
		if got, err := s.Status.IncidentByID(ctx, d.AccountID, page.ID, made.ID); err != nil || !cmp.Equal(got.StatusIncident, made.StatusIncident) {
			t.Errorf("found: %v\n%s", err, cmp.Diff(made.StatusIncident, got.StatusIncident))
		}
		err = s.Status.UpdateIncident(ctx, storetest.Clock(2), d.AccountID, page.ID, made.ID, status.IncidentChange{Name: sett.Some("Very slow"), SiteIDs: sett.Some([]string{})})
		changes("update", err)
		u, err := s.Status.AddIncidentUpdate(ctx, storetest.Clock(3), d.AccountID, page.ID, made.ID, status.IncidentUpdateChange{Status: sett.Some("resolved"), Message: sett.Some("Done.")})
		changes("resolve", err)
		d.WantAnnounced("resolved", page, "Very slow: resolved, by people, over, about [1]", "  12:03 resolved: Done.", "  12:01 investigating: We look.")
		if n := len(d.IncidentsOf(page, statusdb.OpenIncident)); n != 0 || len(d.IncidentsOf(page, statusdb.PastIncident)) != 1 {
			t.Errorf("%d are open", n)
		}
		_, err = s.Status.AddIncidentUpdate(ctx, storetest.Clock(4), d.AccountID, page.ID, made.ID, status.IncidentUpdateChange{Status: sett.Some("monitoring"), Message: sett.Some("Or not.")})
		changes("reopen", err)
		if n := len(d.IncidentsOf(page, statusdb.OpenIncident)); n != 1 || len(d.IncidentsOf(page, statusdb.PastIncident)) != 0 {
			t.Errorf("%d are open", n)
		}
		changes("reword", s.Status.ChangeIncidentUpdate(ctx, storetest.Clock(5), d.AccountID, page.ID, made.ID, u.ID, status.IncidentUpdateChange{Message: sett.Some("Nearly.")}))
		d.WantAnnounced("reopened", page, "Very slow: monitoring, by people, about [1]", "  12:04 monitoring: Or not.", "  12:03 resolved: Nearly.", "  12:01 investigating: We look.")
		changes("take back", s.Status.DeleteIncidentUpdate(ctx, storetest.Clock(6), d.AccountID, page.ID, made.ID, u.ID))
		d.WantAnnounced("taken back", page, "Very slow: monitoring, by people, about [1]", "  12:04 monitoring: Or not.", "  12:01 investigating: We look.")
		for what, err := range map[string]error{
			"update": s.Status.DeleteIncidentUpdate(ctx, storetest.Clock(6), d.AccountID, page.ID, made.ID, u.ID),
			"change": s.Status.ChangeIncidentUpdate(ctx, storetest.Clock(6), d.AccountID, page.ID, made.ID, u.ID, status.IncidentUpdateChange{Message: sett.Some("x")}),
			"page":   s.Status.DeleteIncident(ctx, storetest.Clock(6), d.AccountID, "nowhere", made.ID),
			"owner":  s.Status.DeleteIncident(ctx, storetest.Clock(6), "no-account", page.ID, made.ID),
			"other":  s.Status.DeleteIncident(ctx, storetest.Clock(6), d.AccountID, d.PageOf().ID, made.ID),
		} {
			if sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s that is not there: %v", what, err)
			}
		}
		changes("delete", s.Status.DeleteIncident(ctx, storetest.Clock(7), d.AccountID, page.ID, made.ID))
		d.WantAnnounced("deleted", page)
	})
}

func TestMaintenanceBeginsAndEnds(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.Live(storetest.Noon, checks.Virginia)
		shop := d.Site(d.ProjectID, storetest.Named("Shop"))
		page := d.PageOf(shop)
		_, err := s.Status.CreateIncident(ctx, storetest.Clock(0), d.AccountID, page.ID, status.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("Planned."), SiteIDs: sett.Some([]string{shop.ID.String()}),
			StartsAt: sett.Some(storetest.Clock(10).Format(time.RFC3339)), EndsAt: sett.Some(storetest.Clock(20).Format(time.RFC3339)),
		})
		if err != nil {
			t.Fatal(err)
		}
		move := func(at time.Time) {
			t.Helper()
			if more, err := s.Status.MoveIncidents(ctx, at); more || err != nil {
				t.Fatal(more, err)
			}
		}
		move(storetest.Clock(10).Add(-time.Microsecond))
		d.WantAnnounced("before", page, "New disks: scheduled, by people, about [0]", "  12:00 scheduled: Planned.")
		before := d.Revision(page)
		move(storetest.Clock(10))
		begun := []string{"  12:10 in_progress: The maintenance has started.", "  12:00 scheduled: Planned."}
		d.WantAnnounced("at its time", page, append([]string{"New disks: in_progress, by people, about [0]"}, begun...)...)
		if now := d.Revision(page); now == before {
			t.Error("the maintenance has started, and the page has the same revision")
		}
		before = d.Revision(page)
		move(storetest.Clock(11))
		if now := d.Revision(page); now != before {
			t.Error("nothing has changed, and the page has a new revision")
		}
		d.Turn(12, false, shop)
		d.WantAnnounced("what is being worked on is no outage", page, append([]string{"New disks: in_progress, by people, about [0]"}, begun...)...)
		move(storetest.Clock(20))
		ended := append([]string{"New disks: completed, by people, over, about [0]", "  12:20 completed: Maintenance is complete."}, begun...)
		d.WantAnnounced("it is still down afterwards", page, append([]string{
			"Shop is down: investigating, automatic, about [0]", "  12:20 investigating: Our checks have failed since 12:12 UTC.",
		}, ended...)...)
		found, _, err := s.Status.ListIncidents(ctx, d.AccountID, page.ID, statusdb.IncidentFilter{Page: sett.Page{Size: 9}})
		if err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		inGerman := func(i status.StatusIncident) string {
			text := i.In(locale.German).Name
			for _, u := range i.In(locale.German).Updates {
				text += "|" + u.Message
			}
			return text
		}
		if got := inGerman(found[0].StatusIncident); got != "Shop ist ausgefallen|Unsere Prüfungen schlagen seit 12:12 UTC fehl." {
			t.Error(got)
		}
		if got := inGerman(found[1].StatusIncident); got != "New disks|Die Wartung ist abgeschlossen.|Die Wartung hat begonnen.|Planned." {
			t.Error(got)
		}
	})
}

// A maintenance that people move is left to them until the clock has something to do again.
func TestMaintenanceThatPeopleMove(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.PageOf()
		made, err := s.Status.CreateIncident(ctx, storetest.Clock(0), d.AccountID, page.ID, status.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("Planned."),
			StartsAt: sett.Some(storetest.Clock(10).Format(time.RFC3339)), EndsAt: sett.Some(storetest.Clock(20).Format(time.RFC3339)),
		})
		if err != nil {
			t.Fatal(err)
		}
		say := func(m int, next, message string) error {
			_, err := s.Status.AddIncidentUpdate(ctx, storetest.Clock(m), d.AccountID, page.ID, made.ID, status.IncidentUpdateChange{Status: sett.Some(next), Message: sett.Some(message)})
			return err
		}
		move := func(m int) {
			t.Helper()
			if _, err := s.Status.MoveIncidents(ctx, storetest.Clock(m)); err != nil {
				t.Fatal(err)
			}
		}
		if err := say(5, "completed", "Off."); err != nil {
			t.Fatal(err)
		}
		move(15)
		off := []string{"  12:05 completed: Off.", "  12:00 scheduled: Planned."}
		d.WantAnnounced("called off", page, append([]string{"New disks: completed, by people, over, about []"}, off...)...)
		if err := say(16, "scheduled", "On again."); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("scheduled for a time that has passed: %v", err)
		}
		if err := say(16, "in_progress", "On again."); err != nil {
			t.Fatal(err)
		}
		move(20)
		d.WantAnnounced("on again", page, append([]string{
			"New disks: completed, by people, over, about []",
			"  12:20 completed: Maintenance is complete.", "  12:16 in_progress: On again.",
		}, off...)...)
		if err := say(21, "in_progress", "Not yet."); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("in progress beyond its end: %v", err)
		}
	})
}

// Maintenance that is over when it is created keeps the times that it is created with, and subscribers get no notices of it.
func TestMaintenanceThatIsOver(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.PageOf()
		d.Subscriber(storetest.Clock(-600), page, "ann@example.test")
		made, err := s.Status.CreateIncident(ctx, storetest.Clock(0), d.AccountID, page.ID, status.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("They are in."),
			StartsAt: sett.Some(storetest.Clock(-120).Format(time.RFC3339)), EndsAt: sett.Some(storetest.Clock(-60).Format(time.RFC3339)),
		})
		if err != nil || !made.ResolvedAt.Equal(storetest.Clock(-60)) {
			t.Fatalf("%+v, %v", made.StatusIncident, err)
		}
		if _, err := s.Status.MoveIncidents(ctx, storetest.Clock(1)); err != nil {
			t.Fatal(err)
		}
		d.WantAnnounced("recorded", page, "New disks: completed, by people, over, about []", "  11:00 completed: They are in.")
		again, err := s.Status.IncidentByID(ctx, d.AccountID, page.ID, made.ID)
		if err != nil || !cmp.Equal(again.StatusIncident, made.StatusIncident) {
			t.Errorf("read again: %v\n%s", err, cmp.Diff(made.StatusIncident, again.StatusIncident))
		}
		d.fanOutUpdates(storetest.Clock(2), 100)
		d.WantNumbers("notices of the maintenance", `SELECT count(*) FROM status_notices`, nil, 0)
		if _, err := s.Status.AddIncidentUpdate(ctx, storetest.Clock(3), d.AccountID, page.ID, made.ID, status.IncidentUpdateChange{Message: sett.Some("All of them.")}); err != nil {
			t.Fatal(err)
		}
		d.fanOutUpdates(storetest.Clock(4), 100)
		d.WantNumbers("notices of another update", `SELECT count(*) FROM status_notices`, nil, 0)
		d.WantAnnounced("added to", page, "New disks: completed, by people, over, about []", "  12:03 completed: All of them.", "  11:00 completed: They are in.")
	})
}
