package alerts

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

func TestReceiversNameTheirIDs(t *testing.T) {
	t.Parallel()
	for r, want := range map[Receiver][2]int64{
		IntegrationReceiver(12): {12, 0}, UserReceiver(7): {0, 7}, "": {}, "user": {}, "user x": {}, "integrations 4": {},
	} {
		if got := [2]int64{r.IntegrationID(), r.UserID()}; got != want {
			t.Errorf("%q: %v, want %v", r, got, want)
		}
	}
}

func TestFailureMailHasItsNameInOneLine(t *testing.T) {
	t.Parallel()
	i := Integration{ProjectID: 5, IntegrationSettings: IntegrationSettings{Type: "WebHook", Options: map[string]any{"label": " Ops\r\nBcc: x "}}}
	m := i.FailureMail("ann@example.test", "Shop", "410 Gone", true)
	want := map[string]string{"integration": "Ops Bcc: x (WebHook)", "project": "Shop", "problem": "410 Gone", "link": "/projects/5/settings/channels", "off": "yes"}
	for name, value := range want {
		if m.Fields[name] != value {
			t.Errorf("%s is %q, want %q", name, m.Fields[name], value)
		}
	}
	i.Options = map[string]any{"label": 7}
	if got := i.FailureMail("", "", "", false).Fields["integration"]; got != "WebHook" {
		t.Errorf("without a label it is %q", got)
	}
}

func TestDeliveriesThatWaitForQuietHours(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 19, 7, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		d    Delivery
		want bool
	}{
		{Delivery{State: DeliveryDue, DueAt: end, QuietUntil: end}, true},
		{Delivery{State: DeliverySent, DueAt: end, QuietUntil: end}, false},
		{Delivery{State: DeliveryDue, DueAt: end.Add(time.Minute), QuietUntil: end}, false}, // its receiver wants to be left alone for longer
		{Delivery{State: DeliveryDue, DueAt: end}, false},
		{Delivery{State: DeliveryDue}, false},
	} {
		if got := c.d.Quiet(); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}

func TestFloodHoldsWhatIsMoreThanTheLimit(t *testing.T) {
	t.Parallel()
	var f Flood
	var held bool
	for n := range 5 {
		now := hearNoon.Add(time.Duration(n) * time.Minute)
		if f, held = f.Pass(now, 3); held != (n >= 3) {
			t.Errorf("message %d of 3: held is %v", n+1, held)
		}
	}
	if f != (Flood{BeganAt: hearNoon, Sent: 3, Held: 2}) {
		t.Errorf("after 5 messages: %+v", f)
	}
	if !reflect.DeepEqual(f.Facts(3), &HeldFacts{Count: 2, Limit: 3, Minutes: 10}) {
		t.Errorf("its facts: %+v", f.Facts(3))
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
	if got := f.Hold(hearNoon.Add(time.Minute)); got != (Flood{BeganAt: hearNoon, Sent: 3, Held: 2}) {
		t.Errorf("one held whatever the limit: %+v", got)
	}
}

// Lists of what held messages are about come after 10, 20, 40 seconds and so on, and never after the next window has begun.
func TestListsOfAFloodComeLessAndLessOften(t *testing.T) {
	t.Parallel()
	f := Flood{BeganAt: hearNoon, Sent: 3, Held: 7}
	for n, want := range []time.Duration{10, 20, 40, 80, 160, 320, 600, 600} {
		if f = f.Await(hearNoon, AlertOccurred); !f.DigestAt.IsZero() {
			t.Errorf("errors are listed: %+v", f)
		}
		f = f.Await(hearNoon, AlertDown).Await(hearNoon.Add(time.Second), AlertUp)
		if got := f.DigestAt.Sub(hearNoon); got != want*time.Second {
			t.Errorf("list %d after %v, want %v", n+1, got, want*time.Second)
		}
		f = f.Digested(2, int64(n))
	}
	if want := (Flood{BeganAt: hearNoon, Sent: 3, Digests: 8, Listed: 7}); f != want {
		t.Errorf("%+v, want %+v", f, want)
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
		{"sent", []string{opened, closed}, false},
		{"held", []string{openedHeld, closed}, true},
		{"sent, then held", []string{opened, openedHeld, closed}, false},
		{"held, then sent", []string{openedHeld, opened, closed}, false},
		{"held after an end that was sent", []string{opened, closed, openedHeld, closed}, true},
		{"held twice", []string{openedHeld, closed, closed}, true},
		{"sent after an end that was held", []string{openedHeld, closed, opened, closed}, false},
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

// The first bucket that a span touches may begin before the span; the others lie within it.
func TestBucketsOfASpan(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for range 2000 {
		newest := noon.Add(time.Duration(random.Int64N(int64(24*time.Hour))) / time.Microsecond * time.Microsecond)
		if random.IntN(4) == 0 {
			newest = newest.Truncate(time.Hour).Add(-time.Microsecond * time.Duration(random.IntN(2)))
		}
		for _, rate := range AlertRates() {
			span := rate.Before(newest)
			if span.To != newest || span.To.Sub(span.After) != rate.Span() {
				t.Fatalf("%s before %v is %v", rate, newest, span)
			}
			for _, width := range rate.Widths() {
				starts := span.Starts(width)
				first, last := time.Unix(starts[0], 0), time.Unix(starts[len(starts)-1], 0)
				if first.After(span.First()) || !first.Add(width).After(span.First()) {
					t.Errorf("%s before %v: the first bucket of %v begins at %v", rate, newest, width, first)
				}
				if last.After(newest) || !last.Add(width).After(newest) {
					t.Errorf("%s before %v: the last bucket of %v begins at %v", rate, newest, width, last)
				}
				for i, at := range starts {
					if at%int64(width/time.Second) != 0 || at != starts[0]+int64(i)*int64(width/time.Second) {
						t.Errorf("%s before %v: buckets of %v begin at %v", rate, newest, width, starts)
					}
				}
			}
		}
	}
}

func TestNoNoticeCountsForTwoAlerts(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for _, rate := range AlertRates() {
		for _, c := range []struct {
			notified, newest time.Time
			quiet            bool
		}{
			{time.Time{}, noon, false},
			{noon, noon, true},
			{noon, noon.Add(rate.Span() - time.Microsecond), true},
			{noon, noon.Add(rate.Span()), false},
		} {
			if got := rate.Quiet(c.notified, c.newest); got != c.quiet {
				t.Errorf("%s, notified at %v, newest at %v: quiet is %t", rate, c.notified, c.newest, got)
			}
			if span := rate.Before(c.newest); !c.quiet && !span.First().After(c.notified) {
				t.Errorf("%s: a notice that was notified at %v counts again from %v", rate, c.notified, span.First())
			}
		}
	}
}
