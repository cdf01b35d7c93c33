package cron

import (
	"math"
	"strings"
	"testing"
	"time"
)

// Each span holds the second that it was asked for, and the next one begins where it ends. Go's own bounds do not, on
// the last day of a leap year.
func TestSpansFollowOneAnother(t *testing.T) {
	t.Parallel()
	until := utcDay(2045, 1, 1).Unix()
	for _, name := range strings.Fields(zoneNames) {
		zone := mustZone(t, name)
		for at := utcDay(1965, 1, 1).Unix(); at < until; {
			s := spanAt(at, zone)
			last := min(s.end, until) - 1
			if _, offset := time.Unix(last, 0).In(zone).Zone(); s.start > at || s.end <= at || int64(offset) != s.offset {
				t.Fatalf("%s, %v: %+v", name, time.Unix(at, 0).UTC(), s)
			}
			if s.end == math.MaxInt64 {
				break
			}
			at = s.end
		}
	}
	leap := utcDay(2040, 12, 31).Add(12 * time.Hour).Unix()
	if s := spanAt(leap, mustZone(t, "America/New_York")); s.start != utcDay(2040, 12, 31).Unix() || s.end != utcDay(2041, 1, 1).Unix() {
		t.Errorf("the last span of 2040 is from %v until %v", time.Unix(s.start, 0).UTC(), time.Unix(s.end, 0).UTC())
	}
}
