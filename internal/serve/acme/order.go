package acme

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How orders are bounded. An issuer may take its time, and counts failures: Let's Encrypt lets a name fail five times an
// hour (letsencrypt.org/docs/rate-limits), and an order may fail at both of its challenges.
const (
	ordersAtOnce  = 8
	orderLasts    = 3 * time.Minute
	patience      = 25 * time.Second // of a handshake
	waitingAtOnce = 100              // handshakes for one name
	firstRetry    = 5 * time.Minute
	lastRetry     = time.Hour
)

// orders has a certificate loaded, or asked for, once at a time for each name. What failed is not tried again for a while,
// however many handshakes come.
type orders struct {
	now    func() time.Time
	manage func(ctx context.Context, name string) error
	slots  chan struct{}

	ctx    context.Context //nolint:containedctx // of those that run; ends with stop
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	running map[string]*order
	failed  map[string]failure
}

// order is one that runs.
type order struct {
	done    chan struct{}
	err     error // after done
	waiting int
}

// failure says how often in a row an order has failed, and until when it is not tried again.
type failure struct {
	times int
	until time.Time
}

func newOrders(now func() time.Time, manage func(ctx context.Context, name string) error) *orders {
	o := &orders{now: now, manage: manage, slots: make(chan struct{}, ordersAtOnce), running: map[string]*order{}, failed: map[string]failure{}}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	return o
}

// stop ends the orders that run, and takes no more.
func (o *orders) stop() {
	o.mu.Lock()
	o.cancel()
	o.mu.Unlock()
	o.wg.Wait()
}

// await waits for the certificate of a name for a limited time: an order continues even if no one waits for it.
func (o *orders) await(ctx context.Context, name string) error {
	running, err := o.join(name)
	if err != nil {
		return err
	}
	defer o.leave(running)
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	select {
	case <-running.done:
		return running.err
	case <-ctx.Done():
		return ctx.Err()
	case <-timeout.C:
		return errors.New("the certificate has been requested and is not available yet")
	}
}

// join returns the order of a name, a new one where none runs.
func (o *orders) join(name string) (*order, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	running := o.running[name]
	switch {
	case o.ctx.Err() != nil:
		return nil, errors.New("the server is stopping")
	case running == nil && o.now().Before(o.failed[name].until):
		return nil, errors.New("the last order for a certificate failed, and it is too early to retry")
	case running == nil:
		running = &order{done: make(chan struct{})}
		o.running[name] = running
		o.wg.Go(func() { o.run(name, running) })
	case running.waiting >= waitingAtOnce:
		return nil, errors.New("too many requests are waiting for the certificate")
	}
	running.waiting++
	return running, nil
}

func (o *orders) leave(running *order) {
	o.mu.Lock()
	defer o.mu.Unlock()
	running.waiting--
}

func (o *orders) run(name string, running *order) {
	select {
	case o.slots <- struct{}{}:
		ctx, cancel := context.WithTimeout(o.ctx, orderLasts)
		running.err = o.manage(ctx, name)
		cancel()
		<-o.slots
	case <-o.ctx.Done():
		running.err = o.ctx.Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.note(name, running.err)
	delete(o.running, name)
	close(running.done)
}

// note keeps how an order ended.
func (o *orders) note(name string, err error) {
	if err == nil {
		delete(o.failed, name)
		return
	}
	f := o.failed[name]
	wait := min(firstRetry<<min(f.times, 10), lastRetry)
	o.failed[name] = failure{times: f.times + 1, until: o.now().Add(wait)}
}

// forget removes names that are no longer served.
func (o *orders) forget(gone func(name string) bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for name := range o.failed {
		if gone(name) {
			delete(o.failed, name)
		}
	}
}
