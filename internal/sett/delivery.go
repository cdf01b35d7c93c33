package sett

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
	DeliveryMerged DeliveryState = "merged" // a later one tells it too
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
