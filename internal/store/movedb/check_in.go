package movedb

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
)

// CheckIn stores a check-in of the source. It is pending until its job reports. One whose slug the project has already is that one, as it is.
func (w *Watching) CheckIn(ctx context.Context, c move.CheckIn) (Applied, error) {
	change := checkInChange(c)
	return w.apply(ctx, thing{
		kind: move.CheckInKind, id: c.ID, record: c,
		check: func() error { _, err := change.Create(); return err },
		found: func(t Tx) (int64, error) {
			return t.s.uptime.In(t.Tx).CheckInNumber(ctx, w.ProjectID, "", change.Slug.Value)
		},
		make: func(t Tx) (int64, error) { return w.makeCheckIn(ctx, t, c, change) },
		change: func(t Tx, projectID int64, id string) error {
			uptime := t.s.uptime.In(t.Tx)
			if err := uptime.ChangeCheckIn(ctx, w.Now, projectID, id, change); err != nil {
				return err
			}
			number, err := uptime.CheckInNumber(ctx, projectID, id, "")
			if err != nil {
				return err
			}
			return uptime.SetAliases(ctx, number, c.Aliases)
		},
		read: func(t Tx, projectID, number int64) (current, error) {
			have, ok, err := t.s.uptime.In(t.Tx).CheckInNumbered(ctx, projectID, number)
			if !ok {
				return current{}, err
			}
			return current{have.ID, have.CheckInSettings}, nil
		},
	})
}

// sameNames is how many check-ins of one name come.
const sameNames = 50

func (w *Watching) makeCheckIn(ctx context.Context, t Tx, c move.CheckIn, change checks.CheckInChange) (number int64, err error) {
	settings, err := change.Create()
	if err != nil {
		return 0, err
	}
	uptime := t.s.uptime.In(t.Tx)
	var made checks.CheckIn
	for n := 1; n <= sameNames; n++ {
		if settings.Name = change.Name.Value; n > 1 && settings.Name != "" {
			settings.Name = move.Text(settings.Name, move.MostName) + fmt.Sprintf(" (%d)", n)
		}
		if made, err = uptime.AddCheckIn(ctx, w.Now, w.ProjectID, settings); sett.CodeOf(err) != sett.Invalid {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	if number, err = uptime.CheckInNumber(ctx, w.ProjectID, made.ID, ""); err != nil {
		return 0, err
	}
	if err := uptime.SetAliases(ctx, number, c.Aliases); err != nil || c.Past.Since.IsZero() {
		return number, err
	}
	return number, uptime.AddCheckInPast(ctx, number, w.past(c.Past))
}

func checkInChange(c move.CheckIn) checks.CheckInChange {
	change := checks.CheckInChange{Name: sett.Some(move.Line(c.Name, move.MostName)), Slug: sett.Some(slugOf(c.Slug)), GracePeriod: sett.Some(period(c.Grace))}
	if c.Cron != "" {
		change.ScheduleType = sett.Some(string(checks.CronSchedule))
		change.CronSchedule, change.CronTimezone = sett.Some(c.Cron), sett.Some(c.Zone)
		return change
	}
	change.ScheduleType, change.ReportPeriod = sett.Some(string(checks.SimpleSchedule)), sett.Some(period(max(c.Every, time.Minute)))
	return change
}

// slugOf makes a slug of what the source has for one.
func slugOf(text string) string {
	foreign := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", r) }
	return move.Text(strings.Join(strings.FieldsFunc(strings.ToLower(text), foreign), "-"), move.MostName)
}

// period writes a time as people set it for a check-in: in whole minutes, at least that long.
func period(d time.Duration) checks.PeriodText {
	n, unit := int64((max(d, 0)+time.Minute-1)/time.Minute), "minute"
	for _, larger := range []struct {
		minutes int64
		unit    string
	}{{24 * 60, "day"}, {60, "hour"}} {
		if n > 0 && n%larger.minutes == 0 {
			n, unit = n/larger.minutes, larger.unit
			break
		}
	}
	if n != 1 {
		unit += "s"
	}
	return checks.PeriodText(fmt.Sprintf("%d %s", n, unit))
}
