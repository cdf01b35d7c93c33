package stats

import "time"

// RefusedCheckIn is what was refused of the reports about a job since the last one that was taken.
type RefusedCheckIn struct {
	ProjectID       int64
	Slug            string // of the check-in, which may not exist
	Reason          string // see DroppedReasons
	Why             string // the newest sentence
	Count           int64
	FirstAt, LastAt time.Time
}

// The bounds of refused check-ins: anyone who has a key can make up slugs.
const (
	MostRefusedCheckIns = 100 // of a project
	KeepRefusedCheckIns = 30 * 24 * time.Hour
)
