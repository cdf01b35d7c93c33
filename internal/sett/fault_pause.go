package sett

import "time"

// PauseEnd is what ends the silence of a fault that was paused: people are told of the first notice that is beyond it. The
// zero value waits for none.
type PauseEnd struct {
	Count int64     // the last notice that stays silent, as a number of notices; 0 when not paused by count
	At    time.Time // when notices are not silent any more; zero when not paused by time
}

// Passed reports whether a notice is waited for and the one at that time, which is the fault's after-th, is beyond the end.
func (e PauseEnd) Passed(after int64, at time.Time) bool {
	return e != PauseEnd{} && after > e.Count && !at.Before(e.At)
}

// EndOfPause returns what ends the silence of a fault once a person has made it next; ok is false when that is what it was.
// Who ends a pause wants to hear of the next notice. A pause that is over still waits for it, whatever people do.
func (s FaultState) EndOfPause(next FaultState, now time.Time, notices int64) (end PauseEnd, ok bool) {
	switch {
	case s.PausedUntil.Equal(next.PausedUntil) && s.PausedCount == next.PausedCount:
		return PauseEnd{}, false
	case next.PausedCount > 0 || !next.PausedUntil.IsZero():
		return PauseEnd{next.PausedCount, next.PausedUntil}, true
	}
	return PauseEnd{At: now}, s.Paused(now, notices)
}
