package accounts

import (
	"time"

	"sett/internal/sett"
)

// Outcome is how a reported notice ended. Every notice of a known project ends as exactly one of these, and the ledger
// counts it under the day of its end.
type Outcome string

// The outcomes, named as the account's api_stats name them, plus the notices that could not be read.
const (
	Stored        Outcome = "stored"
	Ignored       Outcome = "ignored" // the fault is flagged ignored: discarded
	Limited       Outcome = "limited" // over a quota or throttle, or no room: answered with 429 or 503
	InvalidNotice Outcome = "invalid" // answered with 4xx
)

// Receipt is what the store did with a Report.
type Receipt struct {
	ID         sett.UUID // the notice's public id: the client's token where it sent one
	Outcome    Outcome
	Duplicate  bool          // the token was stored before; nothing new was
	RetryAfter time.Duration // with Limited: when to try again
	Why        string        // with Limited: a sentence for the client
}

// Refusal is notices of a project that ended before the store saw them.
type Refusal struct {
	AccountID string
	ProjectID int64
	Outcome   Outcome // Limited or InvalidNotice
	Count     int64
}

// Limits are the settings that bound intake; 0 means no limit.
type Limits struct {
	MonthlyQuota    int64 // notices an account may store in a month (UTC)
	ProjectThrottle int64 // notices a project may store in a minute
}

// Day returns the UTC midnight at or before t.
func Day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Month returns the UTC midnight of the first day of t's month.
func Month(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

// Usage is what an account or project has used of its limits.
type Usage struct {
	Month  int64 // stored in this month by the account
	Minute int64 // stored in this minute by the project
}

// Admit decides whether one more notice may be stored. When it may not, it returns how long to wait and a sentence
// that says why.
func (l Limits) Admit(u Usage, now time.Time) (ok bool, wait time.Duration, why string) {
	if l.MonthlyQuota > 0 && u.Month >= l.MonthlyQuota {
		next := Month(now).AddDate(0, 1, 0)
		return false, next.Sub(now), "The account's quota of notices for this month is used up. Try again from the first of the next month (UTC)."
	}
	if l.ProjectThrottle > 0 && u.Minute >= l.ProjectThrottle {
		next := now.Truncate(time.Minute).Add(time.Minute)
		return false, next.Sub(now), "This project reports more notices a minute than its throttle allows. Try again in the next minute."
	}
	return true, 0, ""
}

// Near reports whether so many notices more may reach a limit.
func (l Limits) Near(u Usage, more int64) bool {
	return l.MonthlyQuota > 0 && u.Month+more >= l.MonthlyQuota || l.ProjectThrottle > 0 && u.Minute+more >= l.ProjectThrottle
}

// DayCount is a number of notices on one UTC day.
type DayCount struct {
	Day   time.Time
	Count int64
}
