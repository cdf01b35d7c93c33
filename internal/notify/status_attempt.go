package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/status"
	"sett/internal/store/statusdb"
)

// try sends a notice once and returns the result.
func (s *StatusNotifier) try(ctx context.Context, c statusdb.ClaimedStatusNotice) statusdb.StatusNoticeResult {
	err := safely(func() error { return s.send(ctx, c) })
	switch {
	case err == nil:
		return statusdb.StatusNoticeResult{Notice: c, After: c.Subscriber.Notified()}
	case ctx.Err() != nil: // it was canceled
		return statusdb.StatusNoticeResult{Notice: c, DueAt: s.Now(), After: c.Subscriber}
	}
	return s.failed(c, s.failureOf(c, err))
}

// failed decides whether and when a notice is retried.
func (s *StatusNotifier) failed(c statusdb.ClaimedStatusNotice, f *channel.Failure) statusdb.StatusNoticeResult {
	now := s.Now()
	until := c.Subscriber.TriedUntil(now)
	if !f.Permanent && now.Before(until) {
		due := now.Add(min(pauseAfter(c.Tries, rand.Float64()), until.Sub(now)))
		if asked := now.Add(f.RetryAfter); asked.After(due) {
			due = asked
		}
		return statusdb.StatusNoticeResult{Notice: c, DueAt: due, After: c.Subscriber.NotifyFailed(now, f.Problem)}
	}
	s.Log.Warn("a subscriber of a status page did not receive an update, and it is not retried", "page", c.Page.Name, "incident", c.Incident.Name,
		"subscriber_id", c.Subscriber.ID, "attempts", c.Tries, "error", f.Problem, "hint", "the page's list of subscribers shows who cannot be reached")
	after := c.Subscriber.NotifyFailed(now, f.Problem)
	if f.Permanent {
		after = c.Subscriber.Refused(now, f.Problem)
	}
	return statusdb.StatusNoticeResult{Notice: c, After: after}
}

// failureOf returns why an attempt failed. Failures on our side are retried.
func (s *StatusNotifier) failureOf(c statusdb.ClaimedStatusNotice, err error) *channel.Failure {
	if f, ok := errors.AsType[*channel.Failure](err); ok {
		return f
	}
	s.Log.Error("an update of a status page could not be written and is retried", "page", c.Page.Name, "incident", c.Incident.Name, "error", err, "hint", hintReport)
	return &channel.Failure{Problem: "The server could not compose the message. Its log has the reason."}
}

func (s *StatusNotifier) send(ctx context.Context, c statusdb.ClaimedStatusNotice) error {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	switch {
	case c.Asks && !c.Subscriber.ConfirmedAt.IsZero():
		return nil // already confirmed, whatever the result of an earlier attempt
	case c.Subscriber.Kind == status.WebHookSubscriber:
		return s.post(ctx, c)
	case s.Tools.Email == nil:
		s.off.Do(func() {
			s.Log.Warn("email is off, so subscribers of status pages receive no emails", "hint", hintEmailOff)
		})
		return nil
	}
	return s.mail(ctx, c)
}

// mail sends a notice by email. Its Message-ID is the same for every attempt, so that receivers can recognize duplicates.
func (s *StatusNotifier) mail(ctx context.Context, c statusdb.ClaimedStatusNotice) error {
	l, unsubscribe, err := s.letters.write(s.BaseURL, c)
	if err != nil {
		return err
	}
	id := s.Tools.Email.MessageID(fmt.Sprintf("status.%d.%d.%d", c.Update.ID, c.Subscriber.ID, c.Update.At.UnixMicro()))
	return s.Tools.Email.Send(ctx, channel.Mail{
		ID: id, To: c.Subscriber.Address, Date: c.Update.At, Subject: l.subject, Text: l.text, HTML: l.html, Unsubscribe: unsubscribe,
	})
}

// post sends a notice to a webhook, signed like every webhook. Its webhook-id is the same for every attempt.
func (s *StatusNotifier) post(ctx context.Context, c statusdb.ClaimedStatusNotice) error {
	var id string
	var payload any
	if c.Asks {
		id, payload = fmt.Sprintf("subscription_%d_%d", c.Subscriber.ID, c.Subscriber.CreatedAt.UnixMicro()), subscriptionOf(s.BaseURL, c)
	} else {
		id, payload = fmt.Sprintf("status_%d_%d_%d", c.Update.ID, c.Subscriber.ID, c.Update.At.UnixMicro()), statusUpdateOf(s.BaseURL, c)
	}
	body, err := json.Marshal(payload)
	if err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	kind, _ := channel.Find("WebHook")
	_, err = kind.Make(s.Tools, channel.Values{"url": c.Subscriber.Address, "secret": c.Subscriber.Secret}).Send(ctx, channel.Message{ID: id, Body: body})
	return err
}

// pauseAfter is retryAfter without a maximum number of attempts: the last wait is repeated.
func pauseAfter(tries int, chance float64) time.Duration {
	wait, _ := retryAfter(min(max(tries, 1), len(retries())), chance)
	return wait
}
