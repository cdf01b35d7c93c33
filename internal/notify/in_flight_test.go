package notify

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
)

func TestRoomForOneReceiver(t *testing.T) {
	t.Parallel()
	h := newDeliveriesInFlight(NewLease(nil))
	over, began := make(chan struct{}), time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	end := func(state alerts.DeliveryState) func(context.Context) deliverydb.DeliveryResult {
		return func(context.Context) deliverydb.DeliveryResult {
			<-over
			return deliverydb.DeliveryResult{State: state, Attempt: alerts.Attempt{At: began}}
		}
	}
	h.send("a", end(alerts.DeliverySent))
	h.send("a", end(alerts.DeliverySent))
	h.send("b", end(alerts.DeliveryDue))
	want := func(when string, rooms map[alerts.Receiver]int) {
		t.Helper()
		for r, room := range rooms {
			if got := h.roomFor(r); got != room {
				t.Errorf("%s: room for %d to %s, want %d", when, got, r, room)
			}
		}
	}
	want("while they are sent", map[alerts.Receiver]int{"a": maxPerReceiver - 2, "b": maxPerReceiver - 1, "c": maxPerReceiver})
	close(over)
	h.senders.Wait()
	want("before they are recorded", map[alerts.Receiver]int{"a": maxPerReceiver - 2, "b": 0})
	h.release(h.take())
	want("after that", map[alerts.Receiver]int{"a": maxPerReceiver, "b": 1})
	h.forget(began)
	want("while it may be tried again", map[alerts.Receiver]int{"b": 1})
	h.forget(began.Add(1))
	want("when it is gone", map[alerts.Receiver]int{"b": maxPerReceiver})
	if len(h.failing) > 0 {
		t.Errorf("it is remembered that %v fail", h.failing)
	}
}

// If a message cannot be composed, the delivery is tried again, and so is that of another receiver that waits for the message.
func TestAPanicIsAFailedTry(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	c := NewDispatcher(DispatcherOptions{DB: openDB(t), Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}) // without a composer
	for range 2 {
		d := deliverydb.ClaimedDelivery{Delivery: alerts.Delivery{ID: 7, AlertID: 3, Tries: 1}, Integration: &alerts.Integration{}}
		got := c.try(t.Context(), d)
		if got.State != alerts.DeliveryDue || got.Attempt.Problem != "The server could not compose the message. Its log has the reason." {
			t.Errorf("%+v", got)
		}
	}
	if n := strings.Count(log.String(), "a notification could not be written"); n != 2 || !strings.Contains(log.String(), "panic: ") {
		t.Errorf("%d failures were logged:\n%s", n, &log)
	}
	var r recent[channel.Message]
	func() {
		defer func() { _ = recover() }()
		_, _ = r.of(1, func() (channel.Message, error) { panic("no words") })
	}()
	if _, err := r.of(1, func() (channel.Message, error) { return channel.Message{}, nil }); err == nil {
		t.Error("a receiver that waited for the message got an empty one")
	}
	if m, err := r.of(1, func() (channel.Message, error) { return channel.Message{Text: "words"}, nil }); err != nil || m.Text != "words" {
		t.Errorf("and after it %v, %v", m, err)
	}
}
