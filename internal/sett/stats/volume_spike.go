package stats

import (
	"math"
	"slices"
	"time"

	"sett/internal/sett/alerts"
)

// What a spike is. A fault spikes when it occurs in ten minutes
//
//   - often at all: at least 20 times, or every handful of notices of a rare fault would be one;
//   - far more often than usual: at least 5 times the median of the day's windows, and at least 4 of their standard
//     deviations above it, for faults whose count swings anyway. Median and MAD (median of the deviations) are what half
//     of the windows would have to change, so neither an earlier spike nor a quiet night moves them. Notices that come
//     independently of one another swing by the root of their number (Poisson), and that is the least deviation: a fault
//     that is never there, or always to the second, has a MAD of zero;
//   - suddenly: at least twice as often as in the hour before, or what has grown all day would be one, and as at the same
//     time of the day before, or a job of every night and the morning of a shop with office hours would be.
//
// A fault that has been known for less than three hours has no usual volume: users were notified of it when it was new.
const (
	SpikeWindow  = 10 * time.Minute
	SpikeHistory = 147 // windows that are looked at before the newest: a day and half an hour
	SpikeHour    = 6   // of them, those of the hour before the newest
	SpikeCalm    = 30 * time.Minute

	spikeLeast     = 20 // notices
	spikeFactor    = 5
	spikeScore     = 4
	spikeSudden    = 2
	spikeDay       = 144 // windows
	spikeYesterday = 6   // windows around the same time of the day before
	spikeKnown     = 18  // windows that a fault has a history of at least
)

// SpikeWindows returns how many whole windows a fault that was made then had before the window that begins at from.
func SpikeWindows(createdAt, from time.Time) int {
	return int(min(max(from.Sub(createdAt)/SpikeWindow, 0), SpikeHistory))
}

// MaySpike reports whether so many notices after those of the hour before may be a sudden spike; Volume.Sudden says for
// sure.
func MaySpike(hour []int64, observed int64) bool {
	return observed >= spikeLeast && float64(observed) >= spikeSudden*median(hour)
}

// Volume is how often a fault occurred in a window, compared with those before.
type Volume struct {
	alerts.SpikeFacts
	High   bool // far more often than usual
	Sudden bool // as of late and as yesterday
}

// MeasureVolume compares the notices of a window with those of up to SpikeHistory windows before it, the oldest first.
func MeasureVolume(history []int64, observed int64) Volume {
	n := len(history)
	usual := history[max(0, n-spikeDay):]
	m := median(usual)
	factor := float64(observed) / max(m, 1)
	score := (float64(observed) - m) / deviation(usual, m)
	v := Volume{SpikeFacts: alerts.SpikeFacts{
		Observed: observed, BaselineMedian: m, Factor: hundredths(factor), ZScore: hundredths(score), WindowMinutes: int64(SpikeWindow / time.Minute),
	}}
	if n < spikeKnown {
		return v
	}
	v.High = observed >= spikeLeast && factor >= spikeFactor && score >= spikeScore
	v.Sudden = MaySpike(history[n-SpikeHour:], observed)
	for _, then := range history[:max(0, n-SpikeHistory+spikeYesterday)] {
		v.Sudden = v.Sudden && observed >= spikeSudden*then
	}
	return v
}

// Notify reports whether the volume sends a notification, when the fault was last high at highAt after a notification of a
// spike, zero for never; and whether the caller must record that it is high now: until it has been calm for SpikeCalm it is
// the same spike.
func (v Volume) Notify(highAt, now time.Time) (notify, note bool) {
	calm := highAt.IsZero() || now.Sub(highAt) >= SpikeCalm
	notify = v.High && v.Sudden && calm
	return notify, notify || v.High && !calm
}

// median returns the middle of the counts, 0 for none.
func median(counts []int64) float64 {
	values := make([]float64, len(counts))
	for i, n := range counts {
		values[i] = float64(n)
	}
	return medianOf(values)
}

func medianOf(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// deviation is a robust estimate of the standard deviation of counts with a median; 1.4826 times the MAD is it for a
// normal distribution.
func deviation(counts []int64, median float64) float64 {
	off := make([]float64, len(counts))
	for i, n := range counts {
		off[i] = math.Abs(float64(n) - median)
	}
	return max(1.4826*medianOf(off), math.Sqrt(median), 1)
}

func hundredths(x float64) float64 { return math.Round(x*100) / 100 }
