// Package stats turns counts into what charts and reports show: periods and their buckets, rows of reports, the health of a project, spikes
// of volume, and how the checks of a site went. It takes counts by time and the current time, and returns series, spans and verdicts. It
// reads and stores nothing, and does not know where the counts come from.
package stats

import (
	"time"

	"sett/internal/sett"
)

// Period is how far back an occurrence series looks, in buckets of equal width; the last bucket holds now (contract,
// Projects).
type Period string

// The periods of the contract.
const (
	PastHour  Period = "hour"  // 60 minutes
	PastDay   Period = "day"   // 24 hours
	PastWeek  Period = "week"  // 7 days
	PastMonth Period = "month" // 30 days
)

// ParsePeriod reads a period; "" is PastHour. Any other word is an Invalid error.
func ParsePeriod(s string) (Period, error) {
	switch p := Period(s); p {
	case "":
		return PastHour, nil
	case PastHour, PastDay, PastWeek, PastMonth:
		return p, nil
	default:
		return "", sett.Refuse("period", "must be one of hour, day, week, month")
	}
}

// Width returns how long a bucket of the period is. Buckets begin at multiples of it since 1970 UTC.
func (p Period) Width() time.Duration {
	switch p {
	case PastDay:
		return time.Hour
	case PastWeek, PastMonth:
		return 24 * time.Hour
	default:
		return time.Minute
	}
}

// buckets is how many rows a series of the period has.
func (p Period) buckets() int {
	switch p {
	case PastDay:
		return 24
	case PastWeek:
		return 7
	case PastMonth:
		return 30
	default:
		return 60
	}
}

// Starts returns when each bucket of the period begins, the oldest first, in seconds since 1970.
func (p Period) Starts(now time.Time) []int64 {
	width := int64(p.Width() / time.Second)
	last := now.Unix() / width * width
	starts := make([]int64, p.buckets())
	for i := range starts {
		starts[i] = last - int64(len(starts)-1-i)*width
	}
	return starts
}

// Point is one row of an occurrence series: how many notices there were from At until the next point.
type Point struct {
	At    time.Time
	Count int64
}

// Series returns a row for every bucket of the period; counts has those that are not zero, by their start in seconds
// since 1970.
func (p Period) Series(now time.Time, counts map[int64]int64) []Point {
	var points []Point
	for _, at := range p.Starts(now) {
		points = append(points, Point{time.Unix(at, 0).UTC(), counts[at]})
	}
	return points
}
