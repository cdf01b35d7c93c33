package insight

import (
	"math"
	"slices"
)

// sketch estimates quantiles of any number of values, each with a relative error of at most 1 % (DDSketch, Masson, Rim and Lee, 2019). It
// holds at most some 3,000 counts, because values beyond ±1e12 and below 1e-9 count as those.
type sketch struct {
	counts map[int32]int64
	n      int64
}

const (
	sketchError = 0.01
	sketchLeast = 1e-9
	sketchMost  = 1e12
)

var sketchBase = math.Log((1 + sketchError) / (1 - sketchError))

func (s *sketch) add(v float64) {
	if s.counts == nil {
		s.counts = map[int32]int64{}
	}
	s.counts[bucketOf(v)]++
	s.n++
}

// bucketOf returns the number of the bucket of a value: 0 for 0, and greater ones for greater values.
func bucketOf(v float64) int32 {
	if math.Abs(v) < sketchLeast {
		return 0
	}
	b := int32(math.Ceil(math.Log(min(math.Abs(v), sketchMost)/sketchLeast)/sketchBase)) + 1
	if v < 0 {
		return -b
	}
	return b
}

func valueOfBucket(b int32) float64 {
	if b == 0 {
		return 0
	}
	sign := 1.0
	if b < 0 {
		sign, b = -1, -b
	}
	return sign * sketchLeast * math.Exp(sketchBase*float64(b-1)) * (1 - sketchError)
}

// quantile returns the value that a share q of all values do not exceed.
func (s *sketch) quantile(q float64) float64 {
	buckets := make([]int32, 0, len(s.counts))
	for b := range s.counts {
		buckets = append(buckets, b)
	}
	slices.Sort(buckets)
	rank, seen := int64(math.Ceil(q*float64(s.n))), int64(0)
	for _, b := range buckets {
		if seen += s.counts[b]; seen >= rank {
			return valueOfBucket(b)
		}
	}
	return 0
}
