package statuspage

import (
	"context"
	"sync"
	"time"
)

// A user who has changed a page sees the change with the next request, at any node. A request that arrives while a node
// looks for changes waits for the look after that, which all waiting requests share. Where the database does not answer,
// pages are shown as they were.

const (
	abreastPatience = 300 * time.Millisecond // with a look for changes
	abreastRespite  = time.Second            // without one, after a look that has failed
)

// abreast are the looks that requests wait for.
type abreast struct {
	mu      sync.Mutex
	next    chan struct{} // closed when the look that has not begun yet has ended; nil when no request waits for it
	looking bool
	failed  time.Time // when a look did
}

// catchUp returns once the index shows what was committed before it was called.
func (p *Pages) catchUp(ctx context.Context) {
	if p.index.Load() == nil || p.Store == nil || !p.Store.StatusMayHaveChanged(p.learnt.Load()) {
		return
	}
	look := p.abreast.join(time.Now(), p.lookOn)
	if look == nil {
		return
	}
	select {
	case <-look:
	case <-ctx.Done():
	}
}

// join returns what is closed when a look has ended that begins from now on; nil while none is of use.
func (a *abreast) join(now time.Time, run func()) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Sub(a.failed) < abreastRespite {
		return nil
	}
	if a.next == nil {
		a.next = make(chan struct{})
	}
	if !a.looking {
		a.looking = true
		go run()
	}
	return a.next
}

// lookOn looks for changes until no request waits for another look.
func (p *Pages) lookOn() {
	for next := p.abreast.begin(); next != nil; next = p.abreast.begin() {
		ctx, cancel := context.WithTimeout(context.Background(), abreastPatience)
		err := p.look(ctx)
		cancel()
		p.abreast.end(time.Now(), err)
		close(next)
	}
}

func (a *abreast) begin() (next chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next, a.next = a.next, nil
	a.looking = next != nil
	return next
}

func (a *abreast) end(now time.Time, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		a.failed = now
	}
}

// look asks where pages are and what has changed.
func (p *Pages) look(ctx context.Context) error {
	p.learning.Lock()
	defer p.learning.Unlock()
	directory, err := p.Store.StatusDirectory(ctx, p.learnt.Load())
	if err == nil {
		p.learn(directory)
	}
	return err
}
