package sett

import (
	"testing"
	"time"
)

func TestWritten(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	west, east := time.FixedZone("", -14*3600), time.FixedZone("", 14*3600)
	for _, c := range [][2]time.Time{
		{noon, noon},
		{noon.In(west), noon.In(west)},
		{{}, {}},
		{lastMoment(), lastMoment()},
		{lastMoment().In(east), lastMoment()},
		{lastMoment().Add(time.Second), lastMoment()},
		{time.Date(9999, 12, 31, 23, 0, 0, 0, west), lastMoment()},
		{time.UnixMicro(1<<63 - 1), lastMoment()},
		{time.UnixMicro(-1 << 63), {}},
	} {
		got := Written(c[0])
		if _, err := got.MarshalJSON(); err != nil || !got.Equal(c[1]) {
			t.Errorf("%v is %v, %v; want %v", c[0], got, err, c[1])
		}
	}
}
