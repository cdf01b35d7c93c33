package acme

import (
	"context"
	"sync"
	"time"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// Timing of the locks between nodes. A lease expires by itself, so that a killed node does not block others for long.
const (
	leaseLasts = 20 * time.Second
	renewEvery = 5 * time.Second
	lookEvery  = time.Second // for one that another has
)

// locks are leases of the store, each of one goroutine of one node.
type locks struct {
	db       *db.DB
	accounts *accountdb.Store
	now      func() time.Time
	node     string

	mu   sync.Mutex
	mine map[string]chan struct{} // has a value while this process holds the lock, or waits for another node
	held map[string]func()        // gives it back
}

func newLocks(d *db.DB, accounts *accountdb.Store, now func() time.Time) *locks {
	return &locks{db: d, accounts: accounts, now: now, node: "acme " + sett.RandomString(8), mine: map[string]chan struct{}{}, held: map[string]func(){}}
}

// Lock waits until no other node, and no other goroutine of this one, holds the lock.
func (l *locks) Lock(ctx context.Context, name string) error {
	mine := l.of(name)
	select {
	case mine <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := l.wait(ctx, name); err != nil {
		<-mine
		return err
	}
	l.keep(name)
	return nil
}

func (l *locks) of(name string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.mine[name] == nil {
		l.mine[name] = make(chan struct{}, 1)
	}
	return l.mine[name]
}

// wait takes the lease as soon as no other node has it.
func (l *locks) wait(ctx context.Context, name string) error {
	for {
		held, err := l.take(ctx, name)
		if held || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

func (l *locks) take(ctx context.Context, name string) (held bool, err error) {
	now := l.now()
	return l.accounts.TakeCertificateLease(ctx, name, l.node, now, now.Add(leaseLasts))
}

// keep renews a lease until Unlock.
func (l *locks) keep(name string) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(renewEvery):
				_, _ = l.take(ctx, name) // one that runs out is another's, and what is locked can be done twice
			}
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[name] = func() { cancel(); <-ended }
}

// Unlock gives back what Lock took, even when ctx has ended.
func (l *locks) Unlock(_ context.Context, name string) error {
	l.mu.Lock()
	release := l.held[name]
	delete(l.held, name)
	l.mu.Unlock()
	if release == nil {
		return nil
	}
	release()
	ctx, cancel := context.WithTimeout(context.Background(), leaseLasts)
	defer cancel()
	err := l.db.DropLease(ctx, accountdb.CertificateLease(name), l.node)
	<-l.of(name)
	return err
}
