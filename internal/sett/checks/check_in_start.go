package checks

import (
	"time"

	"sett/internal/sett"
	"sett/internal/sett/run"
)

// start is the rule for a job that says that it starts: it came in time, and must end in time. It does not count as reported before that.
// After many misses in a row, runs are not watched either.
func (c CheckIn) start(p Ping) CheckIn {
	if c.State == sett.CheckInPaused || c.MissedCount >= mostMisses {
		return c
	}
	c.Run = c.Run.Start(p.Run, p.At)
	s := c.schedule()
	if slot := s.afterPing(p.At); c.Reported && slot.After(c.ExpectedAt) {
		c.ExpectedAt, c.DeadlineAt = slot, s.deadline(slot)
	}
	return c
}

// overran is the rule for a run that has not ended in time. If no server was alive then, it has a little longer.
func (c CheckIn) overran(now time.Time, blind []BlindWindow) (CheckIn, CheckInEvent) {
	at := c.Run.DeadlineAt
	if wasBlind(blind, at) {
		c.Run = c.Run.Extend(now.Add(shortestForgiveness))
		return c, CheckInEvent{Kind: CheckInForgiven, At: now}
	}
	reason, anew := c.Run.Overdue(), c.State != sett.CheckInMissing
	c.State, c.MissedCount, c.Run.Open = sett.CheckInMissing, c.MissedCount+1, run.Open{}
	c, facts := c.notify(at, anew)
	if facts != nil {
		facts.Reason = reason
	}
	return c, CheckInEvent{Kind: CheckInMissed, At: at, Payload: &PingPayload{Reason: reason}, Facts: facts}
}

// passed reports whether a deadline, if there is one, has passed.
func passed(deadline, now time.Time) bool { return !deadline.IsZero() && !deadline.After(now) }
