package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The processors are measured over some time at least, and what was measured long ago says nothing.
func TestProcessorsAreIdle(t *testing.T) {
	t.Parallel()
	var spare, of int64
	p := processors{time: func() (int64, int64) { return spare, of }}
	now := time.Unix(1_000_000, 0)
	for i, step := range []struct {
		after     time.Duration
		spare, of int64
		want      bool
	}{
		{0, 10, 10, false},                        // the first measurement
		{idleFor, 40, 50, true},                   // 75 % idle
		{idleFor / 2, 0, 20, true},                // too early
		{idleFor / 2, 0, 20, false},               // 0 % of both
		{idleFor / 2, 50, 50, false},              // too early
		{idleFor / 2, 10, 50, true},               // 60 %
		{staleAfter, 100, 100, false},             // too late
		{staleAfter - time.Second, 40, 100, true}, // just enough
		{idleFor, 39, 100, false},
	} {
		now, spare, of = now.Add(step.after), spare+step.spare, of+step.of
		if got := p.idle(now); got != step.want {
			t.Errorf("step %d: idle: %v", i, got)
		}
	}
}

// Between two pieces of work, compaction rests as long as it worked, and longer on a busy machine: intake comes first. It hurries when searches read
// many notices one by one.
func TestCompactionRests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		busy, old bool
		waiting   int64
		want      time.Duration
	}{
		"idle":                         {false, false, 10, time.Second},
		"busy":                         {true, false, 10, 20 * time.Second},
		"busy, of an earlier version":  {true, true, 10, 5 * time.Second},
		"busy, and many wait":          {true, false, manyWaiting + 1, time.Second},
		"idle, of an earlier version":  {false, true, 10, time.Second},
		"busy, old ones and many wait": {true, true, manyWaiting + 1, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c := &Compaction{old: tt.old, count: func(context.Context) (int64, error) { return tt.waiting, nil }}
			c.processors.time = func() (spare, of int64) {
				of = int64(time.Since(began))
				if !tt.busy {
					spare = of
				}
				return spare, of
			}
			c.processors.idle(began)
			c.began = began
			time.Sleep(time.Second) // of work
			if err := c.rest(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
			if rested := time.Since(began) - time.Second; rested < tt.want || rested > tt.want+idleFor {
				t.Errorf("%s: it rests %v, want %v", name, rested, tt.want)
			}
		})
	}
}
