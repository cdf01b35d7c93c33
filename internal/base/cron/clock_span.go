package cron

import (
	"math"
	"time"
)

// clockSpan is a time in which the clocks of a zone are not moved; they need not be moved at its ends either. start and end are
// seconds since 1970, end is the first second of the next span. Its wall is what the clocks show, in seconds or minutes
// since 1970 as if each day had 24 hours.
type clockSpan struct {
	start, end int64
	offset     int64 // seconds east of UTC
}

// longestJump is how far a clock may be moved, in seconds, so that Debian's cron still takes it for daylight saving
// time (cron.c, wakeupKind: 3*MINUTE_COUNT): less than three hours ahead, up to three hours back.
const longestJump = 3 * 60 * 60

// spanAt returns the span that a second is in.
func spanAt(second int64, zone *time.Location) clockSpan {
	t := time.Unix(second, 0).In(zone)
	_, offset := t.Zone()
	s := clockSpan{math.MinInt64, math.MaxInt64, int64(offset)}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		s.start = start.Unix()
	}
	if !end.IsZero() {
		s.end = end.Unix()
	}
	if s.end <= second {
		// On the last day of a leap year Go takes the year to be over (time.tzset adds 365 days to its start). That day
		// is a span of its own.
		s.start, s.end = s.end, time.Date(t.UTC().Year()+1, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	}
	return s
}

// ClocksMove returns the first second after t, since 1970, at which the clocks of a zone may be moved; math.MaxInt64 when they
// never are.
func ClocksMove(t time.Time, zone *time.Location) (second int64) { return spanAt(t.Unix(), zone).end }

// firstWall is the first whole minute that the clocks show.
func (s clockSpan) firstWall() int64 { return wholeMinute(s.start + s.offset) }

// lastWall is the first whole minute that the clocks would show, were they not moved.
func (s clockSpan) lastWall() int64 {
	if s.last() {
		return math.MaxInt64 / 60
	}
	return wholeMinute(s.end + s.offset)
}

// last reports whether the clocks are never moved again.
func (s clockSpan) last() bool { return s.end == math.MaxInt64 }

// corrects reports whether the clocks were moved so far since the span before that it is a correction and no daylight
// saving time.
func (s clockSpan) corrects(before clockSpan) bool {
	jump := s.offset - before.offset
	return jump >= longestJump || jump < -longestJump
}

// repeats returns the span before when the clocks may show at a second what they showed in it.
func (s clockSpan) repeats(second int64, zone *time.Location) (before clockSpan, ok bool) {
	if s.start < math.MinInt64/2 || second-s.start > longestJump {
		return clockSpan{}, false
	}
	before = spanAt(s.start-1, zone)
	return before, !s.corrects(before)
}

func wholeMinute(seconds int64) int64 { return floorDiv(seconds+59, 60) }
