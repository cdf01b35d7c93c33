package notify

import (
	"context"
	"sync"
	"time"
)

// inFlight holds what this process has claimed: messages that are being sent, and results that are not recorded yet. K is
// the receiver, and R the result.
type inFlight[K comparable, R any] struct {
	ended   chan struct{} // gets a value when there are results to record
	lease   *Lease
	stopped context.Context //nolint:containedctx // ends when nothing may be sent any more
	stop    context.CancelCauseFunc
	senders sync.WaitGroup
	note    func(K, R) // called with each result while mu is held; may be nil

	mu    sync.Mutex
	count int
	to    map[K]int
	done  []attempted[K, R]
}

// attempted is a completed attempt.
type attempted[K comparable, R any] struct {
	to     K
	result R
}

func newInFlight[K comparable, R any](l *Lease) *inFlight[K, R] {
	h := &inFlight[K, R]{ended: make(chan struct{}, 1), lease: l, to: map[K]int{}}
	h.stopped, h.stop = context.WithCancelCause(context.Background())
	return h
}

// held returns the number for one receiver.
func (h *inFlight[K, R]) held(to K) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.to[to]
}

// all returns the number for all receivers.
func (h *inFlight[K, R]) all() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// send makes an attempt in the background.
func (h *inFlight[K, R]) send(to K, try func(context.Context) R) {
	h.mu.Lock()
	h.count++
	h.to[to]++
	h.mu.Unlock()
	h.senders.Go(func() {
		ctx, cut := context.WithCancelCause(h.lease.context())
		defer cut(nil)
		release := context.AfterFunc(h.stopped, func() { cut(context.Cause(h.stopped)) })
		defer release()
		result := try(ctx)
		h.mu.Lock()
		h.done = append(h.done, attempted[K, R]{to, result})
		if h.note != nil {
			h.note(to, result)
		}
		h.mu.Unlock()
		select {
		case h.ended <- struct{}{}:
		default:
		}
	})
}

// take removes and returns the results that are not recorded.
func (h *inFlight[K, R]) take() []attempted[K, R] {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := h.done
	h.done = nil
	return done
}

// putBack returns results that could not be recorded.
func (h *inFlight[K, R]) putBack(done []attempted[K, R]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = append(done, h.done...)
}

// release frees the slots of recorded results.
func (h *inFlight[K, R]) release(done []attempted[K, R]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range done {
		h.count--
		if h.to[d.to]--; h.to[d.to] == 0 {
			delete(h.to, d.to)
		}
	}
}

// record passes all results to store at once.
func (h *inFlight[K, R]) record(store func([]R) error) error {
	ended := h.take()
	if len(ended) == 0 {
		return nil
	}
	if err := store(results(ended)); err != nil {
		h.putBack(ended)
		return err
	}
	h.release(ended)
	return nil
}

func results[K comparable, R any](done []attempted[K, R]) []R {
	var all []R
	for _, d := range done {
		all = append(all, d.result)
	}
	return all
}

// wait waits until nothing is being sent, and cancels what is left after the grace period. ok is false if ctx ends before.
func (h *inFlight[K, R]) wait(ctx context.Context, grace time.Duration) (ok bool) {
	h.lease.extend(0) // the grace period ends before another process claims them
	stop := func() { h.stop(errStopped) }
	defer stop()
	ended := make(chan struct{})
	go func() { defer close(ended); h.senders.Wait() }()
	over := time.AfterFunc(grace, stop)
	defer over.Stop()
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return false
	}
}
