package sett

import "time"

// ProjectLine is how a project does, in one line of a list of projects.
type ProjectLine struct {
	ID        int64
	AccountID string
	Name      string
	Active    bool

	Unresolved int64     // faults, without those that are ignored
	New        int64     // of them; see NewFaults
	Mine       int64     // of them, assigned to the user who looks
	Deployed   time.Time // of the last deploy that makes faults new; zero: those of a day are
	LastDeploy *Deploy   // nil: nothing was deployed

	Hours []int64 // notices in each of the last 24 hours, the oldest first; the last holds now
	Watched
}

// Events returns how many notices the project had in the last 24 hours.
func (l ProjectLine) Events() (n int64) {
	for _, hour := range l.Hours {
		n += hour
	}
	return n
}

// ProjectPulse is how a project does, as its overview shows it.
type ProjectPulse struct {
	ProjectLine
	EventsBefore int64     // notices in the same 24 hours of the week before
	Uptime       TimeShare // of its sites, over PulseDays days
	Worst        []LateCheckIn
}

// PulseDays is over how many days the uptime of a project's sites is told, and WorstCheckIns how many are named.
const (
	PulseDays     = 30
	WorstCheckIns = 3
)

// LateCheckIn is a check-in that did not report in time.
type LateCheckIn struct {
	ID         string
	Name       string // or its slug, where it has no name
	State      CheckInState
	ExpectedAt time.Time
}

// WeekBefore returns when the hours of a day began that now ends, a week earlier, in seconds since 1970.
func WeekBefore(now time.Time) []int64 { return PastDay.Starts(now.AddDate(0, 0, -7)) }

// EventsUpTo sums hours, of the last of which only as much counts as has passed of the hour that holds now.
func EventsUpTo(now time.Time, hours []int64) (n int64) {
	for i, h := range hours {
		if i == len(hours)-1 {
			h = int64(float64(h) * now.Sub(now.Truncate(time.Hour)).Hours())
		}
		n += h
	}
	return n
}
