package checks

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// exactly is the quantile that Latencies come near to.
func exactly(all []time.Duration, q float64) time.Duration {
	slices.Sort(all)
	return all[max(int(math.Ceil(q*float64(len(all)))), 1)-1]
}

func TestQuantilesAreNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		spread := rapid.Float64Range(0.01, 2).Draw(t, "spread")
		middle := rapid.Float64Range(math.Log(200), math.Log(5e6)).Draw(t, "middle") // in microseconds
		var all []time.Duration
		l := Latencies{}
		for range rapid.IntRange(1, 3000).Draw(t, "checks") {
			d := time.Duration(math.Exp(middle+spread*draw.NormFloat64())*1000) + 100*time.Microsecond // below, a nanosecond is much
			all = append(all, d)
			l.Add(d)
		}
		twice := Latencies{}
		if err := twice.AddEncoded(l.Encode()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(l, twice); diff != "" {
			t.Fatalf("encoded and read (-want +got):\n%s", diff)
		}
		for _, q := range []float64{0, 0.5, 0.95, 0.99, 1} {
			want, got := exactly(all, q), l.Quantile(q)
			if off := math.Abs(float64(got-want)) / float64(want); off > 0.0201 {
				t.Fatalf("p%v is %v, exactly %v: off by %.1f %%", 100*q, got, want, 100*off)
			}
		}
	})
}

func TestLatenciesOfNothing(t *testing.T) {
	t.Parallel()
	l := Latencies{}
	if l.Quantile(0.5) != 0 || len(l.Encode()) > 0 {
		t.Error("something came from nothing")
	}
	l.Add(0)
	l.Add(-time.Second)
	if l.Quantile(1) > 2*time.Microsecond {
		t.Errorf("nothing took %v", l.Quantile(1))
	}
	for _, broken := range [][]byte{{0x80}, {1}, {1, 0x80}} {
		if err := (Latencies{}).AddEncoded(broken); err == nil {
			t.Errorf("%v was read", broken)
		}
	}
}

func TestUptimeOfDays(t *testing.T) {
	t.Parallel()
	var days []UptimeDay
	for day := range 3 {
		d := UptimeDay{Day: noonOfSites.AddDate(0, 0, day)}
		for i := range 10 {
			d.Add(UptimeCheck{Up: i != day, Duration: time.Duration(i+1) * time.Millisecond})
		}
		days = append(days, d)
	}
	u := SumUptime(days)
	percent, ok := u.Percent()
	if !ok || percent != 90 || u.Checks != 30 || u.Failed != 3 {
		t.Errorf("%v %% of %d, %d failed", percent, u.Checks, u.Failed)
	}
	if want := time.Duration(159) * time.Millisecond / 27; u.Mean() != want {
		t.Errorf("a check took %v, want %v", u.Mean(), want)
	}
	if _, ok := SumUptime(nil).Percent(); ok || SumUptime(nil).Mean() != 0 {
		t.Error("nothing was up")
	}
}

func TestWhatIsRolledUp(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	for now, want := range map[time.Time]time.Time{
		midnight.Add(25*time.Hour - 1): midnight.AddDate(0, 0, -1),
		midnight.Add(25 * time.Hour):   midnight,
		midnight.Add(49*time.Hour - 1): midnight,
	} {
		if got := RolledUpTo(now); !got.Equal(want) {
			t.Errorf("at %s: %s, want %s", now, got, want)
		}
	}
}

func TestCertificateThresholds(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for left, want := range map[time.Duration]int64{
		31 * day: 0, 30*day + 1: 0, 30 * day: 30, 15 * day: 30, 14 * day: 14, 7 * day: 7, 3 * day: 3, 1 * day: 1, 1: 1, 0: 0, -day: 0,
	} {
		if got := certThreshold(ProbeCertificate{NotAfter: noonOfSites.Add(left)}, noonOfSites); got != want {
			t.Errorf("%v left: %d, want %d", left, got, want)
		}
	}
}

// Software that renews certificates does so when a third or half of their time is left: that is not worth a warning.
func TestCertificateThresholdsFollowTheLifetime(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, tt := range []struct {
		lifetime, left time.Duration
		want           int64
	}{
		{365 * day, 30 * day, 30},
		{90 * day, 30 * day, 0},
		{90 * day, 15 * day, 0},
		{90 * day, 14 * day, 14},
		{90 * day, 7 * day, 7},
		{45 * day, 14 * day, 0},
		{45 * day, 7 * day, 7},
		{45 * day, day, 1},
		{6 * day, 3 * day, 0},
		{6 * day, day + 1, 0},
		{6 * day, day, 1},
		{time.Hour, 30 * time.Minute, 0},
		{time.Hour, 13 * time.Minute, 0},
		{time.Hour, 12 * time.Minute, 1},
		{time.Hour, 1, 1},
		{time.Hour, 0, 0},
	} {
		end := noonOfSites.Add(tt.left)
		if got := certThreshold(ProbeCertificate{NotBefore: end.Add(-tt.lifetime), NotAfter: end}, noonOfSites); got != tt.want {
			t.Errorf("%v of %v left: %d, want %d", tt.left, tt.lifetime, got, tt.want)
		}
	}
}

func TestLeasesOfLocations(t *testing.T) {
	t.Parallel()
	for _, l := range Locations() {
		if got, ok := LeasedLocation(l.Lease()); !ok || got != l {
			t.Errorf("%s: %s, %v", l, got, ok)
		}
		if got, err := ParseLocation(string(l)); err != nil || got != l {
			t.Errorf("%s: %s, %v", l, got, err)
		}
	}
	if _, ok := LeasedLocation("rollup"); ok {
		t.Error("another lease is that of a location")
	}
	if _, err := ParseLocation("us-east"); err == nil || err.Error() != "must be one of Virginia, Oregon, Frankfurt, Singapore, London" {
		t.Errorf("us-east: %v", err)
	}
}
