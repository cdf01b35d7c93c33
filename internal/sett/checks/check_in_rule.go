package checks

import (
	"time"

	"sett/internal/base/cron"
	"sett/internal/sett"
	"sett/internal/sett/run"
)

// Each rule returns the new state of the check-in and the events for its history, in order.

// plainPings is the least time between pings without a payload in the history.
const plainPings = 30 * time.Second

// Ping is the rule for a ping. It is never refused. One that was overtaken by another, or comes after the clock was set back, is noted;
// of a job that is missing, it counts as at the time of the newest.
func (c CheckIn) Ping(p Ping) (CheckIn, []CheckInEvent) {
	if p.Run.Started {
		return c.start(p), nil
	}
	c.Run = c.Run.End(p.Run)
	c, events := c.noted(p)
	if p.At.Before(c.ReportedAt) && (c.State != sett.CheckInMissing || p.Payload.Failed()) {
		return c, events // the newest ping says how the job does
	}
	c.ReportedAt, c.Reported, c.MissedCount = later(c.ReportedAt, p.At), true, 0
	paused := c.State == sett.CheckInPaused
	if !paused {
		s := c.schedule()
		c = c.expect(s, s.afterPing(c.ReportedAt))
	}
	switch {
	case !p.Payload.Failed():
		return c.succeeded(p.At, events)
	case paused:
		return c, events
	}
	return c.failed(p, events)
}

// noted adds a ping to the history, unless it says no more than another one just before.
func (c CheckIn) noted(p Ping) (CheckIn, []CheckInEvent) {
	if p.Payload == nil && !c.NotedAt.IsZero() && p.At.Sub(c.NotedAt).Abs() < plainPings {
		return c, nil
	}
	c.NotedAt = p.At
	return c, []CheckInEvent{{Kind: CheckInReported, At: p.At, Payload: p.Payload, Source: p.Source}}
}

// expect is a check-in that should report at slot.
func (c CheckIn) expect(s checkInSchedule, slot time.Time) CheckIn {
	c.ExpectedAt, c.DeadlineAt = slot, s.deadline(slot)
	return c
}

// succeeded ends a problem, also one from before a pause.
func (c CheckIn) succeeded(at time.Time, events []CheckInEvent) (CheckIn, []CheckInEvent) {
	if c.State != sett.CheckInPaused {
		c.State = sett.CheckInReporting
	}
	if c.TroubleAt.IsZero() {
		return c, events
	}
	c.TroubleAt, c.RemindAt = time.Time{}, time.Time{}
	return c, append(events, CheckInEvent{Kind: CheckInRecovered, At: at, Facts: c.facts()})
}

// failed is the rule for a job that says that it failed. The event that says so is the first one.
func (c CheckIn) failed(p Ping, events []CheckInEvent) (CheckIn, []CheckInEvent) {
	anew := c.State != sett.CheckInFailing
	c.State = sett.CheckInFailing
	c, facts := c.notify(p.At, anew)
	if facts != nil {
		facts.Reason = p.Payload.Failure()
		events[0].Facts = facts
	}
	return c, events
}

