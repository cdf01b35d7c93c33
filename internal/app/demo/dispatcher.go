package demo

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
)

// dispatcher records alerts as sent. It sends nothing.
type dispatcher struct {
	*world
	plans   map[int64]integrationPlan
	tracker int64 // the integration with which faults are linked
	message func(ctx context.Context, a alerts.Alert) (message []byte, title string, err error)
	sent    int
	owed    bool              // something was raised
	sentAt  time.Time         // when it last went out
	waiting bool              // something is to be tried again
	tokens  map[string]string // address → what confirms its subscription
	raised  <-chan struct{}
	queued  <-chan struct{}
	changed <-chan struct{}
	stop    []func()
}

func newDispatcher(w *world, o Options) *dispatcher {
	c := &dispatcher{world: w, message: o.Write, plans: map[int64]integrationPlan{}, tokens: map[string]string{}}
	for topic, woken := range map[db.Topic]*<-chan struct{}{outbox.AlertRaised: &c.raised, outbox.MailQueued: &c.queued, statusdb.StatusChanged: &c.changed} {
		ch, stop := w.store.Sleep(topic)
		*woken, c.stop = ch, append(c.stop, stop)
	}
	return c
}

// In the last days alerts are sent at once. Before, several are sent together, because each run takes long.
const (
	promptDays = 3
	laxity     = 30 * time.Minute
)

// dispatch sends the newest alerts.
func (c *dispatcher) dispatch(ctx context.Context, now time.Time) error {
	c.owed = isWoken(c.raised) || c.owed
	if c.owed && (now.After(c.ago(promptDays*24*time.Hour)) || now.Sub(c.sentAt) >= laxity) {
		c.owed, c.sentAt = false, now
		if err := c.deliverAlerts(ctx, now.Add(time.Second)); err != nil {
			return err
		}
	}
	if isWoken(c.queued) {
		if err := c.mail(ctx, now); err != nil {
			return err
		}
	}
	if isWoken(c.changed) {
		return c.notifySubscribers(ctx, now)
	}
	return nil
}

func isWoken(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// deliverAlerts creates the deliveries of alerts and completes them, with retries for some.
func (c *dispatcher) deliverAlerts(ctx context.Context, now time.Time) error {
	made := 0
	for more := true; more; {
		fanned, err := c.store.Deliveries.FanOutAlerts(ctx, now, 500, false)
		if err != nil {
			return err
		}
		more = fanned.More
		made += fanned.Deliveries
	}
	if made == 0 && !c.waiting {
		return nil
	}
	return c.sendAll(ctx, now)
}

// closeFloods sends receivers the summaries of held deliveries.
func (c *dispatcher) closeFloods(ctx context.Context, now time.Time) error {
	if closed, err := c.store.Deliveries.CloseFloods(ctx, now); err != nil || closed == 0 {
		return err
	}
	return c.sendAll(ctx, now)
}

// sendAll sends what is due; what fails is retried a little later.
func (c *dispatcher) sendAll(ctx context.Context, now time.Time) error {
	for range 4 {
		c.waiting = false
		if err := c.sendDue(ctx, now); err != nil || !c.waiting {
			return err
		}
		if now = now.Add(time.Minute); now.After(c.history.ended) {
			return nil
		}
	}
	return nil
}

func (c *dispatcher) sendDue(ctx context.Context, now time.Time) error {
	all := func(alerts.Receiver) int { return 100 }
	for {
		claimed, err := c.store.Deliveries.ClaimDeliveries(ctx, now, time.Minute, 500, all)
		if err != nil || len(claimed) == 0 {
			return err
		}
		var results []deliverydb.DeliveryResult
		for _, d := range claimed {
			r := c.result(d, now)
			if err := c.write(ctx, d, &r); err != nil {
				return err
			}
			results = append(results, r)
		}
		if err := c.store.Deliveries.RecordDeliveries(ctx, now, results); err != nil {
			return err
		}
	}
}

// write keeps the message of a delivery with its result, as if it had been sent.
func (c *dispatcher) write(ctx context.Context, d deliverydb.ClaimedDelivery, r *deliverydb.DeliveryResult) (err error) {
	if d.Message == nil && c.message != nil {
		r.Message, r.Title, err = c.message(ctx, d.Alert)
	}
	return err
}

// result generates the result of a delivery.
func (c *dispatcher) result(d deliverydb.ClaimedDelivery, now time.Time) deliverydb.DeliveryResult {
	c.sent++
	r := deliverydb.DeliveryResult{ID: d.ID, Claim: d.Claim, State: alerts.DeliverySent, DueAt: now}
	r.Attempt = alerts.Attempt{Number: int64(d.Tries), At: now, Duration: time.Duration(80+c.sent*37%240) * time.Millisecond, Status: 200}
	plan := c.plans[d.IntegrationID]
	if plan.every == 0 || (d.ID+1)%int64(plan.every) != 0 {
		return r
	}
	switch {
	case plan.forever:
		r.State, r.Attempt.Status, r.Attempt.Problem = alerts.DeliveryFailed, 410, "The server returned 410 Gone."
	case d.Tries < 3:
		c.waiting = true
		r.State, r.DueAt = alerts.DeliveryDue, now.Add(time.Duration(d.Tries)*20*time.Second)
		r.Attempt.Status, r.Attempt.Problem = 503, "The server returned 503 Service Unavailable."
	}
	return r
}

// mail drops the mails that were queued, and keeps what those of subscribers say.
func (c *dispatcher) mail(ctx context.Context, now time.Time) error {
	for {
		const room = 100
		claimed, err := c.store.Outbox.ClaimMails(ctx, now, time.Minute, room, func(alerts.MailKind) int { return room })
		if err != nil || len(claimed) == 0 {
			return err
		}
		var results []outbox.MailResult
		for _, m := range claimed {
			if m.Kind == alerts.SubscriptionMail {
				c.tokens[m.To] = m.Fields["token"]
			}
			results = append(results, outbox.MailResult{Mail: m})
		}
		if err := c.store.Outbox.RecordMails(ctx, results); err != nil {
			return err
		}
	}
}

// notifySubscribers records updates of status pages as sent to their subscribers.
func (c *dispatcher) notifySubscribers(ctx context.Context, now time.Time) error {
	for more := true; more; {
		var err error
		if more, err = c.store.Status.FanOutStatusUpdates(ctx, now, 500); err != nil {
			return err
		}
	}
	for {
		const room = 100
		claimed, err := c.store.Status.ClaimStatusNotices(ctx, now, time.Minute, room, func(string) int { return room })
		if err != nil || len(claimed) == 0 {
			return err
		}
		var results []statusdb.StatusNoticeResult
		for _, n := range claimed {
			results = append(results, statusdb.StatusNoticeResult{Notice: n, After: n.Subscriber})
		}
		if err := c.store.Status.RecordStatusNotices(ctx, now, results); err != nil {
			return err
		}
	}
}
