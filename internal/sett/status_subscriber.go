package sett

import (
	"io"
	"strings"
	"time"
)

// StatusSubscriber is somebody who wants to be told what a status page tells. Nothing is sent before they have confirmed
// that the address is theirs.
type StatusSubscriber struct {
	ID          int64
	PageID      string
	Kind        SubscriberKind
	Address     string    // of mail, or of a webhook
	Token       string    // in the links by which they confirm and unsubscribe; a secret
	Secret      string    // signs what is sent to a webhook (Standard Webhooks); "" for mail
	ConfirmedAt time.Time // zero: not yet, or not any more, as nothing has reached them for so long
	CreatedAt   time.Time // while they have not confirmed: when they were asked to the last time
	Problem     string    // why they could not be told the last time; "" : they could
	FailingAt   time.Time // since when they could not; zero: they could
}

// SubscriberKind is how a subscriber is told.
type SubscriberKind string

// The kinds of subscribers.
const (
	EmailSubscriber   SubscriberKind = "email"
	WebHookSubscriber SubscriberKind = "webhook"
)

// Limits of subscribing.
const (
	MostSubscribers  = 10_000             // of a page, those who have not confirmed included
	SubscriptionLife = 48 * time.Hour     // for how long they can confirm
	AskAgainAfter    = time.Hour          // they are asked to confirm no more often
	FailingTooLong   = 7 * 24 * time.Hour // after which they are told no more
)

// CheckSubscriberEmail returns the address as subscribers are known by it, in small letters, so that one mailbox is asked
// once. Its error is Invalid when it is none.
func CheckSubscriberEmail(address string) (string, error) {
	address = strings.ToLower(strings.TrimSpace(address))
	var p Problems
	CheckEmail(&p, "email", address)
	return address, p.Err()
}

// Told returns the subscriber once something has reached them.
func (s StatusSubscriber) Told() StatusSubscriber {
	s.Problem, s.FailingAt = "", time.Time{}
	return s
}

// NotTold returns the subscriber once something could not be told to them at a time: whom nothing reaches for too long has
// to confirm once more.
func (s StatusSubscriber) NotTold(now time.Time, problem string) StatusSubscriber {
	s.Problem = problem
	if s.FailingAt.IsZero() {
		s.FailingAt = now
	}
	if now.Sub(s.FailingAt) >= FailingTooLong {
		s.ConfirmedAt, s.CreatedAt = time.Time{}, now
	}
	return s
}

// NewSubscriberToken returns a new secret of the links of a subscriber.
func NewSubscriberToken(source io.Reader) string { return drawString(source, subscriberKeyLength) }
