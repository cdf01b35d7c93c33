package sett

import (
	"maps"
	"time"
)

// UptimeDay is what is kept of the checks of a site from one location on one UTC day.
type UptimeDay struct {
	Day       time.Time // its midnight
	Location  Location
	Checks    int64
	Failed    int64
	Total     time.Duration // of the checks that did not fail
	Latencies Latencies     // likewise: how long it takes to fail says nothing about how long a page takes
}

// Add counts a check.
func (d *UptimeDay) Add(c UptimeCheck) {
	if d.Checks++; !c.Up {
		d.Failed++
		return
	}
	d.Total += c.Duration
	if d.Latencies == nil {
		d.Latencies = Latencies{}
	}
	d.Latencies.Add(c.Duration)
}

// Uptime sums days up, whatever their locations.
type Uptime struct {
	Checks, Failed int64
	Latencies      Latencies
	total          time.Duration
}

// SumUptime returns the sum of days.
func SumUptime(days []UptimeDay) Uptime {
	u := Uptime{Latencies: Latencies{}}
	for _, d := range days {
		u.Checks, u.Failed, u.total = u.Checks+d.Checks, u.Failed+d.Failed, u.total+d.Total
		for bucket, n := range maps.All(d.Latencies) {
			u.Latencies[bucket] += n
		}
	}
	return u
}

// Percent returns the share of checks that did not fail; ok is false when there was none. Times without a check – nobody
// looked – are neither up nor down.
func (u Uptime) Percent() (percent float64, ok bool) {
	if u.Checks == 0 {
		return 0, false
	}
	return 100 * float64(u.Checks-u.Failed) / float64(u.Checks), true
}

// Mean returns how long a check took that did not fail; 0 when there was none.
func (u Uptime) Mean() time.Duration {
	if n := u.Checks - u.Failed; n > 0 {
		return u.total / time.Duration(n)
	}
	return 0
}

// rollUpDelay is for how long after its end a day is left open to checks that agents kept while they were cut off.
const rollUpDelay = 25 * time.Hour

// RolledUpTo returns the first day that is not to be rolled up yet.
func RolledUpTo(now time.Time) time.Time { return Day(now.Add(-rollUpDelay)) }
