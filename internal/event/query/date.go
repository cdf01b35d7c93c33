package query

import (
	"strconv"
	"strings"
	"time"

	"sett/internal/base/cron"
)

// searchDate is a date as a search names it: a moment, and the unit that it was named in.
type searchDate struct {
	at         time.Time
	unit       dateUnit
	lastDeploy bool // no moment that is known here
}

// dateUnit is how exact a date is, as in "3 hours ago".
type dateUnit string

const (
	unitSecond dateUnit = "second"
	unitMinute dateUnit = "minute"
	unitHour   dateUnit = "hour"
	unitDay    dateUnit = "day"
	unitWeek   dateUnit = "week"
	unitMonth  dateUnit = "month"
)

// searchDateValue reads the date behind a key: the first token's value or, where that was not quoted, as many of the
// following words with it as make a date. It says how many tokens that took, or that there is none.
func searchDateValue(tokens []searchToken, op Op, now time.Time) (v Value, used int, wrong slip) {
	const longest = 5 // words, as in "Jul 1 2026 09:30 UTC"
	used = 1
	for used < min(longest, len(tokens)) && !tokens[0].quoted && !tokens[used].quoted && !tokens[used].negated {
		used++
	}
	for ; used > 0; used-- {
		text := tokens[0].value
		for _, t := range tokens[1:used] {
			text += " " + t.text
		}
		text = strings.Join(strings.Fields(text), " ")
		if d, ok := parseSearchDate(strings.ToLower(text), now); ok {
			return d.value(text, op), used, slip{}
		}
	}
	const dates = `today, yesterday, "24 hours ago", "this week", "July 1", 2026-07-01, "2026-07-01 09:30", 2026-07-01T09:30:00Z, seconds since 1970, or "last deploy"`
	shown := shownTerm(tokens[0].text)
	return Value{}, 0, slip{problem: "has " + shown + ", which names no date; write one such as " + dates, text: "Unknown date in " + shown + ". Use " + dates + "."}
}

// value is the range that a key with the operator asks for. Without one it is the whole unit that the date was named
// in: the day of "July 1", the hour of "3 hours ago".
func (d searchDate) value(text string, op Op) Value {
	v := Value{Text: text, Op: op, LastDeploy: d.lastDeploy}
	switch {
	case d.lastDeploy:
	case op == After:
		v.From = d.at
	case op == Before:
		v.To = d.at
	default:
		v.From, v.To = d.span()
	}
	return v
}

// span is the unit of time, in UTC, that holds the moment.
func (d searchDate) span() (from, to time.Time) {
	switch d.unit {
	case unitMonth:
		from = firstOfMonth(d.at)
		return from, from.AddDate(0, 1, 0)
	case unitWeek:
		from = monday(d.at)
		return from, from.AddDate(0, 0, 7)
	case unitDay:
		from = midnight(d.at)
		return from, from.AddDate(0, 0, 1)
	}
	length := map[dateUnit]time.Duration{unitHour: time.Hour, unitMinute: time.Minute, unitSecond: time.Second}[d.unit]
	from = d.at.Truncate(length)
	return from, from.Add(length)
}

// monday is the UTC midnight that t's week begins with.
func monday(t time.Time) time.Time {
	day := midnight(t)
	return day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
}

