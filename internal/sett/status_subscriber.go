package sett

import "time"

// StatusSubscriber is somebody who wants to be told what a status page tells. Nothing is sent before they have confirmed
// that the address is theirs.
type StatusSubscriber struct {
	ID          int64
	PageID      string
	Kind        SubscriberKind
	Address     string    // of mail, or of a webhook
	Token       string    // in the links by which they confirm and unsubscribe; a secret
	Secret      string    // signs what is sent to a webhook (Standard Webhooks); "" for mail
	ConfirmedAt time.Time // zero: not yet
	CreatedAt   time.Time
	Problem     string // why they could not be told the last time; "" : they could
}

// SubscriberKind is how a subscriber is told.
type SubscriberKind string

// The kinds of subscribers.
const (
	EmailSubscriber   SubscriberKind = "email"
	WebHookSubscriber SubscriberKind = "webhook"
)
