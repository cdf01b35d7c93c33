package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"sett/internal/channel"
	"sett/internal/sett"
	"sett/internal/store"
)

// try sends a delivery once and says what came of it.
func (c *Courier) try(ctx context.Context, d store.ClaimedDelivery) store.DeliveryResult {
	began := c.Now()
	result := store.DeliveryResult{ID: d.ID, Claim: d.Claim, State: sett.DeliverySent, Attempt: sett.Attempt{Number: int64(d.Tries), At: began}}
	var receipt channel.Receipt
	err := safely(func() (err error) {
		receipt, err = c.handOver(ctx, d, &result)
		return err
	})
	result.Attempt.Duration = c.Now().Sub(began)
	result.Attempt.Status, result.Attempt.Problem, result.Link = receipt.Status, receipt.Note, receipt.Link
	switch {
	case err != nil && ctx.Err() != nil: // it was cut off
		result.State, result.DueAt, result.Attempt.Problem = sett.DeliveryDue, c.Now(), context.Cause(ctx).Error()
	case err != nil:
		c.noteFailure(d, c.failureOf(d, err), &result)
	}
	return result
}

// safely returns a panic of f as its error: one message that nobody can make must not end the server, which would meet it
// again as soon as it has begun.
func safely(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return f()
}

// handOver sends the message of a delivery, which it puts into words unless that was done before.
func (c *Courier) handOver(ctx context.Context, d store.ClaimedDelivery, result *store.DeliveryResult) (channel.Receipt, error) {
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
	}
	m.ID, m.Try, m.Again, m.Since = deliveryID(d.Delivery), d.Tries, c.again(d.Delivery), d.CreatedAt
	if d.Link != nil {
		m.Issue = &channel.Issue{Link: d.Link}
	}
	if d.User != nil {
		return channel.Receipt{}, c.mail(ctx, m, d)
	}
	return c.tell(ctx, m, *d.Integration)
}

// soonTried is how soon a delivery is tried for the first time, as long as nothing is in its way.
const soonTried = time.Minute

// again reports whether an earlier try of a delivery may have arrived: what a process had in hand that died is not counted,
// nor what was tried before somebody sent it again.
func (c *Courier) again(d sett.Delivery) bool {
	return d.Tries > 1 || d.CreatedAt.Before(c.began) || c.Now().Sub(d.CreatedAt) > soonTried
}

// deliveryID is by what receivers know a delivery again; it is the same for every try.
func deliveryID(d sett.Delivery) string {
	return fmt.Sprintf("msg_%d_%d", d.ID, d.CreatedAt.UnixMicro())
}

// message returns what was said to another receiver or at an earlier try, or puts the alert into words.
func (c *Courier) message(ctx context.Context, d store.ClaimedDelivery) (m channel.Message, err error) {
	if d.Message == nil {
		return c.recent.of(d.AlertID, func() (channel.Message, error) { return c.Composer.Compose(ctx, d.Alert, nil) })
	}
	if err := json.Unmarshal(d.Message, &m); err != nil {
		return m, fmt.Errorf("read message: %w", err)
	}
	return m, nil
}

// tell sends a message to an integration.
func (c *Courier) tell(ctx context.Context, m channel.Message, i sett.Integration) (channel.Receipt, error) {
	kind, ok := channel.Find(i.Type)
	if !ok {
		return channel.Receipt{}, &channel.Failure{Problem: fmt.Sprintf("this version of sett does not support channels of the type %q", i.Type), Permanent: true}
	}
	return kind.Make(c.Tools, kind.Values(i.Options)).Send(ctx, m)
}

// mail sends a message to a user.
func (c *Courier) mail(ctx context.Context, m channel.Message, d store.ClaimedDelivery) error {
	if c.Tools.Email == nil {
		return &channel.Failure{Problem: "email is off", Permanent: true}
	}
	token, err := c.Store.UnsubscribeToken(ctx, d.UserID, d.Alert.ProjectID)
	if err != nil {
		return err
	}
	unsubscribe := unsubscribeAt(c.Composer.BaseURL, token)
	subject, text, html, err := c.Letters.Personal(m, unsubscribe)
	if err != nil {
		return err
	}
	return c.Tools.Email.Send(ctx, channel.Mail{
		ID: c.Tools.Email.MessageID(m.ID), To: d.User.Email, Date: d.CreatedAt, Subject: subject, Text: text, HTML: html, Unsubscribe: unsubscribe,
	})
}

// failureOf returns why a try failed. What was not the other side's doing is tried again.
func (c *Courier) failureOf(d store.ClaimedDelivery, err error) *channel.Failure {
	if f, ok := errors.AsType[*channel.Failure](err); ok {
		return f
	}
	c.Log.Error("failed to compose message", "delivery_id", d.ID, "alert_id", d.AlertID, "event", string(d.Event), "error", err)
	return &channel.Failure{Problem: "The server could not compose the message. Its log has the reason."}
}

// noteFailure decides whether a delivery is tried again, and when.
func (c *Courier) noteFailure(d store.ClaimedDelivery, f *channel.Failure, result *store.DeliveryResult) {
	result.Attempt.Problem, result.Attempt.Status, result.Gone = f.Problem, f.Status, f.Gone
	wait, again := retryAfter(d.Tries, rand.Float64())
	if f.Permanent || !again {
		result.State = sett.DeliveryFailed
		c.Log.Warn("delivery failed", "delivery_id", d.ID, "receiver", string(d.Receiver), "event", string(d.Event), "tries", d.Tries, "problem", f.Problem)
		return
	}
	now := c.Now()
	result.State, result.DueAt = sett.DeliveryDue, now.Add(max(wait, f.RetryAfter))
	if f.RetryAfter > 0 {
		result.Spare = now.Add(f.RetryAfter)
	}
}
