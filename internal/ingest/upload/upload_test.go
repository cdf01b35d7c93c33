package upload

import (
	"context"
	"testing"
	"time"

	"sett/internal/sett"
)

// TestUploadsWaitForTheirTurn has all slots taken: one more waits, and those beyond the queue are refused at once.
func TestUploadsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	d := NewDesk(nil)
	var leave []func()
	for range atOnce {
		l, err := d.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	entered := make(chan error)
	go func() {
		l, err := d.enter(t.Context())
		if err == nil {
			l()
		}
		entered <- err
	}()
	leave[0]()
	if err := <-entered; err != nil {
		t.Errorf("after one has left: %v", err)
	}
	if _, err := d.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := d.enter(late); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("one that has waited for too long: %v", err)
	}
	for range waiting {
		d.waiting <- struct{}{}
	}
	if _, err := d.enter(t.Context()); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("one beyond the queue: %v", err)
	}
}
