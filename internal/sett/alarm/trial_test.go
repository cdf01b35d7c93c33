package alarm

import (
	"testing"
	"time"
)

func TestPastWindows(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 32, 30, 0, time.UTC)
	for _, c := range []struct {
		period, lag Span
		n           int
		from, to    string // of the newest
	}{
		{"1m", "0s", 1440, "18 10:31", "18 10:32"},
		{"5m", "1m", 288, "18 10:24", "18 10:29"},
		{"1d", "0s", 1, "17 00:00", "18 00:00"},
		{"6d", "0s", 1, "12 00:00", "18 00:00"},
	} {
		all := Settings{Period: c.period, Lag: c.lag}.Past(now)
		const layout = "02 15:04"
		if len(all) != c.n || all[0].From.Format(layout) != c.from || all[0].To.Format(layout) != c.to {
			t.Errorf("%s with a lag of %s: %d windows, the newest %v, want %d and %s to %s", c.period, c.lag, len(all), all[0], c.n, c.from, c.to)
		}
		if len(all) > 1 && !all[1].To.Equal(all[0].From) {
			t.Errorf("%s: the window before is %v", c.period, all[1])
		}
	}
}

func TestAlertsOfPastEvaluations(t *testing.T) {
	t.Parallel()
	s := Settings{Operator: "gt", Value: 2, Period: "1m"}
	var all []Evaluation
	for _, count := range []int64{3, 4, -1, 5, 0, 2, 9, -2, 1, 7} {
		e := Evaluation{Count: count}
		switch count {
		case -1:
			e.Skipped = "no server ran"
		case -2:
			e.Error = "it takes too long"
		}
		all = append(all, e)
	}
	if n := s.Alerts(all); n != 3 {
		t.Errorf("%d alerts, want 3: at 3, 9 and 7", n)
	}
}
