package cron

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// Period is the time between two pings of a check-in, or by which one may be late: a report_period or a grace_period. Its text is kept and
// returned as it was sent; this is what it means.
type Period struct {
	Months int           // of the calendar
	Length time.Duration // beside them; a day has 24 hours
}

// longestPeriod is how long a period is at most.
const longestPeriod = 366 * 24 * time.Hour

// periodUnits are the units of a period, each with the length of one; months are counted apart.
var periodUnits = map[string]time.Duration{
	"":       time.Minute, // the client's documents have bare numbers
	"minute": time.Minute,
	"hour":   time.Hour,
	"day":    24 * time.Hour,
	"week":   7 * 24 * time.Hour,
	"month":  0,
}

// ParsePeriod reads a number of minutes, hours, days, weeks or months, in any case and with any blanks; a bare
// number counts minutes, and a blank text is no time at all (wire.md §7.2). The error begins with the text, so that it can
// follow the name of a field.
func ParsePeriod(text string) (Period, error) {
	clean := strings.ToLower(strings.Trim(text, " \t"))
	if clean == "" {
		return Period{}, nil
	}
	digits := clean[:len(clean)-len(strings.TrimLeft(clean, "0123456789"))]
	word := strings.Trim(clean[len(digits):], " \t")
	unit := word
	if len(word) > 1 {
		unit = strings.TrimSuffix(word, "s")
	}
	length, known := periodUnits[unit]
	if digits == "" || !known {
		return Period{}, fmt.Errorf(`%s is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`, phrase.Quote(text))
	}
	count, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		count = math.MaxInt32
	}
	if unit == "month" && count <= 12 {
		return Period{Months: int(count)}, nil
	}
	if unit == "month" || count > int64(longestPeriod/length) {
		return Period{}, fmt.Errorf("%s is too long (maximum is 12 months or 366 days)", phrase.Quote(text))
	}
	return Period{Length: time.Duration(count) * length}, nil
}

// IsZero reports whether the period is no time at all, as a report_period must not be.
func (p Period) IsZero() bool { return p == Period{} }

// Add returns t and the period, in UTC. After a month comes the same day of the next one, or its last day where it is
// shorter.
func (p Period) Add(t time.Time) time.Time {
	return AddMonths(t.UTC(), p.Months).Add(p.Length)
}
