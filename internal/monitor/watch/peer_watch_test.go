package watch

import (
	"testing"
	"time"
)

func TestAPeerWatchWaitsForAnotherHeartbeat(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_800_000_000, 0)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	type look struct {
		now, last int // seconds; the last beat may be by another clock
		ready     bool
		moved     bool // since the first
	}
	for name, looks := range map[string][]look{
		"alone":                 {{0, -60, false, false}, {10, -60, false, false}, {20, -60, true, false}},
		"beside others":         {{0, -60, false, false}, {10, -50, true, true}},
		"others beat late":      {{0, -60, false, false}, {10, -60, false, false}, {20, -49, true, true}},
		"others are ahead":      {{0, 60, false, false}, {10, 70, true, true}},
		"cut off meanwhile":     {{0, -60, false, false}, {10, -60, false, false}, {41, -50, false, false}, {51, -50, false, false}, {61, -50, true, false}},
		"the clock is set back": {{0, -60, false, false}, {-50, -60, false, false}, {-30, -60, true, false}},
	} {
		var l peerWatch
		for i, k := range looks {
			seen, ready := l.look(at(k.last), at(k.now))
			if ready != k.ready {
				t.Errorf("%s: look %d: ready %t", name, i, ready)
			}
			if moved := !seen.Equal(at(k.last)); moved != k.moved {
				t.Errorf("%s: look %d: moved %t", name, i, moved)
			}
		}
	}
	var first peerWatch
	if _, ready := first.look(time.Time{}, start); !ready {
		t.Error("the first server of all waits for others")
	}
}
