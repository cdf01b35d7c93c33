package scim

import (
	"testing"
	"time"

	"sett/internal/sett"
)

// Entra ID's 25 requests a second never wait; a flood does, and only that of its account.
func TestPace(t *testing.T) {
	t.Parallel()
	p, now := newPace(), time.Unix(1_800_000_000, 0)
	for range 25 * 60 {
		if err := p.take("a", now); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second / 25)
	}
	sent := 0
	for p.take("a", now) == nil {
		sent++
	}
	if sent != burst {
		t.Errorf("a burst of %d, want %d", sent, burst)
	}
	if err := p.take("a", now); sett.CodeOf(err) != sett.TooMany {
		t.Errorf("a flood: %v", err)
	}
	if p.take("b", now) != nil || p.take("a", now.Add(time.Second)) != nil {
		t.Error("another account waits, or this one for ever")
	}
}
