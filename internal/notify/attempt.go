package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
)

// try sends a delivery once and returns the result.
func (c *Dispatcher) try(ctx context.Context, d deliverydb.ClaimedDelivery) deliverydb.DeliveryResult {
	began := c.Now()
	result := deliverydb.DeliveryResult{ID: d.ID, Claim: d.Claim, State: alerts.DeliverySent, Attempt: alerts.Attempt{Number: int64(d.Tries), At: began}}
	var receipt channel.Receipt
	err := safely(func() (err error) {
		receipt, err = c.send(ctx, d, &result)
		return err
	})
	result.Attempt.Duration = c.Now().Sub(began)
	result.Attempt.Status, result.Attempt.Problem, result.Link = receipt.Status, receipt.Note, receipt.Link
	result.IssueAt = receipt.SetAt
	switch {
	case err != nil && ctx.Err() != nil: // it was canceled
		result.State, result.DueAt, result.Attempt.Problem = alerts.DeliveryDue, c.Now(), context.Cause(ctx).Error()
	case err != nil && c.isOurs(err):
		result.State, result.DueAt, result.Ours, result.Attempt.Problem = alerts.DeliveryDue, c.Now().Add(ourRetry), true, errAway.Error()
	case err != nil:
		c.noteFailure(d, c.failureOf(d, err), &result)
	}
	return result
}

// safely returns a panic of f as an error. One message that cannot be composed must not crash the server, which would get the
// same message again after a restart.
func safely(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%w: %v\n%s", errPanicked, v, debug.Stack())
		}
	}()
	return f()
}

var errPanicked = errors.New("panic")

