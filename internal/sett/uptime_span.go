package sett

import "time"

// The days that are told of at once: a leap year, and without more being said about a month.
const (
	maxUptimeDays = 366
	uptimeDays    = 30
)

// UptimeSpan is the time that uptime is told of, in full UTC days. To does not belong to it.
type UptimeSpan struct{ From, To time.Time }

// NewUptimeSpan returns the days that hold everything between two bounds, and notes what is wrong with them. A day as the
// second bound belongs to them. Without it they end with today; without the first they are thirty.
func NewUptimeSpan(p *Problems, from, to ReportBound, now time.Time) UptimeSpan {
	if to.To.IsZero() {
		to = ReportBound{now.UTC(), now.UTC()}
	}
	span := UptimeSpan{Day(from.From), Day(to.To.Add(24*time.Hour - 1))}
	if from.From.IsZero() {
		span.From = span.To.AddDate(0, 0, -uptimeDays)
	}
	switch {
	case from.From.After(to.From) && !from.From.Before(to.To):
		p.Add("from", "must not be after to, which is now unless it is given")
	case span.To.After(span.From.AddDate(0, 0, maxUptimeDays)):
		p.Add("from", "must be at most %d days before to, which is now unless it is given", maxUptimeDays)
	}
	return span
}
