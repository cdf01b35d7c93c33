package uptimedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func cronChange(slug, schedule string) checks.CheckInChange {
	return checks.CheckInChange{
		Slug: sett.Some(slug), ScheduleType: sett.Some("cron"), CronSchedule: sett.Some(schedule), CronTimezone: sett.Some("Europe/Berlin"),
		GracePeriod: sett.Some[checks.PeriodText]("2 minutes"),
	}
}

// A job says what its schedule is each time it runs: the first time creates a check-in, and only a change is written later.
func TestPutCheckIn(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		put := func(at time.Time, change checks.CheckInChange) {
			t.Helper()
			if err := d.Uptime.PutCheckIn(t.Context(), at, d.ProjectID, change); err != nil {
				t.Fatal(err)
			}
		}
		d.SyncList(storetest.Noon, func() checks.CheckInChange {
			c := storetest.Hourly("other")
			c.Name = sett.Some("weekly")
			return c
		}())
		put(storetest.Noon, cronChange("nightly", "0 3 * * *"))
		put(storetest.Noon.Add(time.Hour), cronChange("nightly", "0 3 * * *"))
		put(storetest.Noon, cronChange("weekly", "0 3 * * 1")) // whose name is taken
		if diff := cmp.Diff([]string{"other weekly", "nightly nightly", "weekly "}, d.checkInSlugs()); diff != "" {
			t.Errorf("check-ins (-want +got):\n%s", diff)
		}
		find := func() checks.CheckIn {
			t.Helper()
			found, _, err := d.Uptime.ListCheckIns(t.Context(), d.ProjectID, sett.Page{Size: 9})
			if err != nil || len(found) != 3 {
				t.Fatal(found, err)
			}
			return found[1]
		}
		if c := find(); c.CronSchedule != "0 3 * * *" || c.CronTimezone != "Europe/Berlin" || c.GracePeriod != "2 minutes" || !c.UpdatedAt.Equal(storetest.Noon) {
			t.Errorf("the check-in is %+v", c)
		}
		put(storetest.Noon.Add(2*time.Hour), cronChange("nightly", "30 4 * * *"))
		if c := find(); c.CronSchedule != "30 4 * * *" || !c.UpdatedAt.Equal(storetest.Noon.Add(2*time.Hour)) {
			t.Errorf("the changed check-in is %+v", c)
		}
		err := d.Uptime.PutCheckIn(t.Context(), storetest.Noon, d.ProjectID, cronChange("nightly", "every day"))
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a bad schedule: %v", err)
		}
	})
}
