package sett

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Of the buckets that a span touches the first may begin before it, and the others are part of it as a whole.
func TestBucketsOfASpan(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for range 2000 {
		newest := noon.Add(time.Duration(random.Int64N(int64(24*time.Hour))) / time.Microsecond * time.Microsecond)
		if random.IntN(4) == 0 {
			newest = newest.Truncate(time.Hour).Add(-time.Microsecond * time.Duration(random.IntN(2)))
		}
		for _, rate := range AlertRates() {
			span := rate.Before(newest)
			if span.To != newest || span.To.Sub(span.After) != rate.Span() {
				t.Fatalf("%s before %v is %v", rate, newest, span)
			}
			for _, width := range rate.Widths() {
				starts := span.Starts(width)
				first, last := time.Unix(starts[0], 0), time.Unix(starts[len(starts)-1], 0)
				if first.After(span.First()) || !first.Add(width).After(span.First()) {
					t.Errorf("%s before %v: the first bucket of %v begins at %v", rate, newest, width, first)
				}
				if last.After(newest) || !last.Add(width).After(newest) {
					t.Errorf("%s before %v: the last bucket of %v begins at %v", rate, newest, width, last)
				}
				for i, at := range starts {
					if at%int64(width/time.Second) != 0 || at != starts[0]+int64(i)*int64(width/time.Second) {
						t.Errorf("%s before %v: buckets of %v begin at %v", rate, newest, width, starts)
					}
				}
			}
		}
	}
}

func TestNoNoticeCountsForTwoAlerts(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for _, rate := range AlertRates() {
		for _, c := range []struct {
			told, newest time.Time
			quiet        bool
		}{
			{time.Time{}, noon, false},
			{noon, noon, true},
			{noon, noon.Add(rate.Span() - time.Microsecond), true},
			{noon, noon.Add(rate.Span()), false},
		} {
			if got := rate.Quiet(c.told, c.newest); got != c.quiet {
				t.Errorf("%s, told at %v, newest at %v: quiet is %t", rate, c.told, c.newest, got)
			}
			if span := rate.Before(c.newest); !c.quiet && !span.First().After(c.told) {
				t.Errorf("%s: a notice that was told of at %v counts again from %v", rate, c.told, span.First())
			}
		}
	}
}
