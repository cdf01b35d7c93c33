package notify

import (
	"maps"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
)

// deliveriesInFlight are the deliveries of a Dispatcher, with the receivers that fail.
type deliveriesInFlight struct {
	*inFlight[alerts.Receiver, deliverydb.DeliveryResult]
	failing map[alerts.Receiver]time.Time // when they last failed, for receivers whose last attempt did
	tally   Tally
}

// Tally counts the outcomes of attempts.
type Tally struct{ Sent, Again, Failed int64 }

func newDeliveriesInFlight(l *Lease) *deliveriesInFlight {
	h := &deliveriesInFlight{inFlight: newInFlight[alerts.Receiver, deliverydb.DeliveryResult](l), failing: map[alerts.Receiver]time.Time{}}
	h.note = h.noteEnd
	return h
}

// noteEnd records whether a receiver fails.
func (h *deliveriesInFlight) noteEnd(to alerts.Receiver, result deliverydb.DeliveryResult) {
	if result.State == alerts.DeliverySent {
		delete(h.failing, to)
	} else {
		h.failing[to] = result.Attempt.At
	}
}

// roomFor returns the number of free slots of a receiver.
func (h *deliveriesInFlight) roomFor(r alerts.Receiver) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fails(r) {
		return 1 - h.to[r]
	}
	return maxPerReceiver - h.to[r]
}

// fails reports whether the last attempt for a receiver failed.
func (h *deliveriesInFlight) fails(r alerts.Receiver) bool { return !h.failing[r].IsZero() }

// forget removes receivers whose last attempt failed before a time, because they no longer exist.
func (h *deliveriesInFlight) forget(before time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.failing, func(_ alerts.Receiver, last time.Time) bool { return last.Before(before) })
}

// countOutcomes counts recorded results.
func (h *deliveriesInFlight) countOutcomes(recorded []deliverydb.DeliveryResult) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range recorded {
		h.tally.add(r.State)
	}
}

func (t *Tally) add(s alerts.DeliveryState) {
	switch s {
	case alerts.DeliverySent:
		t.Sent++
	case alerts.DeliveryDue:
		t.Again++
	case alerts.DeliveryFailed:
		t.Failed++
	}
}

func (h *deliveriesInFlight) tallied() Tally {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tally
}
