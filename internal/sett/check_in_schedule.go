package sett

import (
	"time"

	"sett/internal/cron"
)

// checkInSchedule is when pings are due, read from the texts of the settings. They were checked before they were stored;
// a text that cannot be read any more – time zones come and go – expects nothing.
type checkInSchedule struct {
	period CheckInPeriod // of simple schedules
	grace  CheckInPeriod
	cron   cron.Schedule
	zone   *time.Location // nil: not a cron schedule
}

func (s CheckInSettings) schedule() (c checkInSchedule) {
	c.grace, _ = ParseCheckInPeriod(s.GracePeriod)
	if s.ScheduleType != CronSchedule {
		c.period, _ = ParseCheckInPeriod(s.ReportPeriod)
		return c
	}
	schedule, err := cron.Parse(s.CronSchedule)
	if err != nil {
		return c
	}
	if c.zone, err = cron.TimeZone(s.CronTimezone); err == nil {
		c.cron = schedule
	}
	return c
}

// after returns the first slot after a time; zero for none.
func (c checkInSchedule) after(t time.Time) time.Time {
	if c.zone != nil {
		return utc(c.cron.Next(t, c.zone))
	}
	if c.period.IsZero() {
		return time.Time{}
	}
	return c.period.Add(t.UTC())
}

// mostEarly is by how much a ping may come before its slot at most.
const mostEarly = time.Minute

// afterPing returns the slot that is expected after a ping. One that comes a little before the slot of a cron schedule
// is the one that was expected there.
func (c checkInSchedule) afterPing(at time.Time) time.Time {
	slot := c.after(at)
	if c.zone == nil || slot.IsZero() {
		return slot
	}
	next := c.after(slot)
	if !next.IsZero() && slot.Sub(at) <= min(mostEarly, next.Sub(slot)/2) {
		return next
	}
	return slot
}

// deadline returns when a slot is missed; zero for none.
func (c checkInSchedule) deadline(slot time.Time) time.Time {
	if slot.IsZero() {
		return slot
	}
	return c.grace.Add(slot)
}

// shortestForgiveness is the time that a job has at least after no server was alive.
const shortestForgiveness = 2 * time.Minute

// afterBlind returns when the ping is expected whose deadline passed while no server was alive: so that the job has that
// time at least from now, and its grace. A slot of a cron schedule that comes soon after that is the same one: missing
// both would be told twice at about the same time.
func (c checkInSchedule) afterBlind(now time.Time) time.Time {
	at := now.UTC().Add(max(0, shortestForgiveness-c.grace.Add(now).Sub(now)))
	if c.zone == nil {
		return at
	}
	slot := utc(c.cron.Next(at.Add(-time.Nanosecond), c.zone)) // at itself, if it is one
	if !slot.IsZero() && slot.Sub(at) <= shortestForgiveness {
		return slot
	}
	return at
}

// utc returns the time in UTC; the zero time stays as it is.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}
