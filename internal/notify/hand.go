package notify

import (
	"context"
	"sync"
	"time"
)

// hand holds what this process has claimed: what is being sent, and what is sent and not recorded yet. K is whom it is for,
// and R what came of it.
type hand[K comparable, R any] struct {
	ended   chan struct{} // gets a value when there is something to record
	grip    *grip
	senders sync.WaitGroup
	note    func(K, R) // called with what has ended, while mu is held; nil: nobody

	mu    sync.Mutex
	count int
	to    map[K]int
	done  []carried[K, R]
}

// carried is something that was tried.
type carried[K comparable, R any] struct {
	to     K
	result R
}

func newHand[K comparable, R any]() *hand[K, R] {
	return &hand[K, R]{ended: make(chan struct{}, 1), grip: newGrip(), to: map[K]int{}}
}

// held returns how much there is for one, and in all.
func (h *hand[K, R]) held(to K) (forOne, all int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.to[to], h.count
}

// carry tries something in the background.
func (h *hand[K, R]) carry(to K, try func(context.Context) R) {
	h.mu.Lock()
	h.count++
	h.to[to]++
	h.mu.Unlock()
	h.senders.Go(func() {
		result := try(h.grip.context())
		h.mu.Lock()
		h.done = append(h.done, carried[K, R]{to, result})
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

// take returns what has ended and is not recorded.
func (h *hand[K, R]) take() []carried[K, R] {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := h.done
	h.done = nil
	return done
}

// putBack returns what could not be recorded.
func (h *hand[K, R]) putBack(done []carried[K, R]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = append(done, h.done...)
}

// release makes room for others once something is recorded.
func (h *hand[K, R]) release(done []carried[K, R]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range done {
		h.count--
		if h.to[d.to]--; h.to[d.to] == 0 {
			delete(h.to, d.to)
		}
	}
}

// record has store take all that has ended at once.
func (h *hand[K, R]) record(store func([]R) error) (recorded []carried[K, R], err error) {
	ended := h.take()
	if len(ended) == 0 {
		return nil, nil
	}
	if err := store(results(ended)); err != nil {
		h.putBack(ended)
		return nil, err
	}
	h.release(ended)
	return ended, nil
}

func results[K comparable, R any](done []carried[K, R]) []R {
	var all []R
	for _, d := range done {
		all = append(all, d.result)
	}
	return all
}

// wait returns once nothing is being sent any more; what still is after the grace is cut off. ok is false when ctx ends
// before.
func (h *hand[K, R]) wait(ctx context.Context, grace time.Duration) (ok bool) {
	h.grip.keep(0) // the grace is over before anybody else begins
	stop := func() { h.grip.lose(errStopped) }
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
