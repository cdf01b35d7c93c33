package sett

import "time"

// KeptFrom returns the beginning of the first day whose notices are kept, of a project that keeps them for so many days.
// Whole UTC days are dropped: a notice is kept for that many days, and then until the day ends.
func KeptFrom(now time.Time, days int64) time.Time {
	return Day(now).Add(-time.Duration(days) * 24 * time.Hour)
}

// How long histories are kept.
const (
	KeepHistory    = 400 * 24 * time.Hour // more than a year, so that a year can be compared with the one before
	KeepAudit      = 365 * 24 * time.Hour
	KeepMinutes    = 7 * 24 * time.Hour  // counts of errors by the minute: no page shows more than an hour of them
	KeepUnanswered = 90 * 24 * time.Hour // invitations that expired
	KeepHours      = 90 * 24 * time.Hour // counts of errors by the hour: no page shows more than a day of them
)

// Kept says what a project keeps, about.
type Kept struct {
	Notices int64
	Bytes   int64
}
