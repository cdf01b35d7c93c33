package statuspage

import (
	"context"
	"sync"
	"time"
)

// A user who has changed a page sees the change in the next request, at any node. A request that arrives while a node checks
// for changes waits for the next check, which all waiting requests share. If that takes long, a known page is shown as it was
// last rendered; an unknown one is waited for, because nothing says that it does not exist.

const (
	catchUpTimeout = 2 * time.Second        // of a check for changes
	catchUpWait    = 300 * time.Millisecond // of a request for a page that is known
	catchUpBackoff = time.Second            // pause after a failed check
)

// sharedCheck is the check for changes that requests wait for.
type sharedCheck struct {
	mu      sync.Mutex
	next    *check // nil when no request waits for it
	running bool
	failed  time.Time // when a check last failed
}

// check is one check for changes.
type check struct {
	done chan struct{} // closed when it has ended
	err  error         // to be read afterwards
}

// upToDate reports whether the index contained, by the time it returned, everything that was committed before the call. It waits for
// a check for at most the given time.
func (p *Pages) upToDate(ctx context.Context, wait time.Duration) bool {
	if p.index.Load() == nil || p.Status == nil || !p.Status.StatusMayHaveChanged(p.learnt.Load()) {
		return true
	}
	c := p.check.join(time.Now(), p.checkUntilIdle)
	if c == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case <-c.done:
		return c.err == nil
	case <-ctx.Done():
		return false
	}
}

// join returns a check that starts from now on; nil during the pause after a failure.
func (a *sharedCheck) join(now time.Time, run func()) *check {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.failed) < catchUpBackoff {
		return nil
	}
	if a.next == nil {
		a.next = &check{done: make(chan struct{})}
	}
	if !a.running {
		a.running = true
		go run()
	}
	return a.next
}

// checkUntilIdle checks for changes until no request waits for another check.
func (p *Pages) checkUntilIdle() {
	for next := p.check.begin(); next != nil; next = p.check.begin() {
		ctx, cancel := context.WithTimeout(context.Background(), catchUpTimeout)
		next.err = p.checkForChanges(ctx)
		cancel()
		p.check.end(time.Now(), next.err)
		close(next.done)
	}
}

func (a *sharedCheck) begin() (next *check) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next, a.next = a.next, nil
	a.running = next != nil
	return next
}

func (a *sharedCheck) end(now time.Time, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed = now
	}
}

// checkForChanges reads the changes of the directory of pages.
func (p *Pages) checkForChanges(ctx context.Context) error {
	p.learning.Lock()
	defer p.learning.Unlock()
	directory, err := p.Status.StatusDirectory(ctx, p.learnt.Load())
	if err == nil {
		p.learn(directory)
	}
	return err
}
