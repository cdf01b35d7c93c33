package notify

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
	"sett/internal/store/outbox"
)

const (
	alertPoll      = time.Second     // for alerts of other nodes, and retries
	floodPoll      = 5 * time.Second // for flood control windows that have ended
	fanOutBatch    = 200
	tryTimeout     = time.Minute         // of an attempt, including composing the message
	deliveryLease  = 90 * time.Second    // more than the longest attempt and recording it
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
	Deliveries *delivery.Store
	Composer   *Composer
	Letters    *AlertLetters
	Tools      channel.Tools // without email, users receive nothing
	Now        func() time.Time
	Log        *slog.Logger
}

// Dispatcher sends alerts to the receivers that selected them. If its process dies, another process sends its deliveries in
// flight again, with the same ids.
type Dispatcher struct {
	DispatcherOptions
	inFlight *deliveriesInFlight
	recent   recent
	floods   throttle
	freed    throttle
	began    time.Time // another process may have attempted earlier deliveries
}

// NewDispatcher returns a Dispatcher. It does nothing before its Loops run.
func NewDispatcher(o DispatcherOptions) *Dispatcher {
	return &Dispatcher{DispatcherOptions: o, inFlight: newDeliveriesInFlight(), began: o.Now()}
}

// Loops returns the loops that fan out alerts, send deliveries, renew the lease, record results, and delete old alerts. Each
// may run once at a time.
func (c *Dispatcher) Loops() []*loop.Loop {
	raised, _ := c.DB.Sleep(outbox.AlertRaised) // until the store is closed
	due, _ := c.DB.Sleep(delivery.DeliveryDue)
	return []*loop.Loop{
		{Name: "alerts", Does: "Determines which channels and users receive each alert.", Every: alertPoll, Jitter: 0.2, Wake: raised, Work: c.fanOut, Log: c.Log},
		{Name: "deliveries", Does: "Sends alerts to channels and users.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: c.claim, Log: c.Log},
		{Name: "claims", Does: "Prevents other servers from sending the alerts that this server is sending.", Every: renewEvery, Work: c.renew, Log: c.Log},
		{Name: "attempts", Does: "Records the results of deliveries and schedules retries.", Wake: c.inFlight.ended, Work: c.record, Log: c.Log},
		{Name: "old alerts", Does: "Deletes old alerts and their delivery logs.", Every: pruneEvery, Jitter: 0.2, Work: c.prune, Log: c.Log},
	}
}

// Stop waits for deliveries in flight, within ctx, and records their results. Call it after the Loops have ended. Deliveries
// that could not be recorded are sent again after their lease expires.
func (c *Dispatcher) Stop(ctx context.Context) error {
	if !c.inFlight.wait(ctx, stopGrace) {
		return context.Cause(ctx)
	}
	_, err := c.record(ctx)
	return err
}

// Tally returns the outcomes of attempts since the process started.
func (c *Dispatcher) Tally() Tally { return c.inFlight.tallied() }

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
	_, err = c.Deliveries.CloseFloods(ctx, now)
	return false, err
}

// logUnsearched logs filters that could not be evaluated. Their integrations are notified anyway, with a note in the
// delivery.
func (c *Dispatcher) logUnsearched(filters []delivery.UnsearchedFilter) {
	if len(filters) == 0 {
		return
	}
	var projects []int64
	for _, f := range filters {
		projects = append(projects, f.ProjectID)
	}
	c.Log.Warn("filters could not be evaluated", "filters", len(filters), "project_ids", slices.Compact(projects), "error", filters[0].Err)
}

// renew renews the lease of this process.
func (c *Dispatcher) renew(ctx context.Context) (more bool, err error) {
	return false, c.inFlight.lease.renew(ctx, c.Deliveries)
}

// free makes the deliveries of dead processes due again.
func (c *Dispatcher) free(ctx context.Context) error {
	now := c.Now()
	if !c.freed.isDue(now, renewEvery) {
		return nil
	}
	return c.Deliveries.FreeClaims(ctx, now, freeAfter)
}

// claim claims as many deliveries as fit and sends them in the background.
func (c *Dispatcher) claim(ctx context.Context) (more bool, err error) {
	if err := c.inFlight.lease.acquire(ctx, c.Deliveries); err != nil {
		return false, err
	}
	if err := c.free(ctx); err != nil {
		return false, err
	}
	room, busy := c.inFlight.room()
	if room == 0 {
		return false, nil // an attempt that ends wakes this loop
	}
	claimed, err := c.Deliveries.ClaimDeliveries(ctx, c.Now(), deliveryLease, room, busy, c.inFlight.roomFor)
	if err != nil {
		return false, err
	}
	for _, d := range claimed {
		c.inFlight.send(d.Receiver, func(ctx context.Context) delivery.DeliveryResult { return c.try(ctx, d) })
	}
	return len(claimed) > 0, nil
}

// record stores the results of all deliveries that have ended.
func (c *Dispatcher) record(ctx context.Context) (more bool, err error) {
	recorded, err := c.inFlight.record(func(ended []delivery.DeliveryResult) error {
		return c.Deliveries.RecordDeliveries(context.WithoutCancel(ctx), c.Now(), ended)
	})
	c.inFlight.countOutcomes(recorded)
	return false, err
}

// prune deletes old alerts in batches.
func (c *Dispatcher) prune(ctx context.Context) (more bool, err error) {
	c.inFlight.forget(c.Now().Add(-keepFailing))
	return c.Deliveries.PruneAlerts(ctx, c.Now().Add(-keepAlerts), pruneAtOnce)
}
