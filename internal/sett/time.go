package sett

import (
	"time"
)

// The years that RFC 3339 can write, and so JSON, in seconds since 1970.
const (
	firstYear    = -62_135_596_800
	lastYearEnds = 253_402_300_800 // 10000
)

// lastMoment is the last microsecond that can be written.
func lastMoment() time.Time { return time.Unix(lastYearEnds, -1000).UTC() }

// Written returns a time in UTC as far as it can be written: what lies beyond the year 9999, such as the end of a certificate
// whose clock is not that of UTC, is the end of that year, and what lies before the year 1 is no time.
func Written(t time.Time) time.Time {
	switch at := t.Unix(); {
	case at < firstYear:
		return time.Time{}
	case at >= lastYearEnds:
		return lastMoment()
	}
	return t.UTC()
}
