package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// hourly is the change that makes a check-in with that slug, which is to report every hour with 5 minutes of grace.
func hourly(slug string) sett.CheckInChange {
	return sett.CheckInChange{
		Slug: sett.Some(slug), ReportPeriod: sett.Some[sett.PeriodText]("1 hour"), GracePeriod: sett.Some[sett.PeriodText]("5 minutes"),
	}
}

func (d *desk) checkIn(project int64, change sett.CheckInChange) sett.CheckIn {
	d.t.Helper()
	c, err := d.CreateCheckIn(d.t.Context(), noon, project, change)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// checkInNow returns a check-in as it is stored.
func (d *desk) checkInNow(c sett.CheckIn) sett.CheckIn {
	d.t.Helper()
	c, err := d.CheckInByID(d.t.Context(), c.ProjectID, c.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// ping reports to check-ins by their ids and fails the test when one is not found.
func (d *desk) ping(at time.Time, checkIns ...sett.CheckIn) {
	d.t.Helper()
	var pings []PingReport
	for _, c := range checkIns {
		pings = append(pings, PingReport{ID: c.ID, Ping: sett.Ping{At: at}})
	}
	found, err := d.RecordPings(d.t.Context(), pings)
	for i := range pings {
		if err != nil || !found[i] {
			d.t.Fatalf("ping %d: %v, %v", i, found, err)
		}
	}
}

// checkInHistory lists what happened to a check-in, the oldest first, such as "missing 12:05:00".
func (d *desk) checkInHistory(c sett.CheckIn) (lines []string) {
	d.t.Helper()
	events, _, err := d.ListCheckInEvents(d.t.Context(), c.ProjectID, c.ID, sett.Page{Size: 1000})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range events {
		lines = append([]string{fmt.Sprintf("%s %s", e.Kind, e.At.Format(time.TimeOnly))}, lines...)
	}
	return lines
}

func TestACheckInFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		other := d.project("Other")
		change := hourly("backup")
		change.Name = sett.Some(" Backup ")
		c := d.checkIn(d.ProjectID, change)
		want := sett.CheckIn{
			ID: c.ID, ProjectID: d.ProjectID, State: sett.CheckInPending, CreatedAt: noon, UpdatedAt: noon, CheckInSettings: sett.CheckInSettings{
				Name: "Backup", Slug: "backup", ScheduleType: sett.SimpleSchedule, ReportPeriod: "1 hour", GracePeriod: "5 minutes",
			},
		}
		if diff := cmp.Diff(want, c); diff != "" || len(c.ID) != 20 {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, d.checkInNow(c)); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		d.checkIn(other.ID, change) // the same name and slug in another project

		later := noon.Add(time.Minute)
		err := d.UpdateCheckIn(t.Context(), later, d.ProjectID, c.ID, sett.CheckInChange{
			Name: sett.Some("B"), Slug: sett.Some("x"), ScheduleType: sett.Some("cron"), GracePeriod: sett.Some[sett.PeriodText](""),
			CronSchedule: sett.Some("* * * * *"),
		})
		if err != nil {
			t.Fatal(err)
		}
		want.Name, want.GracePeriod, want.UpdatedAt = "B", "", later
		if diff := cmp.Diff(want, d.checkInNow(c)); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		if err := d.DeleteCheckIn(t.Context(), d.ProjectID, c.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.CheckInByID(t.Context(), d.ProjectID, c.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("found after it was deleted: %v", err)
		}
	})
}

func TestPingsByIDAndBySlug(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		a, b := d.checkIn(d.ProjectID, hourly("a")), d.checkIn(d.ProjectID, hourly("b"))
		at := func(s int) sett.Ping { return sett.Ping{At: noon.Add(time.Duration(s) * time.Second)} }
		found, err := d.RecordPings(t.Context(), []PingReport{
			{ID: b.ID, Ping: at(3)},
			{ID: "nobody", Ping: at(1)},
			{Key: d.APIKey, Slug: "a", Ping: at(4)},
			{Key: d.APIKey, Slug: "c", Ping: at(5)},
			{Key: d.APIKey, Slug: "", Ping: at(5)},
			{Key: "nobody", Slug: "a", Ping: at(5)},
			{ID: a.ID, Ping: at(40)},
			{ID: a.ID, Ping: at(39)}, // was overtaken
			{ID: a.ID[1:] + "a", Ping: at(40)},
		})
		if diff := cmp.Diff([]bool{true, false, true, false, false, false, true, true, false}, found); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		wantA, wantB := a, b
		for i, c := range []*sett.CheckIn{&wantA, &wantB} {
			c.State, c.Reported = sett.CheckInReporting, true
			c.ReportedAt = []time.Time{at(40).At, at(3).At}[i]
			c.ExpectedAt, c.DeadlineAt, c.NotedAt = c.ReportedAt.Add(time.Hour), c.ReportedAt.Add(65*time.Minute), c.ReportedAt
		}
		if diff := cmp.Diff([]sett.CheckIn{wantA, wantB}, []sett.CheckIn{d.checkInNow(a), d.checkInNow(b)}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"reported 12:00:04", "reported 12:00:40"}, d.checkInHistory(a)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}
