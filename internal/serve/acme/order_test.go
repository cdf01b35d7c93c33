package acme

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Those who come while an order runs wait for it, up to a number of them, and it ends with the server.
func TestOrdersAreShared(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	o := newOrders(time.Now, func(ctx context.Context, _ string) error {
		made.Add(1)
		<-ctx.Done()
		return ctx.Err()
	})
	var first *order
	for range waitingAtOnce {
		running, err := o.join(name)
		if first == nil {
			first = running
		}
		if err != nil || running != first {
			t.Fatalf("another order is made: %v", err)
		}
	}
	if _, err := o.join(name); err == nil {
		t.Error("any number may wait")
	}
	o.leave(first)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.await(gone, name); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled request waits: %v", err)
	}
	o.stop()
	if <-first.done; !errors.Is(first.err, context.Canceled) || made.Load() > 1 {
		t.Errorf("%v after %d orders", first.err, made.Load())
	}
	if _, err := o.join("other.example.org"); err == nil {
		t.Error("an order is made after the end")
	}
}
