package sett

import (
	"testing"
	"time"
)

func TestFloodHoldsWhatIsMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	var f Flood
	held := false
	for n := range 5 {
		now := hearNoon.Add(time.Duration(n) * time.Minute)
		if f, held = f.Pass(now, 3); held != (n >= 3) {
			t.Errorf("message %d of 3: held is %v", n+1, held)
		}
	}
	if f != (Flood{BeganAt: hearNoon, Sent: 3, Held: 2}) {
		t.Errorf("after 5 messages: %+v", f)
	}
	if *f.Facts(3) != (HeldFacts{Count: 2, Limit: 3, Minutes: 10}) {
		t.Errorf("what is told of it: %+v", f.Facts(3))
	}
}

func TestFloodWindowIsTenMinutesFromItsFirstMessage(t *testing.T) {
	t.Parallel()
	f := Flood{BeganAt: hearNoon, Sent: 3, Held: 1}
	for _, c := range []struct {
		after time.Duration
		over  bool
	}{{0, false}, {10*time.Minute - 1, false}, {10 * time.Minute, true}, {-1, true}} {
		now := hearNoon.Add(c.after)
		next, held := f.Pass(now, 3)
		if f.Over(now) != c.over || held == c.over {
			t.Errorf("after %v: over is %v, held is %v", c.after, f.Over(now), held)
		}
		if c.over && next != (Flood{BeganAt: now, Sent: 1}) {
			t.Errorf("after %v the next window is %+v", c.after, next)
		}
	}
	if !(Flood{}).Over(hearNoon) {
		t.Error("a window that has not begun is not over")
	}
	if got := f.Hold(hearNoon.Add(time.Minute)); got != (Flood{hearNoon, 3, 2}) {
		t.Errorf("one held whatever the limit: %+v", got)
	}
}

func TestFloodLimitOfAnIntegrationWithout(t *testing.T) {
	t.Parallel()
	for have, want := range map[int64]int64{0: DefaultNotificationLimit, -1: DefaultNotificationLimit, 1: 1, 200: 200} {
		if got := (Integration{IntegrationSettings: IntegrationSettings{NotificationLimit: have}}).FloodLimit(); got != want {
			t.Errorf("limit %d counts as %d, want %d", have, got, want)
		}
	}
}

// The end of a trouble is kept from those alone who were spared all of it.
func TestTroubleThatWasHeldEndsUnheard(t *testing.T) {
	t.Parallel()
	const opened, openedHeld, closed = "o", "h", "c"
	for _, c := range []struct {
		name  string
		story []string
		held  bool
	}{
		{"no trouble is known", []string{closed}, false},
		{"told", []string{opened, closed}, false},
		{"held", []string{openedHeld, closed}, true},
		{"told, then held", []string{opened, openedHeld, closed}, false},
		{"held, then told", []string{openedHeld, opened, closed}, false},
		{"held after an end that was told", []string{opened, closed, openedHeld, closed}, true},
		{"held twice", []string{openedHeld, closed, closed}, true},
		{"told after an end that was held", []string{openedHeld, closed, opened, closed}, false},
	} {
		var trouble Trouble
		held := false
		for _, step := range c.story {
			if step == closed {
				trouble, held = trouble.Closed()
			} else {
				trouble = trouble.Opened(step == openedHeld)
			}
		}
		if held != c.held {
			t.Errorf("%s: the end is held: %v, want %v", c.name, held, c.held)
		}
	}
}
