package checks

import (
	"strings"
	"time"

	"sett/internal/base/cron"
	"sett/internal/sett/alerts"
)

// The values of a reminder interval that are no periods.
const (
	RemindAlways = "always" // of each miss and failure
	RemindNever  = "never"
)

// defaultReminder is how long a problem lasts until its first reminder, if the check-in does not say.
const defaultReminder = time.Hour

// longestReminder is the longest time between reminders, unless the first one comes later.
const longestReminder = 7 * 24 * time.Hour

// reminders says when the receivers of an alert about a problem that lasts are notified again.
type reminders struct {
	every time.Duration // until the first; 0: with each miss and failure
	never bool
}

func (s CheckInSettings) reminders() reminders {
	switch strings.TrimSpace(s.ReminderInterval) {
	case RemindAlways:
		return reminders{}
	case RemindNever:
		return reminders{never: true}
	}
	period, err := cron.ParsePeriod(s.ReminderInterval)
	if err != nil || period.IsZero() {
		return reminders{every: defaultReminder}
	}
	epoch := time.Unix(0, 0).UTC()
	return reminders{every: period.Add(epoch).Sub(epoch)}
}

// first returns when receivers are notified again of a problem that began at a time; zero for never.
func (r reminders) first(at time.Time) time.Time { return r.next(at, at) }

// next returns when receivers who are notified now of a problem that began earlier are notified again: each interval is as long as the
// problem has lasted, so that it doubles.
func (r reminders) next(began, now time.Time) time.Time {
	switch {
	case r.never:
		return time.Time{}
	case r.every == 0:
		return now
	}
	return now.Add(max(r.every, min(now.Sub(began), longestReminder)))
}

// due reports whether what happens now is a reminder.
func (c CheckIn) due(now time.Time) bool { return !c.RemindAt.IsZero() && !now.Before(c.RemindAt) }

// notify decides whether receivers are notified of a miss or failure, and returns the facts for them, or nil. They are if it is not what
// they know, and then if a reminder is due.
func (c CheckIn) notify(at time.Time, anew bool) (CheckIn, *alerts.CheckInFacts) {
	known := !c.TroubleAt.IsZero()
	if !anew && !c.due(at) {
		return c, nil
	}
	if anew {
		c.TroubleAt = at
	}
	c.RemindAt = c.reminders().next(c.TroubleAt, at)
	facts := c.facts()
	facts.Again = known
	return c, facts
}

// reminded is the rule for the time of a reminder of a check-in whose misses are not counted any more.
func (c CheckIn) reminded() (CheckIn, CheckInEvent) {
	at := c.DeadlineAt
	c, facts := c.notify(at, false)
	c.DeadlineAt = c.nextReminder(at)
	return c, CheckInEvent{Kind: CheckInReminded, At: at, Facts: facts}
}

// nextReminder returns the time of the next reminder that no miss sends; zero for none.
func (c CheckIn) nextReminder(after time.Time) time.Time {
	if c.abandoned(after) || !c.RemindAt.After(after) {
		return time.Time{}
	}
	return c.RemindAt
}

// rearmed is the rule for another interval: of a problem that lasts, it counts from now.
func (c CheckIn) rearmed(now time.Time) CheckIn {
	if c.TroubleAt.IsZero() {
		return c
	}
	c.RemindAt = c.reminders().first(now)
	if c.counted() {
		c.DeadlineAt = c.RemindAt
	}
	return c
}
