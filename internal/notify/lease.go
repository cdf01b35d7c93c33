package notify

import (
	"context"
	"sync"
	"time"

	"sett/internal/store/delivery"
)

// abortReason is why an attempt was canceled, as users see it.
type abortReason string

// Error returns the reason.
func (c abortReason) Error() string { return string(c) }

const (
	errStopped = abortReason("The server was stopped while it was sending this.")
	errLost    = abortReason("The database did not respond while the server was sending this.")
)

// lease is the claim of this process on its deliveries in flight. When the lease is lost, sending is canceled, because
// another process may be about to send the same deliveries.
type lease struct {
	mu    sync.Mutex
	held  bool
	ctx   context.Context //nolint:containedctx // of everything that is sent under the lease
	cut   context.CancelCauseFunc
	until *time.Timer // when it expires; nil: never
}

func newLease() *lease {
	l := &lease{}
	l.ctx, l.cut = context.WithCancelCause(context.Background())
	return l
}

// extend extends the lease to a time from now; 0: without end.
func (l *lease) extend(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		l.ctx, l.cut = context.WithCancelCause(context.Background())
	}
	l.held = true
	if l.until != nil {
		l.until.Stop()
	}
	if d > 0 {
		l.until = time.AfterFunc(d, func() { l.revoke(errLost) })
	}
}

// renew records that this process is alive, so that no other process claims its deliveries.
func (l *lease) renew(ctx context.Context, s *delivery.Store) error {
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	contested, err := s.HoldClaims(ctx)
	if err != nil {
		return err
	}
	if contested {
		l.extend(leaseFor)
	} else {
		l.extend(0)
	}
	return nil
}

// acquire renews the lease unless this process holds it.
func (l *lease) acquire(ctx context.Context, s *delivery.Store) error {
	if l.isHeld() {
		return nil
	}
	return l.renew(ctx, s)
}

// revoke ends the lease and cancels everything in flight.
func (l *lease) revoke(why abortReason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	l.cut(why)
}

func (l *lease) isHeld() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

func (l *lease) context() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx
}
