// Package progress says how far long work is. The work counts in steps of its context, as deep as it stands; who started it chooses where
// they are shown: as a line that moves on a terminal, or as lines of a log. What ends within two seconds is not shown, and nothing is when no
// one asked for it. The package knows nothing of the work.
package progress

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Unit is what a step counts.
type Unit string

// The units. Where each takes about as long, it is estimated when all are done.
const (
	Bytes   Unit = "bytes"
	Rows    Unit = "rows"
	Percent Unit = "percent"
	Changes Unit = "changes"
	Blocks  Unit = "blocks"
	Errors  Unit = "errors"
)

func (u Unit) even() bool { return u == Bytes || u == Percent || u == Blocks || u == Errors }

// Step is a part of the work. A nil Step counts nothing.
type Step struct {
	what    string
	unit    Unit
	total   int64 // 0: not known
	began   time.Time
	done    atomic.Int64
	measure func() int64
	of      *shown
}

// State is how far a step is.
type State struct {
	What        string
	Unit        Unit
	Done, Total int64 // a Total of 0 is not known
	Took, Left  time.Duration
}

type key struct{}

// shown are the steps of a context that are shown; the last one that began is.
type shown struct {
	to   func(State) // shows how far the work is
	idle func()      // called when no step is left, so that others may write
	last func(State) // called with how far a step is that ends; nil: that does not matter

	mu    sync.Mutex // while something is shown
	steps []*Step
}

// Begin begins a step that has total units in all, or 0 if that is not known. Call End when it has ended.
func Begin(ctx context.Context, what string, unit Unit, total int64) *Step {
	of, _ := ctx.Value(key{}).(*shown)
	if of == nil {
		return nil
	}
	s := &Step{what: what, unit: unit, total: total, began: time.Now(), of: of}
	of.mu.Lock()
	defer of.mu.Unlock()
	of.steps = append(of.steps, s)
	return s
}

// Measure is Begin for work that cannot count: what is done is measured when it is shown.
func Measure(ctx context.Context, what string, unit Unit, total int64, done func() int64) *Step {
	s := Begin(ctx, what, unit, total)
	if s != nil {
		s.of.mu.Lock()
		defer s.of.mu.Unlock()
		s.measure = done
	}
	return s
}

// Add counts n more. Several goroutines may call it.
func (s *Step) Add(n int64) {
	if s != nil {
		s.done.Add(n)
	}
}

// Set says how many are done.
func (s *Step) Set(n int64) {
	if s != nil {
		s.done.Store(n)
	}
}

// End ends the step.
func (s *Step) End() {
	if s == nil {
		return
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.of.steps = slices.DeleteFunc(s.of.steps, func(o *Step) bool { return o == s })
	if s.of.last != nil {
		s.of.last(s.state())
	}
	if len(s.of.steps) == 0 {
		s.of.idle()
	}
}

// in returns a context whose steps are those of p.
func (p *shown) in(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, p) }

// show shows how far the current step is, if there is one.
func (p *shown) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.steps) == 0 {
		return
	}
	p.to(p.steps[len(p.steps)-1].state())
}

// state returns how far the step is.
func (s *Step) state() State {
	now := State{What: s.what, Unit: s.unit, Done: s.done.Load(), Total: s.total, Took: time.Since(s.began)}
	if s.measure != nil {
		now.Done = s.measure()
	}
	if now.Total > 0 {
		now.Done = min(now.Done, now.Total)
	}
	if now.Unit.even() && now.Done*20 >= now.Total && now.Done > 0 && now.Total > 0 { // before a twentieth, an estimate is a guess
		now.Left = time.Duration(float64(now.Took) * float64(now.Total-now.Done) / float64(now.Done))
	}
	return now
}

// hidden is how long work takes at most that is not shown.
const hidden = 2 * time.Second

// begin shows the current step of the context that it returns at each interval, until stop is called.
func (p *shown) begin(ctx context.Context, every time.Duration) (_ context.Context, stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		next := time.NewTimer(hidden)
		defer next.Stop()
		for {
			select {
			case <-end:
				return
			case <-next.C:
			}
			p.show()
			next.Reset(every)
		}
	}()
	return p.in(ctx), sync.OnceFunc(func() {
		close(end)
		<-ended
	})
}
