package checks

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"sett/internal/sett/accounts"
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

// Percent returns the share of checks that did not fail; ok is false when there was none. Times without a check are
// neither up nor down.
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
func RolledUpTo(now time.Time) time.Time { return accounts.Day(now.Add(-rollUpDelay)) }

// TimeShare is how long something was monitored, and how long of that it was down.
type TimeShare struct{ Measured, Down time.Duration }

// ShareOf sums up the last days of several things.
func ShareOf(days int, histories ...[]StatusDay) (s TimeShare) {
	for _, h := range histories {
		for _, d := range h[max(0, len(h)-days):] {
			s.Measured, s.Down = s.Measured+d.Measured, s.Down+d.Down
		}
	}
	return s
}

// Percent returns the share of the time in which nothing was down; ok is false without monitored time.
func (s TimeShare) Percent() (percent float64, ok bool) {
	if s.Measured <= 0 {
		return 0, false
	}
	return 100 * float64(s.Measured-s.Down) / float64(s.Measured), true
}

// Latencies counts durations in buckets whose bounds grow by 4 %, so that any quantile is known to 2 % however many there
// were, and two counts can be added (the buckets of DDSketch: Masson, Rim and Lee, 2019). Keys are numbers of buckets.
type Latencies map[int64]int64

// latencyError is how far a duration may be from the middle of its bucket.
const latencyError = 0.02

var latencyGrowth = math.Log((1 + latencyError) / (1 - latencyError))

// Add counts a duration; what is less than a microsecond counts as one.
func (l Latencies) Add(d time.Duration) { l[latencyBucket(d)]++ }

func latencyBucket(d time.Duration) int64 {
	micros := max(float64(d)/float64(time.Microsecond), 1)
	return int64(math.Ceil(math.Log(micros) / latencyGrowth))
}

// latencyMiddle returns the duration that stands for all of a bucket.
func latencyMiddle(bucket int64) time.Duration {
	micros := math.Exp(float64(bucket)*latencyGrowth) * (1 - latencyError)
	return time.Duration(micros * float64(time.Microsecond))
}

// Quantile returns the duration that a share q of all do not exceed, from 0 to 1; 0 when there is none.
func (l Latencies) Quantile(q float64) time.Duration {
	var total int64
	for _, n := range l {
		total += n
	}
	if total == 0 {
		return 0
	}
	rank := max(int64(math.Ceil(q*float64(total))), 1)
	for _, bucket := range slices.Sorted(maps.Keys(l)) {
		if rank -= l[bucket]; rank <= 0 {
			return latencyMiddle(bucket)
		}
	}
	return 0
}

// Encode returns the counts as bytes: for each bucket how far it is from the one before, and its count, as varints.
func (l Latencies) Encode() []byte {
	b := []byte{}
	var before int64
	for _, bucket := range slices.Sorted(maps.Keys(l)) {
		b = binary.AppendUvarint(b, uint64(bucket-before))
		b = binary.AppendUvarint(b, uint64(l[bucket]))
		before = bucket
	}
	return b
}

// AddEncoded adds what Encode has returned.
func (l Latencies) AddEncoded(b []byte) error {
	var bucket int64
	for len(b) > 0 {
		gap, n := binary.Uvarint(b)
		count, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 {
			return errors.New("latencies end in the middle of a number")
		}
		b = b[n+m:]
		bucket += int64(gap)
		l[bucket] += int64(count)
	}
	return nil
}
