package notify

import (
	"context"
	"maps"
	"sync"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

// hand holds the deliveries of this process: those that are being sent, and those that are sent and not recorded yet.
type hand struct {
	ended   chan struct{} // gets a value when there is something to record
	grip    *grip
	senders sync.WaitGroup

	mu      sync.Mutex
	count   int
	to      map[sett.Receiver]int
	failing map[sett.Receiver]time.Time // when it last failed, of those whose last try did
	done    []carried
	tally   Tally
}

// carried is a delivery that was tried.
type carried struct {
	receiver sett.Receiver
	result   store.DeliveryResult
}

// Tally counts how tries of deliveries ended.
type Tally struct{ Sent, Again, Failed int64 }

func newHand() *hand {
	return &hand{ended: make(chan struct{}, 1), grip: newGrip(), to: map[sett.Receiver]int{}, failing: map[sett.Receiver]time.Time{}}
}

// room returns how many more deliveries fit, and the receivers that have enough.
func (h *hand) room() (n int, busy []sett.Receiver) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for receiver, n := range h.to {
		if n >= mostToOne || h.fails(receiver) {
			busy = append(busy, receiver)
		}
	}
	return mostInHand - h.count, busy
}

// roomFor returns how many more deliveries to a receiver fit.
func (h *hand) roomFor(r sett.Receiver) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails(r) {
		return 1 - h.to[r]
	}
	return mostToOne - h.to[r]
}

// fails reports whether the last try to a receiver failed.
func (h *hand) fails(r sett.Receiver) bool { return !h.failing[r].IsZero() }

// forget forgets which receivers failed before a time, and were not tried since: they are gone.
func (h *hand) forget(before time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.failing, func(_ sett.Receiver, last time.Time) bool { return last.Before(before) })
}

// carry tries a delivery in the background.
func (h *hand) carry(to sett.Receiver, try func(context.Context) store.DeliveryResult) {
	h.mu.Lock()
	h.count++
	h.to[to]++
	h.mu.Unlock()
	h.senders.Go(func() {
		result := try(h.grip.context())
		h.mu.Lock()
		h.done = append(h.done, carried{to, result})
		if result.State == sett.DeliverySent {
			delete(h.failing, to)
		} else {
			h.failing[to] = result.Attempt.At
		}
		h.mu.Unlock()
		select {
		case h.ended <- struct{}{}:
		default:
		}
	})
}

// take returns what has ended and is not recorded.
func (h *hand) take() []carried {
	h.mu.Lock()
	defer h.mu.Unlock()
	done := h.done
	h.done = nil
	return done
}

// putBack returns what could not be recorded.
func (h *hand) putBack(done []carried) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = append(done, h.done...)
}

// release makes room for others once deliveries are recorded.
func (h *hand) release(done []carried) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range done {
		h.count--
		if h.to[d.receiver]--; h.to[d.receiver] == 0 {
			delete(h.to, d.receiver)
		}
		h.tally.add(d.result.State)
	}
}

func (t *Tally) add(s sett.DeliveryState) {
	switch s {
	case sett.DeliverySent:
		t.Sent++
	case sett.DeliveryDue:
		t.Again++
	case sett.DeliveryFailed:
		t.Failed++
	}
}

func (h *hand) tallied() Tally {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tally
}

func results(done []carried) []store.DeliveryResult {
	var all []store.DeliveryResult
	for _, d := range done {
		all = append(all, d.result)
	}
	return all
}

// wait returns once nothing is being sent any more; what still is after the grace is cut off. ok is false when ctx ends
// before.
func (h *hand) wait(ctx context.Context, grace time.Duration) (ok bool) {
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