// send sends the message of a delivery, and composes it first if necessary.
func (c *Dispatcher) send(ctx context.Context, d deliverydb.ClaimedDelivery, result *deliverydb.DeliveryResult) (channel.Receipt, error) {
	if d.Broken != nil {
		return channel.Receipt{}, d.Broken
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	m, err := c.message(ctx, d)
	if err != nil {
		return channel.Receipt{}, err
	}
	if d.Message == nil {
		if result.Message, err = json.Marshal(m); err != nil {
			return channel.Receipt{}, fmt.Errorf("keep message: %w", err)
		}
		result.Title = m.Headline()
	}
	if d.Integration != nil && channel.WantsV3(d.Integration.Type, d.Integration.Options) {
		if m.Body, err = c.bodyV3(ctx, d, result); err != nil {
			return channel.Receipt{}, err
		}
	}
	m.ID, m.Try, m.Again, m.Since = deliveryID(d.Delivery), d.Tries, c.again(d.Delivery), d.CreatedAt
	if d.Link != nil {
		m.Issue = &channel.Issue{Link: d.Link}
	}
	if d.User != nil {
		return channel.Receipt{}, c.mail(ctx, m, d)
	}
	return c.sendToChannel(ctx, m, d)
}

// soonTried is the maximum delay of the first attempt, if nothing blocks the delivery.
const soonTried = time.Minute

// again reports whether an earlier attempt of a delivery may have arrived. Attempts of a process that died, and attempts
// before a manual retry, are not counted in Tries.
func (c *Dispatcher) again(d alerts.Delivery) bool {
	return d.Tries > 1 || d.CreatedAt.Before(c.began) || c.Now().Sub(d.CreatedAt) > soonTried
}

// deliveryID identifies a delivery to receivers; it is the same for every attempt.
func deliveryID(d alerts.Delivery) string {
	return fmt.Sprintf("msg_%d_%d", d.ID, d.CreatedAt.UnixMicro())
}

// message returns the message of another receiver or an earlier attempt, or composes it.
func (c *Dispatcher) message(ctx context.Context, d deliverydb.ClaimedDelivery) (m channel.Message, err error) {
	if d.Message == nil {
		return c.recent.of(d.AlertID, func() (channel.Message, error) { return c.Composer.Compose(ctx, d.Alert, nil) })
	}
	if err := json.Unmarshal(d.Message, &m); err != nil {
		return m, fmt.Errorf("read message: %w", err)
	}
	return m, nil
}

// bodyV3 returns the payload of version 3 that another receiver or an earlier attempt was sent, or composes it and has it kept.
func (c *Dispatcher) bodyV3(ctx context.Context, d deliverydb.ClaimedDelivery, result *deliverydb.DeliveryResult) (json.RawMessage, error) {
	if d.BodyV3 != nil {
		return d.BodyV3, nil
	}
	body, err := c.recentV3.of(d.AlertID, func() (json.RawMessage, error) { return c.Composer.ComposeV3(ctx, d.Alert) })
	result.BodyV3 = body
	return body, err
}

// sendToChannel sends a message to an integration.
func (c *Dispatcher) sendToChannel(ctx context.Context, m channel.Message, d deliverydb.ClaimedDelivery) (channel.Receipt, error) {
	i := *d.Integration
	kind, ok := channel.Find(i.Type)
	if !ok {
		return channel.Receipt{}, &channel.Failure{Problem: fmt.Sprintf("this version of sett does not support channels of the type %q", i.Type), Permanent: true}
	}
	if kind.Tracker && d.Alert.Event == alerts.AlertCommented && d.Alert.Facts.Actor == nil && !d.Alert.Facts.Test {
		return channel.Receipt{Note: "not sent: feedback of users stays in sett"}, nil
	}
	return kind.Make(c.Tools, kind.Values(i.Options)).Send(ctx, m)
}

// mail sends a message to a user.
func (c *Dispatcher) mail(ctx context.Context, m channel.Message, d deliverydb.ClaimedDelivery) error {
	if c.Tools.Email == nil {
		return &channel.Failure{Problem: "email is off", Permanent: true}
	}
	unsubscribe := unsubscribeAt(c.Composer.BaseURL, d.Unsubscribe)
	if m.Acknowledge != "" {
		m.Acknowledge += "/" + d.Acknowledge
	}
	subject, text, html, err := c.Letters.Personal(m, unsubscribe, sett.TimeZoneOf(d.Zone))
	if err != nil {
		return err
	}
	return c.Tools.Email.Send(ctx, channel.Mail{
		ID: c.Tools.Email.MessageID(m.ID), To: d.User.Email, Date: d.CreatedAt, Subject: subject, Text: text, HTML: html, Unsubscribe: unsubscribe,
	})
}

// failureOf returns why an attempt failed. Failures on our side are retried.
func (c *Dispatcher) failureOf(d deliverydb.ClaimedDelivery, err error) *channel.Failure {
	if f, ok := errors.AsType[*channel.Failure](err); ok {
		return f
	}
	c.Log.Error("a notification could not be written and is retried", append(receiverAttrs(d), "error", err, "hint", hintReport)...)
	return &channel.Failure{Problem: "The server could not compose the message. Its log has the reason."}
}

// ourRetry is the wait after the database has failed. It says nothing about the receiver, so the wait does not grow.
const ourRetry = 5 * time.Second

// isOurs reports whether an attempt has failed because the database did not respond while the message was composed.
func (c *Dispatcher) isOurs(err error) bool {
	_, sent := errors.AsType[*channel.Failure](err)
	return !sent && !errors.Is(err, errPanicked) && sett.CodeOf(c.DB.Explain(err)) == sett.Unavailable
}

// noteFailure decides whether and when a delivery is retried.
func (c *Dispatcher) noteFailure(d deliverydb.ClaimedDelivery, f *channel.Failure, result *deliverydb.DeliveryResult) {
	result.Attempt.Problem, result.Attempt.Status, result.Gone = f.Problem, f.Status, f.Gone
	wait, again := retryAfter(d.Tries, rand.Float64())
	if f.Permanent || !again {
		result.State = alerts.DeliveryFailed
		c.Log.Warn("a notification was not delivered and is not retried", append(receiverAttrs(d), "about", about(d, *result), "attempts", d.Tries,
			"error", f.Problem, "hint", "correct the receiver, then resend it from the log of deliveries")...)
		return
	}
	now := c.Now()
	result.State, result.DueAt = alerts.DeliveryDue, now.Add(max(wait, f.RetryAfter))
	if f.RetryAfter > 0 {
		result.Spare = now.Add(f.RetryAfter)
	}
}

// receiverAttrs name who should have received a delivery, for the log.
func receiverAttrs(d deliverydb.ClaimedDelivery) []any {
	attrs := []any{"notification", string(d.Event), "project_id", d.Alert.ProjectID, "delivery_id", d.ID}
	if d.Integration != nil {
		return append(attrs, "channel", d.Integration.Name(), "channel_id", d.Integration.ID)
	}
	return append(attrs, "user_id", d.UserID)
}

// about is the line that lists show of a delivery's message: "[Shop] New error: RuntimeError: boom"; "" if it was not written.
func about(d deliverydb.ClaimedDelivery, result deliverydb.DeliveryResult) string {
	var m channel.Message
	for _, body := range [][]byte{d.Message, result.Message} {
		if json.Unmarshal(body, &m) == nil {
			return m.Line()
		}
	}
	return ""
}
