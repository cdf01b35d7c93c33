package sett

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMissSpans(t *testing.T) {
	t.Parallel()
	at := func(hour int) time.Time { return time.Date(2026, 11, 18, hour, 0, 0, 0, time.UTC) }
	turns := []CheckInTurn{
		{at(1), CheckInReporting},
		{at(2), CheckInMissing},
		{at(3), CheckInReporting},
		{at(4), CheckInMissing},
		{at(5), CheckInMissing},
		{at(6), CheckInPaused},
		{at(7), CheckInReporting},
		{at(8), CheckInMissing},
	}
	for name, c := range map[string]struct {
		from, to int
		want     []DownSpan
	}{
		"all":            {0, 24, []DownSpan{{From: at(2), To: at(3)}, {From: at(4), To: at(6)}, {From: at(8)}}},
		"in its midst":   {5, 6, []DownSpan{{From: at(4), To: at(6)}}},
		"at its ends":    {6, 8, nil},
		"while it lasts": {20, 21, []DownSpan{{From: at(8)}}},
		"before":         {0, 2, nil},
	} {
		if diff := cmp.Diff(c.want, MissSpans(turns, at(c.from), at(c.to)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
