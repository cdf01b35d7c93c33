package uptimedb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// checkInNow returns a check-in as it is stored.
func (d *desk) checkInNow(c checks.CheckIn) checks.CheckIn {
	d.T.Helper()
	c, err := d.Uptime.CheckInByID(d.T.Context(), c.ProjectID, c.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	return c
}

// checkInHistory lists what happened to a check-in, the oldest first, such as "missing 12:05:00".
func (d *desk) checkInHistory(c checks.CheckIn) (lines []string) {
	d.T.Helper()
	events, _, err := d.Uptime.ListCheckInEvents(d.T.Context(), c.ProjectID, c.ID, sett.Page{Size: 1000})
	if err != nil {
		d.T.Fatal(err)
	}
	for _, e := range events {
		lines = append([]string{fmt.Sprintf("%s %s", e.Kind, e.At.Format(time.TimeOnly))}, lines...)
	}
	return lines
}

func TestACheckInFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		change := storetest.Hourly("backup")
		change.Name = sett.Some(" Backup ")
		c := d.CheckIn(d.ProjectID, change)
		want := checks.CheckIn{
			ID: c.ID, ProjectID: d.ProjectID, State: sett.CheckInPending, CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon, CheckInSettings: checks.CheckInSettings{
				Name: "Backup", Slug: "backup", ScheduleType: checks.SimpleSchedule, ReportPeriod: "1 hour", GracePeriod: "5 minutes",
			},
		}
		if diff := cmp.Diff(want, c); diff != "" || len(c.ID) != 20 {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, d.checkInNow(c)); diff != "" {
			t.Errorf("found (-want +got):\n%s", diff)
		}
		d.CheckIn(other.ID, change) // the same name and slug in another project

		later := storetest.Noon.Add(time.Minute)
		err := d.Uptime.UpdateCheckIn(t.Context(), later, d.ProjectID, c.ID, checks.CheckInChange{
			Name: sett.Some("B"), Slug: sett.Some("x"), ScheduleType: sett.Some("cron"), GracePeriod: sett.Some[checks.PeriodText](""),
			CronSchedule: sett.Some("* * * * *"),
		})
		if err != nil {
			t.Fatal(err)
		}
		want.Name, want.GracePeriod, want.UpdatedAt = "B", "", later
		if diff := cmp.Diff(want, d.checkInNow(c)); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		if err := d.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, c.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Uptime.CheckInByID(t.Context(), d.ProjectID, c.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("found after it was deleted: %v", err)
		}
	})
}

func TestPingsByIDAndBySlug(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		a, b := d.CheckIn(d.ProjectID, storetest.Hourly("a")), d.CheckIn(d.ProjectID, storetest.Hourly("b"))
		d.CheckIn(d.ProjectID, storetest.Hourly(""))
		at := func(s int) checks.Ping { return checks.Ping{At: storetest.Noon.Add(time.Duration(s) * time.Second)} }
		found, err := d.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{
			{ID: b.ID, Ping: at(3)},
			{ID: "unknown", Ping: at(1)},
			{Key: d.APIKey, Slug: "a", Ping: at(4)},
			{Key: d.APIKey, Slug: "c", Ping: at(5)},
			{Key: d.APIKey, Slug: "", Ping: at(5)},
			{Key: "unknown", Slug: "a", Ping: at(5)},
			{ID: a.ID, Ping: at(40)},
			{ID: a.ID, Ping: at(39)}, // was overtaken
			{ID: a.ID[1:] + "a", Ping: at(40)},
		})
		if diff := cmp.Diff([]bool{true, false, true, false, false, false, true, true, false}, found); diff != "" || err != nil {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		wantA, wantB := a, b
		for i, c := range []*checks.CheckIn{&wantA, &wantB} {
			c.State, c.Reported = sett.CheckInReporting, true
			c.ReportedAt = []time.Time{at(40).At, at(3).At}[i]
			c.ExpectedAt, c.DeadlineAt, c.NotedAt = c.ReportedAt.Add(time.Hour), c.ReportedAt.Add(65*time.Minute), c.ReportedAt
		}
		if diff := cmp.Diff([]checks.CheckIn{wantA, wantB}, []checks.CheckIn{d.checkInNow(a), d.checkInNow(b)}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"reported 12:00:04", "reported 12:00:40"}, d.checkInHistory(a)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

func TestCheckInsThatAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		a := storetest.Hourly("a")
		a.Name = sett.Some("A")
		first, second := d.CheckIn(d.ProjectID, a), d.CheckIn(d.ProjectID, storetest.Hourly("b"))
		d.CheckIn(d.ProjectID, storetest.Hourly("")) // blank names and slugs are not taken
		d.CheckIn(d.ProjectID, storetest.Hourly(""))
		create := func(project int64, change checks.CheckInChange) error {
			_, err := s.Uptime.CreateCheckIn(t.Context(), storetest.Noon, project, change)
			return err
		}
		update := func(project int64, id string, change checks.CheckInChange) error {
			return s.Uptime.UpdateCheckIn(t.Context(), storetest.Noon, project, id, change)
		}
		find := func(project int64, id string) error {
			_, err := s.Uptime.CheckInByID(t.Context(), project, id)
			return err
		}
		rename := checks.CheckInChange{Name: sett.Some("A")}
		const nameTaken = "name has already been taken by another check-in of this project"
		for name, c := range map[string]struct {
			err  error
			says string
		}{
			"name and slug are taken":     {create(d.ProjectID, a), "Please correct: " + nameTaken + "; slug has already been taken by another check-in of this project."},
			"the slug is taken":           {create(d.ProjectID, storetest.Hourly("b")), "Please correct: slug has already been taken by another check-in of this project."},
			"the name of another":         {update(d.ProjectID, second.ID, rename), "Please correct: " + nameTaken + "."},
			"its own name":                {update(d.ProjectID, first.ID, rename), ""},
			"a wrong field":               {create(d.ProjectID, checks.CheckInChange{}), "Please correct: report_period can't be blank."},
			"a project that is not there": {create(999, storetest.Hourly("a")), "Project not found"},
			"find another project's":      {find(other, first.ID), "Check-in not found"},
			"update another project's":    {update(other, first.ID, rename), "Check-in not found"},
			"update none":                 {update(d.ProjectID, "unknown", rename), "Check-in not found"},
			"pause another project's":     {s.Uptime.PauseCheckIn(t.Context(), storetest.Noon, other, first.ID, storetest.Noon), "Check-in not found"},
			"unpause another project's":   {s.Uptime.UnpauseCheckIn(t.Context(), storetest.Noon, other, first.ID), "Check-in not found"},
			"delete another project's":    {s.Uptime.DeleteCheckIn(t.Context(), other, first.ID), "Check-in not found"},
			"delete none":                 {s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, "unknown"), "Check-in not found"},
		} {
			if c.err == nil && c.says != "" || c.err != nil && c.err.Error() != c.says {
				t.Errorf("%s: %v", name, c.err)
			}
		}
		if got := d.checkInNow(first); !cmp.Equal(got, first) {
			t.Errorf("%+v was changed to %+v", first, got)
		}
	})
}

func TestCheckInsPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		c := d.CheckIn(d.ProjectID, storetest.Hourly("a"))
		want := []string{"a"}
		for _, slug := range []string{"b", "c", "d", "e"} {
			d.CheckIn(d.ProjectID, storetest.Hourly(slug))
			want = append(want, slug)
		}
		d.CheckIn(d.Project("Other").ID, storetest.Hourly("x"))
		slugs := func(p sett.Page) (slugs []string, marks sett.Marks) {
			found, marks, err := s.Uptime.ListCheckIns(t.Context(), d.ProjectID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range found {
				slugs = append(slugs, c.Slug)
			}
			return slugs, marks
		}
		first, marks := slugs(sett.Page{Size: 2})
		second, marks := slugs(sett.Page{Size: 2, Mark: marks.Next})
		third, _ := slugs(sett.Page{Size: 2, Mark: marks.Next})
		back, _ := slugs(sett.Page{Size: 2, Mark: marks.Prev, Back: true})
		if diff := cmp.Diff([][]string{want[:2], want[2:4], want[4:], want[:2]}, [][]string{first, second, third, back}); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}

		exit := 3
		for i := range 5 {
			_, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: c.ID, Ping: checks.Ping{At: storetest.Noon.Add(time.Duration(i) * time.Minute), Payload: &checks.PingPayload{ExitCode: &exit, Stdout: "a\x00"}}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		minutes := func(p sett.Page) (minutes []int, marks sett.Marks) {
			found, marks, err := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID, c.ID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				minutes = append(minutes, e.At.Minute())
				if *e.Payload.ExitCode != 3 || e.Payload.Stdout != "a\x00" {
					t.Errorf("payload %+v", e.Payload)
				}
			}
			return minutes, marks
		}
		newest, marks := minutes(sett.Page{Size: 2})
		older, marks := minutes(sett.Page{Size: 2, Mark: marks.Next})
		oldest, _ := minutes(sett.Page{Size: 2, Mark: marks.Next})
		newer, _ := minutes(sett.Page{Size: 2, Mark: marks.Prev, Back: true})
		if diff := cmp.Diff([][]int{{4, 3}, {2, 1}, {0}, {4, 3}}, [][]int{newest, older, oldest, newer}); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		for _, mark := range []string{"x", "1.2"} {
			_, _, err := s.Uptime.ListCheckIns(t.Context(), d.ProjectID, sett.Page{Size: 2, Mark: mark})
			_, _, failed := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID, c.ID, sett.Page{Size: 2, Mark: mark})
			if sett.CodeOf(err) != sett.Invalid || sett.CodeOf(failed) != sett.Invalid {
				t.Errorf("mark %q: %v, %v", mark, err, failed)
			}
		}
		found, _, err := s.Uptime.ListCheckInEvents(t.Context(), d.ProjectID+1, c.ID, sett.Page{Size: 2})
		if len(found) > 0 || err != nil {
			t.Errorf("history of another project's: %v, %v", found, err)
		}
	})
}

func TestHistoryGoesWithItsCheckIn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		a, b, other := d.CheckIn(d.ProjectID, storetest.Hourly("a")), d.CheckIn(d.ProjectID, storetest.Hourly("b")), d.CheckIn(d.Project("Other").ID, storetest.Hourly("c"))
		d.PingAt(storetest.Noon, a, b, other)
		left := func() (n int) {
			if err := s.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM check_in_events`).Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if err := s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, a.ID); err != nil || left() != 2 {
			t.Errorf("one deleted: %v, %d events are left", err, left())
		}
		if err := s.DeleteProject(t.Context(), d.ProjectID, func() {}); err != nil || left() != 1 {
			t.Errorf("a project deleted: %v, %d events are left", err, left())
		}
		found, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: b.ID, Ping: checks.Ping{At: storetest.Noon}}, {Key: d.APIKey, Slug: "b", Ping: checks.Ping{At: storetest.Noon}}})
		if err != nil || found[0] || found[1] {
			t.Errorf("pings of a deleted project: %v, %v", found, err)
		}
	})
}
