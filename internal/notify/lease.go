package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store/intakedb"
)

// abortReason is why an attempt was canceled, as users see it.
type abortReason string

// Error returns the reason.
func (c abortReason) Error() string { return string(c) }

const (
	errStopped = abortReason("The server was stopped while it was sending this.")
	errAway    = abortReason("The database did not respond while the server was composing this.")
	errLost    = abortReason("The database did not respond while the server was sending this.")
)

// Lease is the claim of this process on all messages that it is sending. When the lease is lost, sending is canceled, because another
// process may be about to send the same messages.
type Lease struct {
	store *intakedb.Store

	mu    sync.Mutex
	held  bool
	ctx   context.Context //nolint:containedctx // of everything that is sent under the lease
	cut   context.CancelCauseFunc
	until *time.Timer // when it expires; nil: never
}

// NewLease returns a lease that is not held yet.
func NewLease(s *intakedb.Store) *Lease {
	l := &Lease{store: s}
	l.ctx, l.cut = context.WithCancelCause(context.Background())
	return l
}

// Loop returns the loop that renews the lease. It may run once at a time.
func (l *Lease) Loop(log *slog.Logger) *loop.Loop {
	return &loop.Loop{
		Name: "claims", Does: "Prevents other servers from sending the messages that this server is sending.", Every: renewEvery, Log: log,
		Work: func(ctx context.Context) (more bool, err error) { return false, l.renew(ctx) },
	}
}

// extend extends the lease to a time from now; 0: without end.
func (l *Lease) extend(d time.Duration) {
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
		l.until = time.AfterFunc(d, l.revoke)
	}
}

// renew records that this process is alive, so that no other process claims its messages.
func (l *Lease) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	contested, err := l.store.HoldClaims(ctx)
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
func (l *Lease) acquire(ctx context.Context) error {
	if l.isHeld() {
		return nil
	}
	return l.renew(ctx)
}

// revoke ends the lease and cancels everything in flight.
func (l *Lease) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	l.cut(errLost)
}

func (l *Lease) isHeld() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

func (l *Lease) context() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx
}
