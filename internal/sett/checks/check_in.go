package checks

import (
	"io"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/run"
)

// CheckIn watches a job that is to report regularly.
type CheckIn struct {
	ID        string // the secret that the job reports with
	ProjectID int64
	CheckInSettings
	State       sett.CheckInState
	ReportedAt  time.Time // the newest ping; zero: none yet
	ExpectedAt  time.Time // when the next ping should come; zero: not before there was one under this schedule
	DeadlineAt  time.Time // when to look again: the end of the grace period or of a pause; zero: never
	Reported    bool      // whether a ping came under this schedule
	MissedCount int64     // in a row
	TroubleAt   time.Time // since when there is a problem that receivers were notified of, and no success; zero: none
	RemindAt    time.Time // from when on they are notified of it again; zero: never, or with the next problem after a gap
	NotedAt     time.Time // the newest ping in the history
	Run         run.Watch // of a job that reports when it starts
	CreatedAt   time.Time
	UpdatedAt   time.Time // by people
}

// ScheduleType says how a check-in knows when the next ping should come.
type ScheduleType string

// The types of schedules.
const (
	SimpleSchedule ScheduleType = "simple" // a period after the last ping
	CronSchedule   ScheduleType = "cron"
)

// CheckInSettings are the fields of a check-in that people write. Texts are as they were sent, "" for none: clients that
// keep them in step compare them with their own.
type CheckInSettings struct {
	Name         string // unique in the project
	Slug         string // unique in the project; never changed
	ScheduleType ScheduleType
	ReportPeriod string // of simple schedules
	GracePeriod  string
	CronSchedule string // of cron schedules, as CronTimezone
	CronTimezone string

	ReminderInterval string // see reminders
}

// checkInIDLength gives 119 bits.
const checkInIDLength = 20

// NewCheckIn returns a check-in that waits for its first ping; its id is drawn from a random source.
func NewCheckIn(source io.Reader, projectID int64, s CheckInSettings, now time.Time) CheckIn {
	return CheckIn{
		ID: sett.RandomStringFrom(source, checkInIDLength), ProjectID: projectID, CheckInSettings: s, State: sett.CheckInPending, CreatedAt: now, UpdatedAt: now,
	}
}

// CheckInLine is a check-in as a list of check-ins shows it.
type CheckInLine struct {
	CheckIn
	Runs []run.Result // the newest RecentRuns at most, the oldest first
}

// RecentRuns is how many runs a line shows.
const RecentRuns = 48

// CheckInPulse is how a check-in does, as its page shows it.
type CheckInPulse struct {
	CheckInLine
	Days []StatusDay // today last
}

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
	return c.State == sett.CheckInReporting && !c.ExpectedAt.IsZero() && now.After(c.ExpectedAt)
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

// CheckInEvent is a line of a check-in's history: a ping, or what came of one that stayed away.
type CheckInEvent struct {
	ID      int64 // given by the store
	Kind    CheckInEventKind
	At      time.Time // of a miss: the deadline
	Payload *PingPayload
	Source  PingSource           // of a ping
	Facts   *alerts.CheckInFacts // of what receivers are notified of, when it has just happened; histories have none
}

// CheckInEventKind says what happened to a check-in.
type CheckInEventKind string

// Every kind of event in a history.
const (
	CheckInReported  CheckInEventKind = "reported"  // a ping came: the job succeeded, or failed
	CheckInMissed    CheckInEventKind = "missing"   // a ping did not come in time
	CheckInRecovered CheckInEventKind = "reporting" // the first success after misses and failures
	CheckInReminded  CheckInEventKind = "reminded"  // it is still missing, and further misses are not counted
	CheckInForgiven  CheckInEventKind = "forgiven"  // the deadline was while no server was alive, or by a clock that was wrong
	CheckInPausing   CheckInEventKind = "paused"
	CheckInResumed   CheckInEventKind = "resumed"
	CheckInChanged   CheckInEventKind = "changed" // schedule or grace period
)

// facts are those of an alert about the check-in as it is now.
func (c CheckIn) facts() *alerts.CheckInFacts {
	exact := func(t time.Time) time.Time { return t.Truncate(time.Microsecond) } // as it is stored
	return &alerts.CheckInFacts{
		ID: c.ID, Name: c.Name, State: c.State, ReportedAt: exact(c.ReportedAt), ExpectedAt: exact(c.ExpectedAt), MissedCount: c.MissedCount,
	}
}

// Alerts returns the alerts of events that a rule has just returned: only events with facts raise one.
func (c CheckIn) Alerts(events []CheckInEvent) (raised []alerts.Alert) {
	for _, e := range events {
		if e.Facts == nil {
			continue
		}
		a := alerts.Alert{ProjectID: c.ProjectID, Subject: alerts.CheckInSubject(c.ID), At: e.At, CreatedAt: e.At, Facts: alerts.AlertFacts{CheckIn: e.Facts}}
		switch a.Event = alerts.AlertCheckInMissing; e.Kind {
		case CheckInReported:
			a.Event = alerts.AlertCheckInFailed
		case CheckInRecovered:
			a.Event = alerts.AlertCheckInReporting
		}
		raised = append(raised, a)
	}
	return raised
}

// CheckInPause is the body of a pause of a check-in.
type CheckInPause struct {
	Time sett.Optional[string] `json:"time" required:"true" doc:"How long no pings are expected from the job." enum:"hour,day,week"`
}

// Until returns when the pause ends.
func (p CheckInPause) Until(now time.Time) (time.Time, error) {
	spans := map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour}
	span, known := spans[p.Time.Value]
	if !known {
		return time.Time{}, sett.Errorf(sett.Invalid, `Send {"time": "hour"}, "day" or "week".`)
	}
	return now.Add(span), nil
}

// CheckInSync is what came of one check-in when those of a project were replaced by a list.
type CheckInSync struct {
	Operation CheckInOperation
	Slug      string
	Problem   string // why nothing was done; "" when it was
}

// CheckInOperation is what was done, or refused.
type CheckInOperation string

// The operations of the interface.
const (
	CreateCheckIn CheckInOperation = "create"
	UpdateCheckIn CheckInOperation = "update"
	DeleteCheckIn CheckInOperation = "delete"
)
