package store

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// pageOf makes a status page that shows sites and check-ins, and opens automatic incidents.
func (d *desk) pageOf(shown ...any) sett.StatusPage {
	d.t.Helper()
	id := sett.NewStatusPageID(rand.Reader)
	d.pageNamed(id, shown...)
	d.run(`UPDATE status_pages SET auto_incidents = true WHERE id = $1`, id)
	return d.findStatusPage(id)
}

func (d *desk) findStatusPage(id string) sett.StatusPage {
	d.t.Helper()
	page, err := d.StatusPageByID(d.t.Context(), d.AccountID, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return page
}

func (d *desk) incidentsOf(page sett.StatusPage, state IncidentState) []ShownIncident {
	d.t.Helper()
	found, _, err := d.ListIncidents(d.t.Context(), d.AccountID, page.ID, IncidentFilter{State: state, Page: sett.Page{Size: 100}})
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// announced is what a page tells, a line for each incident and each of its updates, the newest first.
func (d *desk) announced(page sett.StatusPage) (lines []string) {
	d.t.Helper()
	for _, i := range d.incidentsOf(page, AnyIncident) {
		how := "by people"
		if i.Automatic {
			how = "automatic"
		}
		if !i.ResolvedAt.IsZero() {
			how += ", over"
		}
		var names []string
		for _, id := range i.ComponentIDs {
			for at, c := range page.Components {
				if c.ID == id {
					names = append(names, fmt.Sprint(at))
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, about [%s]", i.Name, i.Status, how, strings.Join(names, " ")))
		for _, u := range i.Updates {
			lines = append(lines, fmt.Sprintf("  %s %s: %s", u.At.Format("15:04"), u.Status, strings.ReplaceAll(u.Message, "\n", " / ")))
		}
	}
	return lines
}

func (d *desk) tells(what string, page sett.StatusPage, want ...string) {
	d.t.Helper()
	if diff := cmp.Diff(want, d.announced(page)); diff != "" {
		d.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// clock is a time of the day on which tests of incidents happen.
func clock(m int) time.Time { return noon.Add(time.Duration(m) * time.Minute) }

// turn has sites found up or down at a minute.
func (d *desk) turn(m int, up bool, sites ...sett.Site) {
	d.t.Helper()
	var reports []sett.CheckReport
	for _, site := range sites {
		reports = append(reports, look(d.findSite(site), sett.Virginia, clock(m), up))
	}
	d.checked(clock(m).Add(time.Second), reports...)
}

func (d *desk) revision(page sett.StatusPage) int64 { return d.findStatusPage(page.ID).Revision }

func TestAnIncidentByPeople(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		shop, backup := d.site(d.ProjectID), d.checkIn(d.ProjectID, hourly("backup"))
		page := d.pageOf(shop, backup)
		woken, stop := s.Sleep(StatusChanged)
		defer stop()
		revision := d.revision(page)
		changes := func(what string, err error) {
			t.Helper()
			if now := d.revision(page); err != nil || now <= revision {
				t.Errorf("%s: %v, revision %d after %d", what, err, now, revision)
			}
			select {
			case <-woken:
			default:
				t.Errorf("%s wakes nobody", what)
			}
			revision = d.revision(page)
		}
		made, err := s.CreateIncident(ctx, clock(1), d.AccountID, page.ID, sett.IncidentChange{
			Name: sett.Some("Slow"), Message: sett.Some("We look."), SiteIDs: sett.Some([]string{shop.ID.String()}), CheckInIDs: sett.Some([]string{backup.ID}),
		})
		changes("create", err)
		d.tells("made", page, "Slow: investigating, by people, about [0 1]", "  12:01 investigating: We look.")
		if got, err := s.IncidentByID(ctx, d.AccountID, page.ID, made.ID); err != nil || !cmp.Equal(got.StatusIncident, made.StatusIncident) {
			t.Errorf("found: %v\n%s", err, cmp.Diff(made.StatusIncident, got.StatusIncident))
		}
		err = s.UpdateIncident(ctx, clock(2), d.AccountID, page.ID, made.ID, sett.IncidentChange{Name: sett.Some("Very slow"), SiteIDs: sett.Some([]string{})})
		changes("update", err)
		u, err := s.AddIncidentUpdate(ctx, clock(3), d.AccountID, page.ID, made.ID, sett.IncidentUpdateChange{Status: sett.Some("resolved"), Message: sett.Some("Done.")})
		changes("resolve", err)
		d.tells("resolved", page, "Very slow: resolved, by people, over, about [1]", "  12:03 resolved: Done.", "  12:01 investigating: We look.")
		if n := len(d.incidentsOf(page, OpenIncident)); n != 0 || len(d.incidentsOf(page, PastIncident)) != 1 {
			t.Errorf("%d are open", n)
		}
		_, err = s.AddIncidentUpdate(ctx, clock(4), d.AccountID, page.ID, made.ID, sett.IncidentUpdateChange{Status: sett.Some("monitoring"), Message: sett.Some("Or not.")})
		changes("reopen", err)
		if n := len(d.incidentsOf(page, OpenIncident)); n != 1 || len(d.incidentsOf(page, PastIncident)) != 0 {
			t.Errorf("%d are open", n)
		}
		changes("reword", s.ChangeIncidentUpdate(ctx, clock(5), d.AccountID, page.ID, made.ID, u.ID, sett.IncidentUpdateChange{Message: sett.Some("Nearly.")}))
		d.tells("reopened", page, "Very slow: monitoring, by people, about [1]", "  12:04 monitoring: Or not.", "  12:03 resolved: Nearly.", "  12:01 investigating: We look.")
		changes("take back", s.DeleteIncidentUpdate(ctx, clock(6), d.AccountID, page.ID, made.ID, u.ID))
		d.tells("taken back", page, "Very slow: monitoring, by people, about [1]", "  12:04 monitoring: Or not.", "  12:01 investigating: We look.")
		for what, err := range map[string]error{
			"update": s.DeleteIncidentUpdate(ctx, clock(6), d.AccountID, page.ID, made.ID, u.ID),
			"change": s.ChangeIncidentUpdate(ctx, clock(6), d.AccountID, page.ID, made.ID, u.ID, sett.IncidentUpdateChange{Message: sett.Some("x")}),
			"page":   s.DeleteIncident(ctx, clock(6), d.AccountID, "nowhere", made.ID),
			"owner":  s.DeleteIncident(ctx, clock(6), "nobody", page.ID, made.ID),
			"other":  s.DeleteIncident(ctx, clock(6), d.AccountID, d.pageOf().ID, made.ID),
		} {
			if sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s that is not there: %v", what, err)
			}
		}
		changes("delete", s.DeleteIncident(ctx, clock(7), d.AccountID, page.ID, made.ID))
		d.tells("deleted", page)
	})
}

func TestMaintenanceBeginsAndEnds(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		d.live(noon, sett.Virginia)
		shop := d.site(d.ProjectID, named("Shop"))
		page := d.pageOf(shop)
		_, err := s.CreateIncident(ctx, clock(0), d.AccountID, page.ID, sett.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("Planned."), SiteIDs: sett.Some([]string{shop.ID.String()}),
			StartsAt: sett.Some(clock(10).Format(time.RFC3339)), EndsAt: sett.Some(clock(20).Format(time.RFC3339)),
		})
		if err != nil {
			t.Fatal(err)
		}
		move := func(at time.Time) {
			t.Helper()
			if more, err := s.MoveIncidents(ctx, at); more || err != nil {
				t.Fatal(more, err)
			}
		}
		move(clock(10).Add(-time.Microsecond))
		d.tells("before", page, "New disks: scheduled, by people, about [0]", "  12:00 scheduled: Planned.")
		before := d.revision(page)
		move(clock(10))
		begun := []string{"  12:10 in_progress: The maintenance has begun.", "  12:00 scheduled: Planned."}
		d.tells("at its time", page, append([]string{"New disks: in_progress, by people, about [0]"}, begun...)...)
		if now := d.revision(page); now == before {
			t.Error("nobody hears that it has begun")
		}
		before = d.revision(page)
		move(clock(11))
		if now := d.revision(page); now != before {
			t.Error("nothing has changed, and everybody is told")
		}
		d.turn(12, false, shop)
		d.tells("what is being worked on is no outage", page, append([]string{"New disks: in_progress, by people, about [0]"}, begun...)...)
		move(clock(20))
		ended := append([]string{"New disks: completed, by people, over, about [0]", "  12:20 completed: The maintenance is completed."}, begun...)
		d.tells("it is still down afterwards", page, append([]string{
			"Shop is down: investigating, automatic, about [0]", "  12:20 investigating: Our checks have failed since 12:12 UTC.",
		}, ended...)...)
	})
}

// A maintenance that people move is left to them until the clock has something to do again.
func TestMaintenanceThatPeopleMove(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.pageOf()
		made, err := s.CreateIncident(ctx, clock(0), d.AccountID, page.ID, sett.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("Planned."),
			StartsAt: sett.Some(clock(10).Format(time.RFC3339)), EndsAt: sett.Some(clock(20).Format(time.RFC3339)),
		})
		if err != nil {
			t.Fatal(err)
		}
		say := func(m int, status, message string) error {
			_, err := s.AddIncidentUpdate(ctx, clock(m), d.AccountID, page.ID, made.ID, sett.IncidentUpdateChange{Status: sett.Some(status), Message: sett.Some(message)})
			return err
		}
		move := func(m int) {
			t.Helper()
			if _, err := s.MoveIncidents(ctx, clock(m)); err != nil {
				t.Fatal(err)
			}
		}
		if err := say(5, "completed", "Off."); err != nil {
			t.Fatal(err)
		}
		move(15)
		off := []string{"  12:05 completed: Off.", "  12:00 scheduled: Planned."}
		d.tells("called off", page, append([]string{"New disks: completed, by people, over, about []"}, off...)...)
		if err := say(16, "scheduled", "On again."); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("scheduled for a time that has passed: %v", err)
		}
		if err := say(16, "in_progress", "On again."); err != nil {
			t.Fatal(err)
		}
		move(20)
		d.tells("on again", page, append([]string{
			"New disks: completed, by people, over, about []",
			"  12:20 completed: The maintenance is completed.", "  12:16 in_progress: On again.",
		}, off...)...)
		if err := say(21, "in_progress", "Not yet."); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("in progress beyond its end: %v", err)
		}
	})
}

