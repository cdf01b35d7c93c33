package stats

import (
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
)

// ProjectLine is how a project does, in one line of a list of projects.
type ProjectLine struct {
	ID        int64
	AccountID string
	Name      string
	Active    bool

	Unresolved int64          // faults, without those that are ignored
	New        int64          // of them; see NewFaults
	Mine       int64          // of them, assigned to the user who looks
	Deployed   time.Time      // of the last deploy that makes faults new; zero: those of a day are
	LastDeploy *faults.Deploy // nil: nothing was deployed

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
	EventsBefore int64            // notices in the same 24 hours of the week before
	Uptime       checks.TimeShare // of its sites, over PulseDays days
	Worst        []LateCheckIn
}

// PulseDays is the number of days of the uptime of a project's sites, and WorstCheckIns how many are named.
const (
	PulseDays     = 30
	WorstCheckIns = 3
)

// LateCheckIn is a check-in that did not report in time, or whose job failed.
type LateCheckIn struct {
	ID         string
	Name       string // or its slug, where it has no name
	State      sett.CheckInState
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

// Watched is how many sites and check-ins of a project are in which state. Those that are paused are in none.
type Watched struct {
	Sites, SitesUp, SitesDown                          int64
	CheckIns, CheckInsReporting, CheckInsLate, Missing int64 // those that are late report so far
	CheckInsPaused, SitesPaused, CheckInsFailing       int64
}

// Health is the worst state of all that is watched in a project.
type Health string

// The healths of a project, the best first.
const (
	HealthNone    Health = ""        // nothing is watched
	HealthPending Health = "pending" // nothing was seen yet
	HealthPaused  Health = "paused"  // all of it
	HealthUp      Health = "up"
	HealthLate    Health = "late"    // a check-in should have reported, and may still be in time
	HealthFailing Health = "failing" // a check-in whose job failed
	HealthMissing Health = "missing" // a check-in
	HealthDown    Health = "down"    // a site
)

// Health returns the worst state of what is watched.
func (w Watched) Health() Health {
	switch {
	case w.SitesDown > 0:
		return HealthDown
	case w.Missing > 0:
		return HealthMissing
	case w.CheckInsFailing > 0:
		return HealthFailing
	case w.CheckInsLate > 0:
		return HealthLate
	case w.SitesUp+w.CheckInsReporting > 0:
		return HealthUp
	case w.Sites+w.CheckIns == 0:
		return HealthNone
	case w.SitesPaused+w.CheckInsPaused == w.Sites+w.CheckIns:
		return HealthPaused
	}
	return HealthPending
}

// Word returns the health as people read it.
func (h Health) Word() string {
	return map[Health]string{
		HealthNone: "Nothing watched", HealthPending: "Pending", HealthPaused: "Paused", HealthUp: "Up", HealthLate: "Check-in late",
		HealthFailing: "Check-in failing", HealthMissing: "Check-in missing", HealthDown: "Down",
	}[h]
}

// AddSites counts so many sites of a state.
func (w *Watched) AddSites(active bool, state sett.SiteState, n int64) {
	w.Sites += n
	switch {
	case !active:
		w.SitesPaused += n
	case state == sett.SiteUp:
		w.SitesUp += n
	case state == sett.SiteDown:
		w.SitesDown += n
	}
}

// AddCheckIns counts so many check-ins of a state; late says that their next ping should have come.
func (w *Watched) AddCheckIns(state sett.CheckInState, late bool, n int64) {
	w.CheckIns += n
	switch state {
	case sett.CheckInReporting:
		w.CheckInsReporting += n
		if late {
			w.CheckInsLate += n
		}
	case sett.CheckInMissing:
		w.Missing += n
	case sett.CheckInFailing:
		w.CheckInsFailing += n
	case sett.CheckInPaused:
		w.CheckInsPaused += n
	}
}

// ChartMarks is what charts show beside counts: what people put into an environment, and when something was down.
type ChartMarks struct {
	Deploys []faults.Deploy // the newest first, as the outages
	Outages []DownSpan      // of sites
}

// MostChartMarks is how many marks of each kind a chart has at most; the oldest are left out.
const MostChartMarks = 500

// DownSpan is a time in which a site was down.
type DownSpan struct {
	ProjectID int64
	SubjectID string // the id of the site
	Name      string
	From      time.Time
	To        time.Time // zero: it lasts
	Reason    string
}
