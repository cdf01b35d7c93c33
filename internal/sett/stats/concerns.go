package stats

import (
	"time"

	"sett/internal/sett/faults"
)

// Concerns are what concerns a user in all projects that they can see, as entries of a timeline: a few of each, the newest first.
type Concerns struct {
	Down     []faults.TimelineEntry // sites that are down and check-ins that are missing
	Assigned []faults.TimelineEntry // open errors that are assigned to the user, at their last event
	New      []faults.TimelineEntry // open errors that were first seen since Since

	MoreDown, MoreAssigned, MoreNew bool // there are more

	Since   time.Time // when the user's last visit ended, or a day ago
	Visited bool      // Since is when it ended
}

// Since returns from when on errors are new to a user whose last visit ended at away: a day ago for those who were never here, or whose visit
// was noted by a clock that was ahead; and at most a month ago.
func Since(now, away time.Time) (since time.Time, visited bool) {
	if away.IsZero() || away.After(now) {
		return now.Add(-24 * time.Hour), false
	}
	if month := now.AddDate(0, -1, 0); away.Before(month) {
		return month, false
	}
	return away, true
}
