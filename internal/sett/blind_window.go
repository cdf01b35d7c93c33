package sett

import "time"

// BlindWindow is a time in which no server was alive: after From until To. The zero value is none.
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

// others reports whether another server is alive: its clock may be behind, and so the time itself tells nothing.
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
