package watch

import (
	"testing"
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
