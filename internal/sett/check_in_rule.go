package sett

import "time"

// Each rule returns the check-in as it is from then on and what its history tells, in order.

// plainPings is how far apart pings without a payload are at least that the history tells of.
const plainPings = 30 * time.Second

// Ping is the rule for a ping. It is never refused: one that overtook another, or comes after the clock was set back,
// counts as at the time of the newest.
func (c CheckIn) Ping(p Ping) (CheckIn, []CheckInEvent) {
	var events []CheckInEvent
	if p.Payload != nil || c.NotedAt.IsZero() || p.At.Sub(c.NotedAt).Abs() >= plainPings {
		c.NotedAt = p.At
		events = append(events, CheckInEvent{Kind: CheckInReported, At: p.At, Payload: p.Payload, Source: p.Source})
	}
	if p.At.After(c.ReportedAt) {
		c.ReportedAt = p.At
	}
	c.Reported = true
	if c.State == CheckInPaused {
		return c, events
	}
	missing := c.State == CheckInMissing
	s := c.schedule()
	if c = c.expect(s, s.afterPing(c.ReportedAt)); missing {
		events = append(events, CheckInEvent{Kind: CheckInRecovered, At: p.At, Facts: c.facts(time.Time{})})
	}
	return c, events
}

// expect is a check-in that reports and should do so again at slot.
func (c CheckIn) expect(s checkInSchedule, slot time.Time) CheckIn {
	c.State, c.MissedCount, c.ExpectedAt, c.DeadlineAt = CheckInReporting, 0, slot, s.deadline(slot)
	return c
}

// Sweep is the rule for time that has passed: a deadline at now or before is missed, forgiven when it was while no
// server was alive, or the end of a pause; and so on until the next lies ahead.
func (c CheckIn) Sweep(now time.Time, blind []BlindWindow) (CheckIn, []CheckInEvent) {
	var events []CheckInEvent
	for !c.DeadlineAt.IsZero() && !c.DeadlineAt.After(now) {
		var e CheckInEvent
		switch {
		case c.State == CheckInPaused:
			c, e = c.resumed(c.DeadlineAt)
		case wasBlind(blind, c.DeadlineAt):
			c, e = c.forgiven(now)
		default:
			c, e = c.missed()
		}
		events = append(events, e)
	}
	return c, events
}

func wasBlind(blind []BlindWindow, at time.Time) bool {
	for _, w := range blind {
		if w.Contains(at) {
			return true
		}
	}
	return false
}

// After so many misses in a row, or a miss so many months after the last ping, nothing more is said.
const (
	mostMisses  = 60
	quietMonths = 6
)

func (c CheckIn) missed() (CheckIn, CheckInEvent) {
	at, due, s := c.DeadlineAt, c.ExpectedAt, c.schedule()
	c.State = CheckInMissing
	c.MissedCount++
	c.ExpectedAt = s.after(c.ExpectedAt)
	c.DeadlineAt = s.deadline(c.ExpectedAt)
	if c.MissedCount >= mostMisses || at.After(c.ReportedAt.UTC().AddDate(0, quietMonths, 0)) {
		c.DeadlineAt = time.Time{}
	}
	return c, CheckInEvent{Kind: CheckInMissed, At: at, Facts: c.facts(due)}
}

func (c CheckIn) forgiven(now time.Time) (CheckIn, CheckInEvent) {
	s := c.schedule()
	c.ExpectedAt = s.afterBlind(now)
	c.DeadlineAt = s.deadline(c.ExpectedAt)
	return c, CheckInEvent{Kind: CheckInForgiven, At: now}
}

// SetBack is the rule for a clock that was far ahead and was set back: what was noted by it counts as now, and a deadline
// that lies later than any can begins anew.
func (c CheckIn) SetBack(now time.Time) (CheckIn, []CheckInEvent) {
	s := c.schedule()
	if farAhead(c.ReportedAt, now) {
		c.ReportedAt, c.NotedAt = now, now
	}
	latest := s.deadline(s.afterPing(LatestClock(now)))
	if c.State == CheckInPaused || latest.IsZero() || !c.DeadlineAt.After(latest) {
		return c, nil
	}
	c.ExpectedAt = s.after(now)
	c.DeadlineAt = s.deadline(c.ExpectedAt)
	return c, []CheckInEvent{{Kind: CheckInForgiven, At: now}}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Edit is the rule for new settings. With another schedule it waits for a ping again; another grace period moves the
// deadline that runs.
func (c CheckIn) Edit(s CheckInSettings, now time.Time) (CheckIn, []CheckInEvent) {
	before := c.CheckInSettings
	if s == before {
		return c, nil
	}
	c.CheckInSettings, c.UpdatedAt = s, now
	switch {
	case s.ReportPeriod != before.ReportPeriod || s.CronSchedule != before.CronSchedule || s.CronTimezone != before.CronTimezone:
		c.State, c.Reported, c.MissedCount = CheckInPending, false, 0
		c.ExpectedAt, c.DeadlineAt = time.Time{}, time.Time{}
	case s.GracePeriod == before.GracePeriod:
		return c, nil
	case !c.DeadlineAt.IsZero() && !c.ExpectedAt.IsZero(): // in a pause nothing is expected
		c.DeadlineAt = s.schedule().deadline(c.ExpectedAt)
	}
	return c, []CheckInEvent{{Kind: CheckInChanged, At: now}}
}

// Pause is the rule for a pause: nothing is expected until it ends.
func (c CheckIn) Pause(now, until time.Time) (CheckIn, []CheckInEvent) {
	c.State, c.ExpectedAt, c.DeadlineAt = CheckInPaused, time.Time{}, until
	return c, []CheckInEvent{{Kind: CheckInPausing, At: now}}
}

// Unpause is the rule for ending a pause before its time.
func (c CheckIn) Unpause(now time.Time) (CheckIn, []CheckInEvent) {
	if c.State != CheckInPaused {
		return c, nil
	}
	c, e := c.resumed(now)
	return c, []CheckInEvent{e}
}

// resumed counts from the end of the pause as if there was a ping then.
func (c CheckIn) resumed(at time.Time) (CheckIn, CheckInEvent) {
	e := CheckInEvent{Kind: CheckInResumed, At: at}
	if !c.Reported {
		c.State, c.ExpectedAt, c.DeadlineAt = CheckInPending, time.Time{}, time.Time{}
		return c, e
	}
	s := c.schedule()
	return c.expect(s, s.after(at)), e
}
