package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
)

// series is how often a fault occurs in windows, by their number.
type series func(window int) float64

func steady(n float64) series { return func(int) float64 { return n } }

// from is one series up to a window, and another from there.
func from(window int, before, after series) series {
	return func(w int) float64 {
		if w < window {
			return before(w)
		}
		return after(w)
	}
}

// noisy draws the counts of two days of windows that follow a series; notices come independently of one another.
func noisy(random *rand.Rand, s series) (counts []int64) {
	for w := range 2 * spikeDay {
		mean, n := s(w), int64(0)
		if mean > 50 { // nearly normal
			n = int64(math.Round(max(0, mean+math.Sqrt(mean)*random.NormFloat64())))
		} else {
			for p := random.Float64(); mean > 0 && p > math.Exp(-mean); n++ {
				p *= random.Float64()
			}
		}
		counts = append(counts, n)
	}
	return counts
}

// spikesOf returns the windows that send a notification of a spike, among those with a day before them.
func spikesOf(counts []int64, first int) (spikes []int) {
	var highAt time.Time
	begin := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	for w := first; w < len(counts); w++ {
		now := begin.Add(time.Duration(w) * SpikeWindow)
		notify, note := MeasureVolume(counts[max(0, w-SpikeHistory):w], counts[w]).Notify(highAt, now)
		if notify {
			spikes = append(spikes, w)
		}
		if note {
			highAt = now
		}
	}
	return spikes
}

func TestSpikesOfSyntheticSeries(t *testing.T) {
	t.Parallel()
	cycle := func(w int) float64 { return 300 * (1 + math.Sin(2*math.Pi*float64(w)/spikeDay)) / 2 }
	office := func(w int) float64 {
		if hour := w % spikeDay / 6; hour >= 9 && hour < 17 {
			return 200
		}
		return 0
	}
	nightly := func(w int) float64 {
		if w%spikeDay == 20 {
			return 500
		}
		return 1
	}
	hourly := func(w int) float64 {
		if w%6 == 0 {
			return 100
		}
		return 2
	}
	ramp := func(w int) float64 { return 10 + float64(max(0, w-160)) }
	for name, c := range map[string]struct {
		of     series
		first  int // window
		spikes []int
	}{
		"never":                    {steady(0), SpikeHistory, nil},
		"rare":                     {steady(0.1), SpikeHistory, nil},
		"steady, few":              {steady(5), SpikeHistory, nil},
		"steady, many":             {steady(5000), SpikeHistory, nil},
		"daily cycle":              {cycle, SpikeHistory, nil},
		"office hours":             {office, SpikeHistory, nil},
		"nightly job":              {nightly, SpikeHistory, nil},
		"hourly job":               {hourly, SpikeHistory, nil},
		"ramp":                     {ramp, SpikeHistory, nil},
		"doubles":                  {from(200, steady(100), steady(200)), SpikeHistory, nil},
		"four times":               {from(200, steady(100), steady(400)), SpikeHistory, nil},
		"ten times":                {from(200, steady(100), steady(1000)), SpikeHistory, []int{200}},
		"ten times, few":           {from(200, steady(5), steady(60)), SpikeHistory, []int{200}},
		"quiet, then 40":           {from(200, steady(0), from(201, steady(40), steady(0))), SpikeHistory, []int{200}},
		"quiet, then 5":            {from(200, steady(0), steady(5)), SpikeHistory, nil},
		"spike on a daily cycle":   {from(200, cycle, from(203, steady(3000), cycle)), SpikeHistory, []int{200}},
		"again after a short calm": {from(200, steady(10), from(201, steady(300), from(203, steady(10), from(204, steady(300), steady(10))))), SpikeHistory, []int{200, 203}},
		"again at once":            {from(200, steady(10), from(201, steady(300), from(202, steady(10), from(204, steady(300), steady(10))))), SpikeHistory, []int{200}},
		"new and busy":             {steady(500), 0, nil},
		"new and growing":          {func(w int) float64 { return 3 * float64(w) }, 0, nil},
		"known for three hours":    {from(spikeKnown, steady(2), from(spikeKnown+1, steady(200), steady(2))), 0, []int{spikeKnown}},
		"known for less":           {from(spikeKnown-1, steady(2), from(spikeKnown, steady(200), steady(2))), 0, nil},
	} {
		for seed := range uint64(10) {
			counts := noisy(rand.New(rand.NewPCG(seed, 7)), c.of)
			if diff := cmp.Diff(c.spikes, spikesOf(counts, c.first)); diff != "" {
				t.Errorf("%s, seed %d (-want +got):\n%s", name, seed, diff)
				break
			}
		}
	}
}