// parseSearchDate reads a date in lower case whose words stand one space apart.
func parseSearchDate(text string, now time.Time) (searchDate, bool) {
	today := midnight(now)
	switch text {
	case "now":
		return searchDate{at: now, unit: unitMinute}, true
	case "today":
		return searchDate{at: today, unit: unitDay}, true
	case "yesterday":
		return searchDate{at: today.AddDate(0, 0, -1), unit: unitDay}, true
	case "this week":
		return searchDate{at: monday(now), unit: unitWeek}, true
	case "last week":
		return searchDate{at: monday(now).AddDate(0, 0, -7), unit: unitWeek}, true
	case "this month":
		return searchDate{at: firstOfMonth(now), unit: unitMonth}, true
	case "last month":
		return searchDate{at: firstOfMonth(now).AddDate(0, -1, 0), unit: unitMonth}, true
	case "last deploy":
		return searchDate{lastDeploy: true}, true
	}
	for _, parse := range [...]func(string, time.Time) (searchDate, bool){parseAgo, parseMonthDay, parseMoment} {
		if d, ok := parse(text, now); ok {
			// Outside of these years a date is a slip, and none that every store can hold.
			return d, d.at.Year() >= 1970 && d.at.Year() <= 9999
		}
	}
	return searchDate{}, false
}

// parseAgo reads "24 hours ago" and its like.
func parseAgo(text string, now time.Time) (searchDate, bool) {
	words := strings.Split(text, " ")
	if len(words) != 3 || words[2] != "ago" {
		return searchDate{}, false
	}
	count, err := strconv.ParseUint(words[0], 10, 20) // so that no product below overflows
	if err != nil {
		return searchDate{}, false
	}
	n, unit := int(count), dateUnit(strings.TrimSuffix(words[1], "s"))
	switch unit {
	case unitMinute:
		now = now.Add(-time.Duration(n) * time.Minute)
	case unitHour:
		now = now.Add(-time.Duration(n) * time.Hour)
	case unitDay:
		now = now.AddDate(0, 0, -n)
	case unitWeek:
		now = now.AddDate(0, 0, -7*n)
	case unitMonth:
		now = cron.AddMonths(now, -n)
	default:
		return searchDate{}, false
	}
	return searchDate{at: now, unit: unit}, true
}

// parseMonthDay reads "July 1" and "Jul 1", the latest such day that is not in the future.
func parseMonthDay(text string, now time.Time) (searchDate, bool) {
	for _, layout := range [...]string{"January 2", "Jan 2"} {
		t, err := time.Parse(layout, text)
		if err != nil {
			continue
		}
		for year := now.Year(); year > now.Year()-9; year-- { // at most eight years lie between two leap days
			day := time.Date(year, t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
			if day.Month() == t.Month() && !day.After(now) {
				return searchDate{at: day, unit: unitDay}, true
			}
		}
	}
	return searchDate{}, false
}

// parseMoment reads a calendar date, a date and time in UTC, a time as in RFC 3339, or seconds since 1970.
func parseMoment(text string, _ time.Time) (searchDate, bool) {
	for _, form := range [...]struct {
		layout string
		unit   dateUnit
	}{
		{"2006-01-02", unitDay},
		{"20060102", unitDay},
		{"January 2 2006", unitDay},
		{"January 2, 2006", unitDay},
		{"Jan 2 2006", unitDay},
		{"Jan 2, 2006", unitDay},
		{"2006-01-02 15:04", unitMinute},
		{"2006-01-02 15:04 UTC", unitMinute},
		{"2006-01-02 15:04:05", unitSecond},
		{"2006-01-02 15:04:05 UTC", unitSecond},
		{"2006-01-02T15:04", unitMinute},
		{"2006-01-02T15:04:05", unitSecond},
		{time.RFC3339, unitSecond},
	} {
		if t, err := time.Parse(form.layout, strings.ToUpper(text)); err == nil {
			return searchDate{at: t.UTC(), unit: form.unit}, true
		}
	}
	// Fewer digits would be a moment of 1970 to 1973: more likely a year or a slip.
	if seconds, err := strconv.ParseUint(text, 10, 63); err == nil && len(text) >= 9 && len(text) <= 12 {
		return searchDate{at: time.Unix(int64(seconds), 0).UTC(), unit: unitSecond}, true
	}
	return searchDate{}, false
}

func midnight(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func firstOfMonth(t time.Time) time.Time { return midnight(t).AddDate(0, 0, 1-t.UTC().Day()) }
