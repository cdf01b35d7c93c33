package alerts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Delivery is an alert for one receiver.
type Delivery struct {
	ID            int64
	AlertID       int64
	Receiver      Receiver
	IntegrationID int64 // 0: a user is the receiver
	UserID        int64 // 0: an integration is
	Event         AlertEvent
	Subject       AlertSubject
	State         DeliveryState
	DueAt         time.Time // of DeliveryDue: the next try
	Tries         int       // begun
	CreatedAt     time.Time
	DoneAt        time.Time // zero: not yet
	Problem       string    // of the last try, or why it was not sent; "" for none
	QuietUntil    time.Time // of DeliveryDue: the quiet hours of its integration end then; zero: they did not let it wait
	Note          string    // what there is to know of it whatever comes of it; "" for nothing
}

// Quiet reports whether the delivery waits for the end of quiet hours, and for nothing else.
func (d Delivery) Quiet() bool {
	return d.State == DeliveryDue && !d.QuietUntil.IsZero() && d.DueAt.Equal(d.QuietUntil)
}

// DeliveryState is how far a delivery is.
type DeliveryState string

// The states of a delivery; only DeliveryDue is ever left.
const (
	DeliveryDue    DeliveryState = "due"
	DeliverySent   DeliveryState = "sent"
	DeliveryFailed DeliveryState = "failed" // given up
	DeliveryMerged DeliveryState = "merged" // a later one contains it
	DeliveryHeld   DeliveryState = "held"   // by flood control
)

// Receiver is whom a delivery goes to: an integration, or a user by their personal alerts.
type Receiver string

// IntegrationReceiver is an integration as a receiver.
func IntegrationReceiver(id int64) Receiver { return Receiver(fmt.Sprint("integration ", id)) }

// UserReceiver is a user as a receiver.
func UserReceiver(id int64) Receiver { return Receiver(fmt.Sprint("user ", id)) }

// IntegrationID returns the id of the integration that the receiver is, or 0.
func (r Receiver) IntegrationID() int64 { return r.id("integration") }

// UserID returns the id of the user that the receiver is, or 0.
func (r Receiver) UserID() int64 { return r.id("user") }

func (r Receiver) id(kind string) int64 {
	named, number, _ := strings.Cut(string(r), " ")
	if named != kind {
		return 0
	}
	id, _ := strconv.ParseInt(number, 10, 64)
	return id
}

// Attempt is one try of a delivery.
type Attempt struct {
	Number   int64 // 1 is the first
	At       time.Time
	Duration time.Duration
	Status   int    // of HTTP; 0: there was no answer
	Problem  string // or, of one that was taken, what there is to know of it; "" for nothing
}

// FloodWindow is the time in which a receiver gets no more messages than its limit. It begins with a message.
const FloodWindow = 10 * time.Minute

// Flood is what a receiver got, and was spared, in one window.
type Flood struct {
	BeganAt time.Time // zero: there was no message yet
	Sent    int64
	Held    int64

	DigestAt time.Time // when a message lists the sites and check-ins that held messages are about; zero: there are none
	Digests  int64     // sent in the window
	Listed   int64     // the newest held delivery that was listed
}

// firstDigest is how long held messages about sites and check-ins wait for others to be listed with; the next ones wait twice as long each.
const firstDigest = 10 * time.Second

// Await plans the message that lists what a held message is about.
func (f Flood) Await(now time.Time, e AlertEvent) Flood {
	if e.Watching() && f.DigestAt.IsZero() {
		f.DigestAt = now.Add(min(firstDigest<<min(f.Digests, 10), FloodWindow))
	}
	return f
}

// Digested is the window after a message that lists so many held messages, up to a delivery.
func (f Flood) Digested(messages, newest int64) Flood {
	f.Held, f.DigestAt, f.Digests, f.Listed = max(f.Held-messages, 0), time.Time{}, f.Digests+1, newest
	return f
}

// Over reports whether the next message begins a new window: also when the clock was set back.
func (f Flood) Over(now time.Time) bool {
	return f.BeganAt.IsZero() || now.Before(f.BeganAt) || !now.Before(f.BeganAt.Add(FloodWindow))
}

// Pass counts one more message and reports whether it is held, because the receiver has had as many as the limit.
func (f Flood) Pass(now time.Time, limit int64) (next Flood, held bool) {
	if f = f.at(now); f.Sent >= limit {
		f.Held++
		return f, true
	}
	f.Sent++
	return f, false
}

// Hold counts a message that is held whatever the limit.
func (f Flood) Hold(now time.Time) Flood {
	f = f.at(now)
	f.Held++
	return f
}

func (f Flood) at(now time.Time) Flood {
	if f.Over(now) {
		return Flood{BeganAt: now}
	}
	return f
}

// Facts are what the summary of a past window contains.
func (f Flood) Facts(limit int64) *HeldFacts {
	return &HeldFacts{Count: f.Held, Limit: limit, Minutes: int64(FloodWindow / time.Minute)}
}

// FloodLimit is how many messages the integration gets in one FloodWindow.
func (i Integration) FloodLimit() int64 {
	if i.NotificationLimit < 1 {
		return DefaultNotificationLimit
	}
	return i.NotificationLimit
}

// RateSpan is the time that occurrences of a fault are counted in: it ends with the newest notice of the fault and is as
// long as a rate. So an alert depends on when notices came, and never on when they were read.
type RateSpan struct {
	After time.Time // not part of it
	To    time.Time // the newest notice, part of it
}

// Before returns the span that ends with a notice.
func (r AlertRate) Before(newest time.Time) RateSpan { return RateSpan{newest.Add(-r.Span()), newest} }

// Widths returns the widths of the buckets that notices of the rate are counted by, coarse ones first: fine
// buckets are read only when coarse ones do not decide whether the rate is exceeded.
func (r AlertRate) Widths() []time.Duration {
	switch r {
	case RateMinute:
		return []time.Duration{time.Minute}
	case RateHour:
		return []time.Duration{time.Hour, time.Minute}
	default:
		return []time.Duration{24 * time.Hour, time.Hour}
	}
}

// First returns the earliest time that is part of the span, to the microsecond of notices.
func (s RateSpan) First() time.Time { return s.After.Add(time.Microsecond) }

// Starts returns when the buckets of a width begin that the span touches, the oldest first, in seconds since 1970. Only
// the first may hold notices that are older than the span; none holds newer ones.
func (s RateSpan) Starts(width time.Duration) (starts []int64) {
	w := int64(width / time.Second)
	for at := s.First().Unix() / w * w; at <= s.To.Unix(); at += w {
		starts = append(starts, at)
	}
	return starts
}

// Quiet reports whether a receiver gets no second alert, because no notice counts for two alerts. notified is the newest
// notice of their last alert, zero for none.
func (r AlertRate) Quiet(notified, newest time.Time) bool {
	return !notified.IsZero() && newest.Before(notified.Add(r.Span()))
}