func TestMeasuredVolume(t *testing.T) {
	t.Parallel()
	history := slices.Repeat([]int64{8, 10, 12}, SpikeHistory/3)
	got := MeasureVolume(history, 60)
	want := Volume{alerts.SpikeFacts{Observed: 60, BaselineMedian: 10, Factor: 6, ZScore: 15.81, WindowMinutes: 10}, true, true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = MeasureVolume(slices.Repeat([]int64{0, 10, 40}, SpikeHistory/3), 50)
	want = Volume{alerts.SpikeFacts{Observed: 50, BaselineMedian: 10, Factor: 5, ZScore: 2.7, WindowMinutes: 10}, false, false}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of a fault whose count swings (-want +got):\n%s", diff)
	}
	if got := MeasureVolume(nil, 1000); got.High || got.Sudden || got.Factor != 1000 {
		t.Errorf("without history: %+v", got)
	}
}

// Whatever went before: more notices never make less of a spike, few are none, and what is a spike may be one by the
// cheap look too.
func TestSpikesOfAnyHistory(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		history := make([]int64, random.IntN(SpikeHistory+1))
		for i := range history {
			history[i] = random.Int64N(1 + random.Int64N(50))
		}
		n := random.Int64N(400)
		v, more := MeasureVolume(history, n), MeasureVolume(history, n+1)
		if v.High && !more.High || v.Sudden && !more.Sudden {
			t.Fatalf("%d is more of a spike than one notice more, after %v", n, history)
		}
		notify, note := v.Notify(time.Time{}, time.Unix(0, 0))
		switch {
		case notify && (n < spikeLeast || len(history) < spikeKnown):
			t.Fatalf("%d is a spike after %v", n, history)
		case notify && !MaySpike(history[len(history)-SpikeHour:], n):
			t.Fatalf("%d is a spike and cannot be, after %v", n, history)
		case notify != note:
			t.Fatalf("a spike of a calm fault notifies %t, is noted %t", notify, note)
		}
	}
}

func TestASpikeNotifiesOnceUntilItIsCalm(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	high, spike := Volume{High: true}, Volume{High: true, Sudden: true}
	for name, c := range map[string]struct {
		v            Volume
		ago          time.Duration // 0: never
		notify, note bool
	}{
		"never before":         {spike, 0, true, true},
		"high but not sudden":  {high, 0, false, false},
		"calm":                 {Volume{}, time.Minute, false, false},
		"still":                {spike, time.Minute, false, true},
		"still high":           {high, time.Minute, false, true},
		"not calm for long":    {spike, SpikeCalm - 1, false, true},
		"after a calm":         {spike, SpikeCalm, true, true},
		"high after a calm":    {high, SpikeCalm, false, false},
		"sudden, but not high": {Volume{Sudden: true}, 0, false, false},
	} {
		var at time.Time
		if c.ago > 0 {
			at = now.Add(-c.ago)
		}
		if notify, note := c.v.Notify(at, now); notify != c.notify || note != c.note {
			t.Errorf("%s: notify %t, note %t", name, notify, note)
		}
	}
}

func TestWindowsSinceAFaultWasMade(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]int{
		-time.Hour: 0, 0: 0, 10*time.Minute - 1: 0, 10 * time.Minute: 1, 3 * time.Hour: 18, 1000 * time.Hour: SpikeHistory,
	} {
		if got := SpikeWindows(noon.Add(-ago), noon); got != want {
			t.Errorf("made %v before: %d windows, want %d", ago, got, want)
		}
	}
}
