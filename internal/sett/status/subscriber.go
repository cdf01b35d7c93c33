package status

import (
	"io"
	"net/url"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// StatusSubscriber receives the updates of a status page. Nothing is sent before they have confirmed
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
	Problem     string    // why the last notice failed; "" when it did not
	FailingAt   time.Time // since when they could not; zero: they could
}

// SubscriberKind is how a subscriber is notified.
type SubscriberKind string

// The kinds of subscribers.
const (
	EmailSubscriber   SubscriberKind = "email"
	WebHookSubscriber SubscriberKind = "webhook"
)

// Limits of subscribing.
const (
	MostSubscribers  = 10_000              // of a page, those who have not confirmed included
	SubscriptionLife = 48 * time.Hour      // for how long they can confirm
	AskAgainAfter    = time.Hour           // they are asked to confirm no more often
	FailingTooLong   = 7 * 24 * time.Hour  // after which they are stopped
	KeepStopped      = 90 * 24 * time.Hour // stopped subscribers, with the reason
)

// CheckSubscriberEmail returns the address as subscribers are known by it, in small letters, so that one mailbox is asked
// once. Its error is Invalid when it is none.
func CheckSubscriberEmail(address string) (string, error) {
	address = strings.ToLower(strings.TrimSpace(address))
	var p sett.Problems
	sett.CheckEmail(&p, "email", address)
	return address, p.Err()
}

// CheckSubscriberURL returns the address of a webhook as subscribers are known by it. Its error is Invalid when it is none.
func CheckSubscriberURL(address string) (string, error) {
	var p sett.Problems
	checks.CheckURL(&p, strings.TrimSpace(address))
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || p.Err() != nil {
		return address, p.Err()
	}
	if u.User != nil {
		p.Add("url", "must not hold a user or password")
	}
	u.Scheme, u.Host, u.Fragment, u.RawFragment = strings.ToLower(u.Scheme), strings.ToLower(u.Host), "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), p.Err()
}

// Shown is the address as others may see it: the query of a webhook may hold secrets.
func (s StatusSubscriber) Shown() string {
	if path, _, asks := strings.Cut(s.Address, "?"); asks && s.Kind == WebHookSubscriber {
		return path + "?…"
	}
	return s.Address
}

// Notified returns the subscriber after a notice was delivered.
func (s StatusSubscriber) Notified() StatusSubscriber {
	s.Problem, s.FailingAt = "", time.Time{}
	return s
}

// NotifyFailed returns the subscriber after a notice failed: a subscriber whom no notice reaches for too long has
// to confirm once more.
func (s StatusSubscriber) NotifyFailed(now time.Time, problem string) StatusSubscriber {
	s.Problem = problem
	switch {
	case s.ConfirmedAt.IsZero(): // they were only asked
		return s
	case s.FailingAt.IsZero():
		s.FailingAt = now
	}
	if !now.Before(s.TriedUntil(now)) {
		s.ConfirmedAt, s.CreatedAt = time.Time{}, now
	}
	return s
}

// Refused returns the subscriber after they refused a notice permanently. A webhook is stopped; of an
// address of mail only this mail is known to be refused.
func (s StatusSubscriber) Refused(now time.Time, problem string) StatusSubscriber {
	s = s.NotifyFailed(now, problem)
	if s.Kind == WebHookSubscriber && !s.ConfirmedAt.IsZero() {
		s.ConfirmedAt, s.CreatedAt = time.Time{}, now
	}
	return s
}

// TriedUntil is the end of the retries of a notice that failed.
func (s StatusSubscriber) TriedUntil(now time.Time) time.Time {
	switch {
	case s.ConfirmedAt.IsZero():
		return s.CreatedAt.Add(SubscriptionLife)
	case s.FailingAt.IsZero():
		return now.Add(FailingTooLong)
	}
	return s.FailingAt.Add(FailingTooLong)
}

// NewSubscriberToken returns a new secret of the links of a subscriber.
func NewSubscriberToken(source io.Reader) string {
	return sett.RandomStringFrom(source, subscriberKeyLength)
}
