package cron

import (
	"testing"
	"time"
)

func TestMonthsStayWithinTheMonth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		now  time.Time
		n    int
		want time.Time
	}{
		{utc(2026, 3, 31), 1, utc(2026, 2, 28)},
		{utc(2024, 3, 31), 1, utc(2024, 2, 29)},
		{utc(2026, 12, 31), 1, utc(2026, 11, 30)},
		{utc(2026, 1, 31), 1, utc(2025, 12, 31)},
		{utc(2024, 2, 29), 12, utc(2023, 2, 28)},
	} {
		if got := AddMonths(c.now, -c.n); !got.Equal(c.want) {
			t.Errorf("%d months before %v are %v", c.n, c.now, got)
		}
	}
}

func utc(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
