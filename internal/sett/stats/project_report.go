package stats

import (
	"errors"
	"time"

	"sett/internal/base/moment"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// ReportKind is what a report counts the notices of a project by.
type ReportKind string

// The reports of the contract.
const (
	NoticesByClass    ReportKind = "notices_by_class"
	NoticesByLocation ReportKind = "notices_by_location"
	NoticesByUser     ReportKind = "notices_by_user"
	NoticesPerDay     ReportKind = "notices_per_day"
)

// MaxReportRows is how many rows a report by name has at most.
const MaxReportRows = 1000

// wholeReport is how many days a report by day shows whether or not there can be notices on them.
const wholeReport = 3660 // ten years

// ReportRow is how many notices go by one label.
type ReportRow struct {
	Label string
	Count int64
}

// ReportBound is an end of a report's time as a request names it: a moment, where both fields are the same, or a whole
// UTC day. It is zero when the request names none.
type ReportBound struct{ From, To time.Time }

// parseDay reads a date as ISO 8601 has it, with or without hyphens.
func parseDay(text string) (time.Time, bool) {
	for _, layout := range [...]string{time.DateOnly, "20060102"} {
		if day, err := time.Parse(layout, text); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

// ParseReportBound reads a date, a date and time (both ISO 8601; UTC unless it says otherwise), or seconds since 1970.
// The error is a phrase that follows the name of the parameter. Outside of the years 1970 to 9999 a moment is a slip.
func ParseReportBound(text string) (b ReportBound, err error) {
	if day, ok := parseDay(text); ok {
		b = ReportBound{day, day.AddDate(0, 0, 1)}
	} else if at, ok := moment.Read(text); ok {
		b = ReportBound{at, at}
	}
	if b.From.Year() < 1970 || b.From.Year() > 9999 {
		return ReportBound{}, errors.New("must be a date such as 2026-11-18, a time such as 2026-11-18T10:30:00Z, or seconds since 1970, such as 1795000000")
	}
	return b, nil
}

// ReportSpan is the time that a report is about, in full hours: notices are counted by the hour. To does not belong to it.
type ReportSpan struct{ From, To time.Time }

// NewReportSpan returns the hours that hold everything from start to stop, and notes what is wrong with them. A day as
// stop belongs to the report. Without stop the report ends now; without start it begins with the midnight that makes it
// seven UTC days.
func NewReportSpan(p *sett.Problems, start, stop ReportBound, now time.Time) ReportSpan {
	if stop.To.IsZero() {
		stop = ReportBound{now.UTC(), now.UTC()}
	}
	if start.From.IsZero() {
		start.From = accounts.Day(stop.To.Add(-1)).AddDate(0, 0, -6)
	}
	span := ReportSpan{start.From.Truncate(time.Hour), stop.To.Add(time.Hour - 1).Truncate(time.Hour)}
	if start.From.After(stop.From) && !start.From.Before(stop.To) {
		p.Add("start", "must not be after stop, which is now unless it is given")
	}
	return span
}

// Shown returns the part of the span that a report by day shows: all of it or, of more than ten years, the part in which
// there can be notices.
func (s ReportSpan) Shown(recorded ReportSpan) ReportSpan {
	if s.To.After(accounts.Day(s.From).AddDate(0, 0, wholeReport)) {
		return recorded
	}
	return s
}

// Days returns a row for every UTC day that the span touches, in their order and labelled as the contract writes a
// midnight; counts has the notices of hours, by their start in seconds since 1970.
func (s ReportSpan) Days(counts map[int64]int64) []ReportRow {
	var rows []ReportRow
	for day := accounts.Day(s.From); day.Before(s.To); day = day.AddDate(0, 0, 1) {
		row := ReportRow{Label: day.Format("2006-01-02T15:04:05.000000-07:00")}
		for hour := range int64(24) {
			row.Count += counts[day.Unix()+3600*hour]
		}
		rows = append(rows, row)
	}
	return rows
}

// The most days in one answer: a leap year; by default about a month.
const (
	maxUptimeDays = 366
	uptimeDays    = 30
)

// UptimeSpan is the time of an uptime report, in full UTC days. To is exclusive.
type UptimeSpan struct{ From, To time.Time }

// NewUptimeSpan returns the days that hold everything between two bounds, and notes what is wrong with them. A day as the
// second bound belongs to them. Without it they end with today; without the first they are thirty.
func NewUptimeSpan(p *sett.Problems, from, to ReportBound, now time.Time) UptimeSpan {
	if to.To.IsZero() {
		to = ReportBound{now.UTC(), now.UTC()}
	}
	span := UptimeSpan{accounts.Day(from.From), accounts.Day(to.To.Add(24*time.Hour - 1))}
	if from.From.IsZero() {
		span.From = span.To.AddDate(0, 0, -uptimeDays)
	}
	switch {
	case from.From.After(to.From) && !from.From.Before(to.To):
		p.Add("from", "must not be after to, which is now unless it is given")
	case span.To.Year() > 9999: // the end of the last day that a date can name, which JSON cannot
		p.Add("to", "must be before 9999-12-31")
	case span.To.After(span.From.AddDate(0, 0, maxUptimeDays)):
		p.Add("from", "must be at most %d days before to, which is now unless it is given", maxUptimeDays)
	}
	return span
}