// Sweep is the rule for time that has passed: a deadline at now or before is missed, forgiven when it was while no
// server was alive, the end of a pause, or a reminder; and so on until the next lies ahead. That of a run is one too.
func (c CheckIn) Sweep(now time.Time, blind []BlindWindow) (CheckIn, []CheckInEvent) {
	var events []CheckInEvent
	for passed(c.DeadlineAt, now) || passed(c.Run.DeadlineAt, now) {
		var e CheckInEvent
		switch {
		case c.Run.IsOpen() && (c.DeadlineAt.IsZero() || !c.Run.DeadlineAt.After(c.DeadlineAt)):
			c, e = c.overran(now, blind)
		case c.State == sett.CheckInPaused:
			c, e = c.resumed(c.DeadlineAt)
		case c.counted():
			c, e = c.reminded()
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

// After so many misses in a row, no more are counted. So many months after the last ping, nothing more is said.
const (
	mostMisses  = 60
	quietMonths = 6
)

func (c CheckIn) missed() (CheckIn, CheckInEvent) {
	at, due, s, anew := c.DeadlineAt, c.ExpectedAt, c.schedule(), c.State != sett.CheckInMissing
	c.State = sett.CheckInMissing
	c.MissedCount++
	c = c.expect(s, s.after(c.ExpectedAt))
	c, facts := c.notify(at, anew)
	switch {
	case c.abandoned(at):
		c.DeadlineAt = time.Time{}
	case c.counted():
		c.DeadlineAt = c.nextReminder(at)
	}
	if facts != nil {
		facts.DueAt = due.Truncate(time.Microsecond)
	}
	return c, CheckInEvent{Kind: CheckInMissed, At: at, Facts: facts}
}

// counted reports whether no more misses are counted: what follows are reminders.
func (c CheckIn) counted() bool { return c.State == sett.CheckInMissing && c.MissedCount >= mostMisses }

// abandoned reports whether the job has been silent for so long that no more is said.
func (c CheckIn) abandoned(at time.Time) bool {
	return at.After(c.ReportedAt.UTC().AddDate(0, quietMonths, 0))
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
	if farAhead(c.Run.StartedAt, now) {
		c.Run = c.Run.SetBack(now)
	}
	if farAhead(c.TroubleAt, now) {
		c.TroubleAt, c.RemindAt = now, c.reminders().first(now)
	}
	if c.counted() {
		c.DeadlineAt = c.nextReminder(now)
		return c, nil
	}
	latest := s.deadline(s.afterPing(LatestClock(now)))
	if c.State == sett.CheckInPaused || latest.IsZero() || !c.DeadlineAt.After(latest) {
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
	if s.ReminderInterval != before.ReminderInterval {
		c = c.rearmed(now)
	}
	switch {
	case s.ReportPeriod != before.ReportPeriod || s.CronSchedule != before.CronSchedule || s.CronTimezone != before.CronTimezone:
		c.State, c.Reported, c.MissedCount = sett.CheckInPending, false, 0
		c.ExpectedAt, c.DeadlineAt = time.Time{}, time.Time{}
	case s.GracePeriod == before.GracePeriod:
		return c, nil
	case !c.DeadlineAt.IsZero() && !c.ExpectedAt.IsZero() && !c.counted(): // in a pause nothing is expected
		c.DeadlineAt = s.schedule().deadline(c.ExpectedAt)
	}
	return c, []CheckInEvent{{Kind: CheckInChanged, At: now}}
}

// Pause is the rule for a pause: nothing is expected until it ends.
func (c CheckIn) Pause(now, until time.Time) (CheckIn, []CheckInEvent) {
	c.State, c.ExpectedAt, c.DeadlineAt, c.Run.Open = sett.CheckInPaused, time.Time{}, until, run.Open{}
	return c, []CheckInEvent{{Kind: CheckInPausing, At: now}}
}

// Unpause is the rule for ending a pause before its time.
func (c CheckIn) Unpause(now time.Time) (CheckIn, []CheckInEvent) {
	if c.State != sett.CheckInPaused {
		return c, nil
	}
	c, e := c.resumed(now)
	return c, []CheckInEvent{e}
}

// resumed counts from the end of the pause as if there was a ping then. Until one comes, it is not known how the job does. It stays known that
// receivers were notified of a problem before: they wait for a success, and are notified at once if there is a problem now.
func (c CheckIn) resumed(at time.Time) (CheckIn, CheckInEvent) {
	e := CheckInEvent{Kind: CheckInResumed, At: at}
	c.State, c.MissedCount, c.ExpectedAt, c.DeadlineAt = sett.CheckInPending, 0, time.Time{}, time.Time{}
	if c.Reported {
		s := c.schedule()
		c = c.expect(s, s.after(at))
	}
	return c, e
}

// checkInSchedule is when pings are due, read from the texts of the settings. They were checked before they were stored;
// a text that cannot be read any more – time zones come and go – expects nothing.
type checkInSchedule struct {
	period cron.Period // of simple schedules
	grace  cron.Period
	cron   cron.Schedule
	zone   *time.Location // nil: not a cron schedule
}

func (s CheckInSettings) schedule() (c checkInSchedule) {
	c.grace, _ = cron.ParsePeriod(s.GracePeriod)
	if s.ScheduleType != CronSchedule {
		c.period, _ = cron.ParsePeriod(s.ReportPeriod)
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
// both would be reported twice at about the same time.
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

// CheckInTurn is a change of a check-in's state.
type CheckInTurn struct {
	At    time.Time
	State sett.CheckInState // from then on
}

// CheckInTurns returns the changes of state of a check-in by a rule, from the state before and the events in its history.
func CheckInTurns(before sett.CheckInState, after CheckIn, events []CheckInEvent) (turns []CheckInTurn) {
	turn := func(to sett.CheckInState, at time.Time) {
		if to != before {
			turns, before = append(turns, CheckInTurn{at, to}), to
		}
	}
	for _, e := range events {
		switch e.Kind {
		case CheckInMissed:
			turn(sett.CheckInMissing, e.At)
		case CheckInRecovered:
			if after.State != sett.CheckInPaused {
				turn(sett.CheckInReporting, e.At)
			}
		case CheckInPausing:
			turn(sett.CheckInPaused, e.At)
		case CheckInResumed:
			turn(sett.CheckInPending, e.At)
		case CheckInChanged:
			turn(after.State, e.At)
		}
	}
	turn(after.State, after.ReportedAt) // the history omits a first ping soon after another
	return turns
}

// BlindWindow is a time in which no server was alive, or no location checked a site: after From until To. The zero value is none.
type BlindWindow struct{ From, To time.Time }

// IsZero reports whether there is no window.
func (w BlindWindow) IsZero() bool { return w.To.IsZero() }

// Contains reports whether t is in the window.
func (w BlindWindow) Contains(t time.Time) bool { return t.After(w.From) && !t.After(w.To) }

const (
	blindAfter = 30 * time.Second // without a beat; servers beat every 10 s
	clockSkew  = 5 * time.Minute  // by which the clocks of servers may differ
)

// farAhead reports whether a time that was noted as past, by any server, lies further ahead than clocks differ: the clock
// that it is of was wrong, and was set back.
func farAhead(at, now time.Time) bool { return at.After(now.Add(clockSkew)) }

// LatestClock returns what the clocks of other servers show at the most.
func LatestClock(now time.Time) time.Time { return now.Add(clockSkew) }

// ClockWasSetBack reports whether the last beat of any server is that of a clock which was wrong and was set back.
func ClockWasSetBack(last, now time.Time) bool { return farAhead(last, now) }

// Beginning is what a server knows that has just begun; the zero value is one that has beaten before.
type Beginning struct {
	Begins bool
	Beside bool      // another server is known to be alive
	Seen   time.Time // the last beat of any server as it was a moment ago; zero when there can be no other
}

// others reports whether another server is alive: its clock may be behind, so the time itself proves nothing.
func (b Beginning) others(last time.Time) bool {
	return b.Begins && (b.Beside || !b.Seen.IsZero() && !b.Seen.Equal(last))
}

// Beat is the rule for the beat of a server that is alive now: it returns what the last beat of any server is from now
// on, and the time in which there was none. A server that begins and sees no others takes any time since the last beat
// for one without a server. A last beat that is far ahead is that of a clock which was set back.
func Beat(last, now time.Time, b Beginning) (next time.Time, blind BlindWindow) {
	switch {
	case last.IsZero() || ClockWasSetBack(last, now):
		return now, BlindWindow{}
	case b.others(last):
		return later(last, now), BlindWindow{}
	case now.After(last.Add(blindAfter)), b.Begins && now.After(last):
		return now, BlindWindow{last, now}
	case last.After(now):
		return last, BlindWindow{}
	}
	return now, BlindWindow{}
}
