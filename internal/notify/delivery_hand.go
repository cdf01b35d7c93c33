package notify

import (
	"maps"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

// deliveryHand is the hand of a Courier, which knows what fails.
type deliveryHand struct {
	*hand[sett.Receiver, store.DeliveryResult]
	failing map[sett.Receiver]time.Time // when it last failed, of those whose last try did
	tally   Tally
}

// Tally counts how tries of deliveries ended.
type Tally struct{ Sent, Again, Failed int64 }

func newDeliveryHand() *deliveryHand {
	h := &deliveryHand{hand: newHand[sett.Receiver, store.DeliveryResult](), failing: map[sett.Receiver]time.Time{}}
	h.note = h.noteEnd
	return h
}

// noteEnd notes who fails.
func (h *deliveryHand) noteEnd(to sett.Receiver, result store.DeliveryResult) {
	if result.State == sett.DeliverySent {
		delete(h.failing, to)
	} else {
		h.failing[to] = result.Attempt.At
	}
}

// room returns how many more deliveries fit, and the receivers that have enough.
func (h *deliveryHand) room() (n int, busy []sett.Receiver) {
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
func (h *deliveryHand) roomFor(r sett.Receiver) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails(r) {
		return 1 - h.to[r]
	}
	return mostToOne - h.to[r]
}

// fails reports whether the last try to a receiver failed.
func (h *deliveryHand) fails(r sett.Receiver) bool { return !h.failing[r].IsZero() }

// forget forgets which receivers failed before a time, and were not tried since: they are gone.
func (h *deliveryHand) forget(before time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.failing, func(_ sett.Receiver, last time.Time) bool { return last.Before(before) })
}

// tallyUp counts what was recorded.
func (h *deliveryHand) tallyUp(done []carried[sett.Receiver, store.DeliveryResult]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, d := range done {
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

func (h *deliveryHand) tallied() Tally {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tally
}
