package demo

import (
	"container/heap"
	"context"
	"fmt"
	"time"

	"sett/internal/base/progress"
)

// moment is something that happens at a time.
type moment struct {
	at   time.Time
	nth  int    // in which it was added
	what string // for errors
	do   func(ctx context.Context, now time.Time) error
}

// history is what is to happen, the next of it first. It happens in the order of its time; what happens at the same time,
// in the order in which it was added.
type history struct {
	moments moments
	added   int
	began   time.Time // what lies before it does not happen
	ended   time.Time // what lies after it does not happen
	after   func(ctx context.Context, now time.Time) error
}

// at adds a moment, if it is within the history. What is past already happens next.
func (h *history) at(at time.Time, what string, do func(ctx context.Context, now time.Time) error) {
	if !at.Before(h.began) && !at.After(h.ended) {
		h.added++
		heap.Push(&h.moments, moment{at, h.added, what, do})
	}
}

// run lets everything happen. Time never goes back, also where a moment has added an earlier one.
func (h *history) run(ctx context.Context) error {
	step := progress.Begin(ctx, "creating the sample data", progress.Percent, 100)
	defer step.End()
	var now time.Time
	for len(h.moments) > 0 {
		m := heap.Pop(&h.moments).(moment)
		if m.at.After(now) {
			now = m.at
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		step.Set(int64(100 * now.Sub(h.began) / max(1, h.ended.Sub(h.began))))
		if err := m.do(ctx, now); err != nil {
			return fmt.Errorf("%s at %s: %w", m.what, now.Format(time.RFC3339), err)
		}
		if err := h.after(ctx, now); err != nil {
			return fmt.Errorf("after %s at %s: %w", m.what, now.Format(time.RFC3339), err)
		}
	}
	return nil
}

// moments is a heap of them.
type moments []moment

func (m moments) Len() int { return len(m) }

func (m moments) Less(i, j int) bool {
	return m[i].at.Before(m[j].at) || m[i].at.Equal(m[j].at) && m[i].nth < m[j].nth
}

func (m moments) Swap(i, j int) { m[i], m[j] = m[j], m[i] }

// Push is that of heap.Interface.
func (m *moments) Push(x any) { *m = append(*m, x.(moment)) }

// Pop is that of heap.Interface.
func (m *moments) Pop() any {
	last := len(*m) - 1
	x := (*m)[last]
	*m = (*m)[:last]
	return x
}
