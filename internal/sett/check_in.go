package sett

import (
	"io"
	"time"
)

// CheckIn watches a job that is to report regularly.
type CheckIn struct {
	ID        string // the secret that the job reports with
	ProjectID int64
	CheckInSettings
	State       CheckInState
	ReportedAt  time.Time // the newest ping; zero: none yet
	ExpectedAt  time.Time // when the next ping should come; zero: not before there was one under this schedule
	DeadlineAt  time.Time // when to look again: the end of the grace period or of a pause; zero: never
	Reported    bool      // whether a ping came under this schedule
	MissedCount int64     // in a row
	NotedAt     time.Time // the newest ping that the history tells of
	CreatedAt   time.Time
	UpdatedAt   time.Time // by people
}

// CheckInState is how a job does (wire.md §7.3).
type CheckInState string

// The states of a check-in.
const (
	CheckInPending   CheckInState = "pending" // nothing is expected before its first ping
	CheckInReporting CheckInState = "reporting"
	CheckInMissing   CheckInState = "missing"
	CheckInPaused    CheckInState = "paused"
)

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
}

// checkInIDLength gives 119 bits.
const checkInIDLength = 20

// NewCheckIn returns a check-in that waits for its first ping; its id is drawn from a random source.
func NewCheckIn(source io.Reader, projectID int64, s CheckInSettings, now time.Time) CheckIn {
	return CheckIn{
		ID: drawString(source, checkInIDLength), ProjectID: projectID, CheckInSettings: s, State: CheckInPending, CreatedAt: now, UpdatedAt: now,
	}
}
