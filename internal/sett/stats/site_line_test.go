package stats

import (
	"testing"
	"time"

	"sett/internal/sett/checks"
)

func TestWhatChecksTook(t *testing.T) {
	t.Parallel()
	var results []checks.UptimeCheck
	for i := range 100 {
		results = append(results, checks.UptimeCheck{Location: checks.London, Up: true, Duration: time.Duration(100-i) * time.Millisecond})
	}
	results = append(results, checks.UptimeCheck{Location: checks.Oregon, Duration: time.Hour})
	if p50, p95 := Took(0.5, results), Took(0.95, results); p50 != 51*time.Millisecond || p95 != 96*time.Millisecond {
		t.Error(p50, p95)
	}
	if percent, ok := UpShare(results); !ok || percent < 99 || percent > 99.1 {
		t.Error(percent, ok)
	}
	if _, ok := UpShare(nil); ok || Took(0.5, nil) != 0 {
		t.Error("there is a share of nothing")
	}
	if got := len(ChecksFrom(checks.Oregon, results)); got != 1 {
		t.Errorf("%d checks from Oregon", got)
	}
	if got := Slow(results); got != 153*time.Millisecond {
		t.Error(got)
	}
}

func TestSpansOfResponseTimesEndNow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 34, 56, 0, time.UTC)
	for _, s := range []ResponseSpan{ResponseDay, ResponseWeek, ResponseMonth} {
		from, width, n := s.Steps(now)
		if end := from.Add(time.Duration(n) * width); now.Before(end.Add(-width)) || !now.Before(end) {
			t.Errorf("%s: the last step from %s ends at %s", s, from, end)
		}
	}
}
