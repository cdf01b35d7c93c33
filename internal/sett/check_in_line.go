package sett

import (
	"encoding/json"
	"strings"
	"time"
)

// CheckInLine is a check-in as a list of check-ins shows it.
type CheckInLine struct {
	CheckIn
	Runs []CheckInRun // the newest RecentRuns at most, the oldest first
}

// RecentRuns is how many runs a line shows.
const RecentRuns = 48

// CheckInPulse is how a check-in does, as its page shows it.
type CheckInPulse struct {
	CheckInLine
	Days []StatusDay // today last
}

// CheckInRun is a ping, or one that stayed away.
type CheckInRun struct {
	At       time.Time
	Missed   bool
	Failed   bool          // the job said so
	Duration time.Duration // negative when it did not say
}

// HasDuration reports whether the job said how long it took.
func (r CheckInRun) HasDuration() bool { return r.Duration >= 0 }

// RunHead is how many characters of a payload tell how a run went: what comes behind is output.
const RunHead = 160

// NewCheckInRun reads a run from an event and the beginning of its payload, RunHead characters of it.
func NewCheckInRun(kind CheckInEventKind, at time.Time, head string) CheckInRun {
	r := CheckInRun{At: at, Missed: kind == CheckInMissed, Duration: -1}
	d := json.NewDecoder(strings.NewReader(head))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return r
	}
	for {
		name, err := d.Token()
		value, err2 := d.Token()
		if err != nil || err2 != nil {
			return r
		}
		r.tell(name, value)
	}
}

func (r *CheckInRun) tell(name, value json.Token) {
	number, _ := value.(json.Number)
	switch name {
	case "status":
		r.Failed = r.Failed || value == "error"
	case "exit_code":
		r.Failed = r.Failed || number != "0"
	case "duration":
		if ms, err := number.Int64(); err == nil && ms >= 0 {
			r.Duration = time.Duration(min(ms, int64(longestRun/time.Millisecond))) * time.Millisecond
		}
	}
}

// longestRun keeps what a job says from overflowing.
const longestRun = 10 * 366 * 24 * time.Hour

// LastDuration returns how long the newest run took that said so; ok is false when none did.
func (l CheckInLine) LastDuration() (d time.Duration, ok bool) {
	for i := len(l.Runs) - 1; i >= 0; i-- {
		if l.Runs[i].HasDuration() {
			return l.Runs[i].Duration, true
		}
	}
	return 0, false
}

// Late reports whether a ping is overdue and still in its grace period.
func (c CheckIn) Late(now time.Time) bool {
	return c.State == CheckInReporting && !c.ExpectedAt.IsZero() && now.After(c.ExpectedAt)
}

// Upcoming returns the next n times at which a ping would be expected after a time; fewer when there are no more.
func (s CheckInSettings) Upcoming(after time.Time, n int) (times []time.Time) {
	schedule := s.schedule()
	for len(times) < n {
		if after = schedule.after(after); after.IsZero() {
			return times
		}
		times = append(times, after)
	}
	return times
}
