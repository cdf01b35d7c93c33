package notify

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"sett/internal/base/loop"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/outbox"
)

const (
	alertPoll      = time.Second     // for alerts of other nodes, and retries
	floodPoll      = 5 * time.Second // for flood control windows that have ended, and lists of what they held
	fanOutBatch    = 200
	tryTimeout     = time.Minute         // of an attempt, including composing the message
	sendLease      = 90 * time.Second    // more than the longest attempt and recording it
	renewEvery     = time.Second         // renewing the lease of this process
	renewTimeout   = 2 * time.Second     // of a renewal
	leaseFor       = 5 * time.Second     // after a renewal; then sending is canceled
	freeAfter      = 10 * time.Second    // claims of a dead process: more than leaseFor and the delays before it
	keepFailing    = 48 * time.Hour      // receivers that fail, without another attempt: more than the longest backoff
	keepAlerts     = 30 * 24 * time.Hour // alerts and their delivery logs
	pruneEvery     = 10 * time.Minute
	pruneAtOnce    = 500
	maxInFlight    = 512             // deliveries in flight
	maxPerReceiver = 8               // per receiver, and one while it fails: a receiver that hangs must not delay the others
	stopGrace      = 5 * time.Second // for deliveries in flight when the dispatcher stops; then they are canceled
)

// DispatcherOptions are the dependencies of a Dispatcher.
type DispatcherOptions struct {
	DB         *db.DB
	Deliveries *deliverydb.Store
	Lease      *Lease
	Composer   *Composer
	Letters    *AlertLetters
	Tools      channel.Tools // without email, users receive nothing
	Now        func() time.Time
	Log        *slog.Logger
}

// Dispatcher sends alerts to the receivers that selected them.
type Dispatcher struct {
	DispatcherOptions
	*sender[alerts.Receiver, deliverydb.ClaimedDelivery, deliverydb.DeliveryResult]
	receivers *deliveriesInFlight
	recent    recent[channel.Message]
	recentV3  recent[json.RawMessage]
	floods    throttle
	began     time.Time // another process may have attempted earlier deliveries
}

// NewDispatcher returns a Dispatcher. It does nothing before its Loops run.
func NewDispatcher(o DispatcherOptions) *Dispatcher {
	d := &Dispatcher{DispatcherOptions: o, receivers: newDeliveriesInFlight(o.Lease), began: o.Now()}
	d.sender = &sender[alerts.Receiver, deliverydb.ClaimedDelivery, deliverydb.DeliveryResult]{
		inFlight: d.receivers.inFlight, now: o.Now, most: maxInFlight, attempt: d.try, settle: d.settle,
		free: func(ctx context.Context, now time.Time, wait time.Duration) error {
			return o.Deliveries.Queue.Free(ctx, now, wait)
		},
		lane: func(c deliverydb.ClaimedDelivery) alerts.Receiver { return c.Receiver },
		claimDue: func(ctx context.Context, now time.Time, limit int) ([]deliverydb.ClaimedDelivery, error) {
			return o.Deliveries.ClaimDeliveries(ctx, now, sendLease, limit, d.receivers.roomFor)
		},
	}
	return d
}

// Loops returns the loops that fan out alerts, send deliveries, record results, and delete old alerts. Each may run once at a time.
func (c *Dispatcher) Loops() []*loop.Loop {
	raised, _ := c.DB.Sleep(outbox.AlertRaised) // until the store is closed
	due, _ := c.DB.Sleep(deliverydb.DeliveryDue)
	return []*loop.Loop{
		{Name: "alerts", Does: "Determines which channels and users receive each alert.", Every: alertPoll, Jitter: 0.2, Wake: raised, Work: c.fanOut, Log: c.Log},
		{Name: "deliveries", Does: "Sends alerts to channels and users.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: c.claim, Log: c.Log},
		{Name: "attempts", Does: "Records the results of deliveries and schedules retries.", Wake: c.inFlight.ended, Work: c.record, Log: c.Log},
		{Name: "old alerts", Does: "Deletes old alerts and their delivery logs.", Every: pruneEvery, Jitter: 0.2, Work: c.prune, Log: c.Log},
	}
}

// Tally returns the outcomes of attempts since the process started.
func (c *Dispatcher) Tally() Tally { return c.receivers.tallied() }

// fanOut creates deliveries for new alerts.
func (c *Dispatcher) fanOut(ctx context.Context) (more bool, err error) {
	now := c.Now()
	spread, err := c.Deliveries.FanOutAlerts(ctx, now, fanOutBatch, c.Tools.Email != nil)
	c.logUnsearched(spread.Unsearched)
	if spread.More || err != nil {
		return spread.More, err
	}
	if !c.floods.isDue(now, floodPoll) {
		return false, nil
	}
	if _, err = c.Deliveries.CloseFloods(ctx, now); err != nil {
		return false, err
	}
	sent, err := c.Deliveries.Escalate(ctx, now)
	return sent > 0, err
}

// logUnsearched logs filters that could not be evaluated. Their integrations are notified anyway, with a note in the
// delivery.
func (c *Dispatcher) logUnsearched(filters []deliverydb.UnsearchedFilter) {
	if len(filters) == 0 {
		return
	}
	var projects []int64
	for _, f := range filters {
		projects = append(projects, f.ProjectID)
	}
	c.Log.Warn("channels were notified without their filters, because the filters could not be searched", "filters", len(filters),
		"project_ids", slices.Compact(projects), "error", filters[0].Err, "hint", "if it repeats, run: sett doctor")
}

// settle records results and counts them.
func (c *Dispatcher) settle(ctx context.Context, ended []deliverydb.DeliveryResult) error {
	if err := c.Deliveries.RecordDeliveries(ctx, c.Now(), ended); err != nil {
		return err
	}
	c.receivers.countOutcomes(ended)
	return nil
}

// prune deletes old alerts in batches.
func (c *Dispatcher) prune(ctx context.Context) (more bool, err error) {
	c.receivers.forget(c.Now().Add(-keepFailing))
	if more, err := c.Deliveries.PruneAcknowledgements(ctx, c.Now().Add(-accounts.KeepHistory), pruneAtOnce); more || err != nil {
		return more, err
	}
	return c.Deliveries.PruneAlerts(ctx, c.Now().Add(-keepAlerts), pruneAtOnce)
}
