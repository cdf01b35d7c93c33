package stats

import (
	"slices"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

// SiteLine is a site as a list of sites shows it.
type SiteLine struct {
	checks.Site
	Recent     []checks.UptimeCheck // the newest RecentChecks at most, the oldest first
	Month      checks.TimeShare     // over PulseDays days
	LastOutage checks.Outage        // the newest, with its times and reason alone; DownAt is zero when there was none
}

// RecentChecks is how many checks a line shows, and StripChecks how many a site's page does of each location.
const (
	RecentChecks = 30
	StripChecks  = 60
)

// SitePulse is how a site does, as its page shows it.
type SitePulse struct {
	checks.Site
	Checks []checks.UptimeCheck // of the last 24 hours, the oldest first
	Days   []checks.StatusDay   // today last
}

// ChecksFrom returns the checks from one location.
func ChecksFrom(l checks.Location, checks []checks.UptimeCheck) (found []checks.UptimeCheck) {
	for _, c := range checks {
		if c.Location == l {
			found = append(found, c)
		}
	}
	return found
}

// Took returns how long a share q of the checks that did not fail took at most, from 0 to 1; 0 when there was none.
func Took(q float64, checks []checks.UptimeCheck) time.Duration {
	var all []time.Duration
	for _, c := range checks {
		if c.Up {
			all = append(all, c.Duration)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

// slowTimes is how many times as long as half of the others a slow check takes.
const slowTimes = 3

// Slow returns how long a check takes at least that is called slow among others.
func Slow(checks []checks.UptimeCheck) time.Duration {
	return max(slowTimes*Took(0.5, checks), 100*time.Millisecond)
}

// UpShare returns the share of checks that did not fail, in percent; ok is false when there was none.
func UpShare(results []checks.UptimeCheck) (percent float64, ok bool) {
	u := checks.Uptime{Checks: int64(len(results))}
	for _, c := range results {
		if !c.Up {
			u.Failed++
		}
	}
	return u.Percent()
}

// ResponseSpan is the time that a chart of response times shows.
type ResponseSpan string

// The spans of charts of response times.
const (
	ResponseDay   ResponseSpan = "day"
	ResponseWeek  ResponseSpan = "week"
	ResponseMonth ResponseSpan = "month"
)

// Steps returns when a span that ends now begins, how long one of its equal parts is, and how many they are.
func (s ResponseSpan) Steps(now time.Time) (from time.Time, width time.Duration, n int) {
	switch s {
	case ResponseWeek:
		width, n = time.Hour, 168
	case ResponseMonth:
		return accounts.Day(now).AddDate(0, 0, -29), 24 * time.Hour, 30
	default:
		width, n = 15*time.Minute, 96
	}
	return now.Truncate(width).Add(-time.Duration(n-1) * width), width, n
}

// ResponseLine is how long checks from one location took on average in each part of a span; -1 where none succeeded.
type ResponseLine struct {
	Location checks.Location
	Means    []time.Duration
}

// ResponseTimes returns how long the checks of the last day took, by location in the order of the contract, without those
// that had none. It says the same as what is read of other spans.
func (p SitePulse) ResponseTimes(now time.Time) (lines []ResponseLine) {
	from, width, n := ResponseDay.Steps(now)
	for _, l := range checks.Locations() {
		line, sums, counts, any := NewResponseLine(l, n), make([]time.Duration, n), make([]time.Duration, n), false
		for _, c := range p.Checks {
			if step := int(c.At.Sub(from) / width); c.Location == l && c.Up && !c.At.Before(from) && step < n {
				sums[step], counts[step], any = sums[step]+c.Duration, counts[step]+1, true
			}
		}
		for step, sum := range sums {
			if counts[step] > 0 {
				line.Means[step] = (sum / counts[step]).Truncate(time.Microsecond)
			}
		}
		if any {
			lines = append(lines, line)
		}
	}
	return lines
}

// NewResponseLine returns a line without any check.
func NewResponseLine(l checks.Location, n int) ResponseLine {
	return ResponseLine{l, slices.Repeat([]time.Duration{-1}, n)}
}
