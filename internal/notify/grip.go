package notify

import (
	"context"
	"sync"
	"time"

	"sett/internal/store"
)

// cutOff is why a try was cut off, as people read it.
type cutOff string

// Error returns the reason.
func (c cutOff) Error() string { return string(c) }

const (
	errStopped = cutOff("The server was stopped while it was sending this.")
	errLost    = cutOff("The database did not respond while the server was sending this.")
)

// grip is for how long what this process has in hand is its own. What is sent under it is cut off when it is lost: others
// may be about to send the same.
type grip struct {
	mu    sync.Mutex
	held  bool
	ctx   context.Context // of all that is sent until it is lost
	cut   context.CancelCauseFunc
	until *time.Timer // when it is lost; nil: never
}

func newGrip() *grip {
	g := &grip{}
	g.ctx, g.cut = context.WithCancelCause(context.Background())
	return g
}

// keep holds on for a time, from now; 0: for good.
func (g *grip) keep(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		g.ctx, g.cut = context.WithCancelCause(context.Background())
	}
	g.held = true
	if g.until != nil {
		g.until.Stop()
	}
	if d > 0 {
		g.until = time.AfterFunc(d, func() { g.lose(errLost) })
	}
}

// hold says that this process lives, so that nobody else takes what it has in hand.
func (g *grip) hold(ctx context.Context, s *store.Store) error {
	ctx, cancel := context.WithTimeout(ctx, holdTimeout)
	defer cancel()
	contested, err := s.HoldClaims(ctx)
	if err != nil {
		return err
	}
	if contested {
		g.keep(holdFor)
	} else {
		g.keep(0)
	}
	return nil
}

// take is hold for who has lost what it had in hand, or has had nothing yet.
func (g *grip) take(ctx context.Context, s *store.Store) error {
	if g.isHeld() {
		return nil
	}
	return g.hold(ctx, s)
}

// lose cuts off what is being sent.
func (g *grip) lose(why cutOff) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held = false
	g.cut(why)
}

func (g *grip) isHeld() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

func (g *grip) context() context.Context {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ctx
}
