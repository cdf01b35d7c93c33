package sett

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"
)

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
