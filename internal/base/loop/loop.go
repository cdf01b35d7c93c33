// Package loop runs background work. It takes a function that does one round of work, and calls it at the start, when a round is due, and
// when new work wakes the loop. An error in a round is logged and the round is retried later; only the context ends a loop. The package
// knows nothing of the work, records only the log and the last round, and never runs two rounds of one loop at a time.
package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"
)

// After a failed round the next one waits firstRetry; that doubles with every further failure, up to lastRetry.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// Loop is background work and when to do it. Name, Does, Work, Log and at least one of Every and Wake are required.
type Loop struct {
	Name string // in the log
	Does string // a sentence for operators

	// Work does one round. It reports whether there is more to do at once, which an error overrules. Its context is
	// cancelled when the loop is to stop; the loop then waits for it to return.
	Work func(ctx context.Context) (more bool, err error)

	// Every is the longest rest between the end of a round and the start of the next; 0 is until woken.
	Every time.Duration

	// Jitter is the share of a rest, 0 to 1, by which chance may shorten it, so that nodes that started together drift
	// apart.
	Jitter float64

	// Wake cuts a rest short. It should have room for one value and senders that do not wait for more room: then a
	// wake-up during a round is kept for another round, and any number of them cost only that one. It is never closed.
	Wake <-chan struct{}

	Log *slog.Logger

	records records
}

// Run does a round at once and then whenever one is due, until ctx ends; it returns when the last round has. It panics
// if the Loop lacks something that it requires.
func (l *Loop) Run(ctx context.Context) {
	l.mustBeComplete()
	l.run(ctx)
}

func (l *Loop) mustBeComplete() {
	switch {
	case l.Name == "" || l.Does == "" || l.Work == nil || l.Log == nil:
		panic(fmt.Sprintf("loop: %q needs Name, Does, Work and Log", l.Name))
	case l.Every < 0 || l.Every == 0 && l.Wake == nil:
		panic(fmt.Sprintf("loop: %q is never due", l.Name))
	case !(l.Jitter >= 0 && l.Jitter <= 1): // also refuses NaN
		panic(fmt.Sprintf("loop: %q has a jitter of %v; it is a share, 0 to 1", l.Name, l.Jitter))
	}
}

func (l *Loop) run(ctx context.Context) {
	failures := 0 // in a row
	for ctx.Err() == nil {
		l.mergeWakes()
		l.records.begin(time.Now())
		more, err := l.round(ctx)
		if isStop(ctx, err) {
			return
		}
		if err != nil {
			failures++
			l.records.end(time.Now(), err, failures)
			l.backOff(ctx, err, failures)
			continue
		}
		l.records.end(time.Now(), nil, 0)
		if failures > 0 {
			l.Log.Info("a background job works again", "job", l.Name, "failures", failures)
			failures = 0
		}
		if !more {
			l.rest(ctx)
		}
	}
}

// mergeWakes drains pending wake-ups: their senders wrote before the round that begins now, which sees their work.
func (l *Loop) mergeWakes() {
	for range len(l.Wake) {
		select {
		case <-l.Wake:
		default:
		}
	}
}

// panicked is a panic in Work, as an error.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

func (l *Loop) round(ctx context.Context) (more bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			more, err = false, &panicked{v, debug.Stack()}
		}
	}()
	return l.Work(ctx)
}

// backOff reports a failure and waits before another try. Wake-ups do not shorten that: a database that is down would
// be tried with every request; they keep until the next round.
func (l *Loop) backOff(ctx context.Context, err error, failures int) {
	retry := l.shorten(retryAfter(failures))
	l.records.rest(time.Now().Add(retry))
	l.report(err, failures, retry)
	select {
	case <-ctx.Done():
	case <-time.After(retry):
	}
}

// isStop reports whether an error is only the end of the context.
func isStop(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}

func retryAfter(failures int) time.Duration {
	doublings := min(failures-1, 6) // 64 s is past lastRetry
	return min(firstRetry<<doublings, lastRetry)
}

// report logs the first error of a streak, and every panic: one is always a bug, however common the errors around it.
func (l *Loop) report(err error, failures int, retry time.Duration) {
	if p, ok := errors.AsType[*panicked](err); ok {
		l.Log.Error("a background job crashed and is retried", "job", l.Name, "does", l.Does, "error", err, "retry_in_ms", retry.Milliseconds(),
			"hint", "this is a bug in sett: report it with this line", "stack", string(p.stack))
		return
	}
	if failures == 1 {
		l.Log.Error("a background job failed and is retried", "job", l.Name, "does", l.Does, "error", err, "retry_in_ms", retry.Milliseconds(),
			"hint", "if it goes on, check the database and the disk with: sett doctor")
	}
}

// rest waits until a round is due, the loop is woken, or ctx ends.
func (l *Loop) rest(ctx context.Context) {
	var due <-chan time.Time
	if l.Every > 0 {
		rest := l.shorten(l.Every)
		l.records.rest(time.Now().Add(rest))
		due = time.After(rest)
	}
	select {
	case <-ctx.Done():
	case <-due:
	case <-l.Wake:
	}
}

func (l *Loop) shorten(d time.Duration) time.Duration {
	return d - time.Duration(l.Jitter*rand.Float64()*float64(d))
}
