package sett

import "time"

// RateSpan is the time that occurrences of a fault are counted in: it ends with the newest notice of the fault and is as
// long as a rate. So an alert depends on when notices came, and never on when somebody looked.
type RateSpan struct {
	After time.Time // not part of it
	To    time.Time // the newest notice, part of it
}

// Before returns the span that ends with a notice.
func (r AlertRate) Before(newest time.Time) RateSpan { return RateSpan{newest.Add(-r.Span()), newest} }

// Widths returns the widths of the buckets that notices of the rate are counted by, coarse ones first: whoever counts
// looks at fine ones only when coarse ones leave it open whether the rate is exceeded.
func (r AlertRate) Widths() []time.Duration {
	switch r {
	case RateMinute:
		return []time.Duration{time.Minute}
	case RateHour:
		return []time.Duration{time.Hour, time.Minute}
	default:
		return []time.Duration{24 * time.Hour, time.Hour}
	}
}

// First returns the earliest time that is part of the span, to the microsecond of notices.
func (s RateSpan) First() time.Time { return s.After.Add(time.Microsecond) }

// Starts returns when the buckets of a width begin that the span touches, the oldest first, in seconds since 1970. Only
// the first may hold notices that are older than the span; none holds newer ones.
func (s RateSpan) Starts(width time.Duration) (starts []int64) {
	w := int64(width / time.Second)
	for at := s.First().Unix() / w * w; at <= s.To.Unix(); at += w {
		starts = append(starts, at)
	}
	return starts
}

// Quiet reports whether somebody who was told when an earlier notice was the newest is not told again of this one: no
// notice counts for two alerts. told is zero when they never were.
func (r AlertRate) Quiet(told, newest time.Time) bool {
	return !told.IsZero() && newest.Before(told.Add(r.Span()))
}
