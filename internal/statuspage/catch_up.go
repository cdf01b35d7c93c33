package statuspage

import (
	"context"
	"sync"
	"time"
)

// A user who has changed a page sees the change in the next request, at any node. A request that arrives while a node checks
// for changes waits for the next check, which all waiting requests share. If the database is unavailable, the last renderings
// are shown.

const (
	catchUpTimeout = 300 * time.Millisecond // of a check for changes
	catchUpBackoff = time.Second            // pause after a failed check
)

// sharedCheck is the check for changes that requests wait for.
type sharedCheck struct {
	mu      sync.Mutex
	next    chan struct{} // closed when the next check has ended; nil when no request waits for it
	running bool
	failed  time.Time // when a check last failed
}

// catchUp returns once the index contains everything that was committed before the call.
func (p *Pages) catchUp(ctx context.Context) {
	if p.index.Load() == nil || p.Status == nil || !p.Status.StatusMayHaveChanged(p.learnt.Load()) {
		return
	}
	done := p.check.join(time.Now(), p.checkUntilIdle)
	if done == nil {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// join returns a channel that is closed when a check that starts from now on has ended; nil during the pause after a failure.
func (a *sharedCheck) join(now time.Time, run func()) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.failed) < catchUpBackoff {
		return nil
	}
	if a.next == nil {
		a.next = make(chan struct{})
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
		err := p.checkForChanges(ctx)
		cancel()
		p.check.end(time.Now(), err)
		close(next)
	}
}

func (a *sharedCheck) begin() (next chan struct{}) {
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
