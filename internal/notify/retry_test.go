package notify

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tries  int
		chance float64
		wait   time.Duration
		again  bool
	}{
		{0, 0.5, 0, false},
		{1, 0, 4 * time.Second, true},
		{1, 0.5, 5 * time.Second, true},
		{1, 1, 6 * time.Second, true},
		{2, 0.5, 30 * time.Second, true},
		{3, 0.5, 2 * time.Minute, true},
		{9, 0.5, 24 * time.Hour, true},
		{9, 0, 19*time.Hour + 12*time.Minute, true},
		{10, 0.5, 0, false},
		{11, 0.5, 0, false},
	} {
		wait, again := retryAfter(c.tries, c.chance)
		if wait.Round(time.Millisecond) != c.wait || again != c.again {
			t.Errorf("retryAfter(%d, %v) = %v, %v; want %v, %v", c.tries, c.chance, wait, again, c.wait, c.again)
		}
	}
}

func TestRetriesGrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tries := rapid.IntRange(1, len(retries())-1).Draw(t, "tries")
		sooner, _ := retryAfter(tries, rapid.Float64Range(0, 1).Draw(t, "one chance"))
		later, again := retryAfter(tries+1, rapid.Float64Range(0, 1).Draw(t, "another"))
		if sooner <= 0 || later <= sooner || !again {
			t.Fatalf("after %d tries %v, then %v, %v", tries, sooner, later, again)
		}
	})
}
