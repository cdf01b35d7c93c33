package insight

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// UsualSpan is the time of a query that names none.
const UsualSpan = "PT3H"

// dateLayouts are the forms in which a query writes a time, without a zone.
var dateLayouts = []string{"2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"}

// readDate reads a time; without an offset, it is that of a zone.
func readDate(text string, zone *time.Location) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at, true
	}
	for _, layout := range dateLayouts {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// duration is a duration of ISO 8601. Months and years depend on the calendar.
var duration = regexp.MustCompile(`\AP(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?\z`)

// compact is a duration such as 15m.
var compact = regexp.MustCompile(`\A(\d{1,6})([smhdw])\z`)

// shift returns a time that is later by a duration of ISO 8601 or a compact one, or earlier with the sign -1.
func shift(at time.Time, text string, sign int) (time.Time, bool) {
	if short := compact.FindStringSubmatch(text); short != nil {
		n, _ := strconv.Atoi(short[1]) // digits
		unit := units[short[2]]
		return at.Add(time.Duration(sign*min(n, int(100*Keep/unit))) * unit), true // which is longer than events are kept
	}
	parts := duration.FindStringSubmatch(strings.ToUpper(text))
	if parts == nil || strings.HasSuffix(strings.ToUpper(text), "T") || len(text) < len("P1D") {
		return at, false
	}
	var n [8]int
	for i, part := range parts[1:] {
		n[i], _ = strconv.Atoi(part) // digits, or none
		n[i] *= sign
	}
	at = at.AddDate(n[0], n[1], 7*n[2]+n[3])
	return at.Add(time.Duration(n[4])*time.Hour + time.Duration(n[5])*time.Minute + time.Duration(n[6])*time.Second), true
}

// ParseSpan reads the time of a query as clients of Honeybadger write it: a shortcut such as "today", a duration of ISO 8601 or such as 15m that ends now, a time
// from which on events are wanted, or two of these with a slash between them. It returns at most the time for which events are kept. The
// error is Invalid.
func ParseSpan(text string, zone *time.Location, now time.Time) (from, to time.Time, err error) {
	if text = strings.TrimSpace(text); text == "" {
		text = UsualSpan
	}
	now = now.In(zone)
	from, to, ok := readSpan(text, zone, now)
	if !ok {
		return from, to, sett.Refuse("ts", "is not a time that is supported. Write a duration such as PT3H, a day such as today, a time such as 2026-11-18T10:30:00, or two of them with a slash between")
	}
	if !from.Before(to) {
		return from, to, sett.Refuse("ts", "must begin before it ends")
	}
	oldest, latest := now.Add(-Keep), now.Add(time.Hour) // no event is earlier or later
	from, to = within(from, oldest, latest), within(to, oldest, latest)
	if to.Equal(now) { // events of this moment belong to it
		to = to.Add(time.Microsecond)
	}
	return from, to, nil
}

// within returns the time nearest to at that is neither before oldest nor after latest.
func within(at, oldest, latest time.Time) time.Time {
	switch {
	case at.Before(oldest):
		return oldest
	case at.After(latest):
		return latest
	}
	return at
}

func readSpan(text string, zone *time.Location, now time.Time) (from, to time.Time, ok bool) {
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
	switch strings.ToLower(text) {
	case "today":
		return today, now, true
	case "yesterday":
		return today.AddDate(0, 0, -1), today, true
	case "week":
		return now.AddDate(0, 0, -7), now, true
	case "month":
		return now.AddDate(0, -1, 0), now, true
	}
	first, second, interval := strings.Cut(text, "/")
	if !interval {
		if from, ok = shift(now, first, -1); !ok {
			from, ok = readDate(first, zone)
		}
		return from, now, ok
	}
	from, isTime := readDate(first, zone)
	to, ok = readDate(second, zone)
	switch {
	case isTime && ok:
		return from, to, true
	case isTime:
		to, ok = shift(from, second, 1)
	case ok:
		from, ok = shift(to, first, -1)
	default:
		if from, isTime = shift(now, first, -1); isTime {
			to, ok = shift(now, second, -1)
		}
	}
	return from, to, ok
}