// Maintenance that is over when it is entered was as it is entered, and nobody is sent word of it.
func TestMaintenanceThatIsOver(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d, ctx := newDesk(t, s), t.Context()
		page := d.pageOf()
		d.subscriber(clock(-600), page, "ann@example.test")
		made, err := s.CreateIncident(ctx, clock(0), d.AccountID, page.ID, sett.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("New disks"), Message: sett.Some("They are in."),
			StartsAt: sett.Some(clock(-120).Format(time.RFC3339)), EndsAt: sett.Some(clock(-60).Format(time.RFC3339)),
		})
		if err != nil || !made.ResolvedAt.Equal(clock(-60)) {
			t.Fatalf("%+v, %v", made.StatusIncident, err)
		}
		if _, err := s.MoveIncidents(ctx, clock(1)); err != nil {
			t.Fatal(err)
		}
		d.tells("recorded", page, "New disks: completed, by people, over, about []", "  11:00 completed: They are in.")
		again, err := s.IncidentByID(ctx, d.AccountID, page.ID, made.ID)
		if err != nil || !cmp.Equal(again.StatusIncident, made.StatusIncident) {
			t.Errorf("read again: %v\n%s", err, cmp.Diff(made.StatusIncident, again.StatusIncident))
		}
		d.spreadUpdates(clock(2), 100)
		d.wantNumbers("to be told", `SELECT count(*) FROM status_notices`, nil, 0)
		if _, err := s.AddIncidentUpdate(ctx, clock(3), d.AccountID, page.ID, made.ID, sett.IncidentUpdateChange{Message: sett.Some("All of them.")}); err != nil {
			t.Fatal(err)
		}
		d.spreadUpdates(clock(4), 100)
		d.wantNumbers("to be told of an addition", `SELECT count(*) FROM status_notices`, nil, 0)
		d.tells("added to", page, "New disks: completed, by people, over, about []", "  12:03 completed: All of them.", "  11:00 completed: They are in.")
	})
}
