package cron

import "time"

// AddMonths returns the same day and time n months later, or the last day of that month where it is shorter. n may be
// negative.
func AddMonths(t time.Time, n int) time.Time {
	later := t.AddDate(0, n, 0)
	if later.Day() != t.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}
