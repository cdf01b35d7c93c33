package checks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestUpcomingTimes(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 28, 0, 30, 0, 0, time.UTC)
	hour := func(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }
	for name, c := range map[string]struct {
		settings CheckInSettings
		want     []time.Time
	}{
		"cron":   {CheckInSettings{ScheduleType: CronSchedule, CronSchedule: "0 2 * * *", CronTimezone: "Europe/Berlin"}, []time.Time{hour(28, 1), hour(29, 1), hour(30, 0)}},
		"never":  {CheckInSettings{ScheduleType: CronSchedule, CronSchedule: "0 0 30 2 *"}, nil},
		"none":   {CheckInSettings{ScheduleType: SimpleSchedule}, nil},
		"simple": {CheckInSettings{ScheduleType: SimpleSchedule, ReportPeriod: "1 day"}, []time.Time{at.AddDate(0, 0, 1), at.AddDate(0, 0, 2), at.AddDate(0, 0, 3)}},
	} {
		if diff := cmp.Diff(c.want, c.settings.Upcoming(at, 3)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestALateCheckIn(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	c := CheckIn{State: sett.CheckInReporting, ExpectedAt: at}
	if c.Late(at) || !c.Late(at.Add(1)) {
		t.Error("late in time, or in time when late")
	}
	c.State = sett.CheckInPaused
	if c.Late(at.Add(1)) {
		t.Error("late while it is paused")
	}
}

func TestCheckInPause(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for body, want := range map[string]time.Duration{
		`{"time":"hour"}`: time.Hour, `{"time":"day"}`: 24 * time.Hour, `{"time":"week"}`: 7 * 24 * time.Hour,
		`{}`: 0, `{"time":null}`: 0, `{"time":"year"}`: 0, `{"time":1}`: 0, `{"time":""}`: 0,
	} {
		var p CheckInPause
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		until, err := p.Until(now)
		if refused := sett.CodeOf(err) == sett.Invalid; refused != (want == 0) || !refused && until.Sub(now) != want {
			t.Errorf("%s: until %v, %v", body, until, err)
		}
	}
}
