package notify

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/store"
)

const (
	alertPoll     = time.Second     // for alerts that other nodes have raised, and deliveries that are tried again
	floodPoll     = 5 * time.Second // for windows of flood control that have ended
	spreadAtOnce  = 200
	tryTimeout    = time.Minute         // of a message, its words included
	deliveryLease = 90 * time.Second    // more than a try takes at worst, and the record of it
	holdPoll      = time.Second         // to say that this process lives
	holdTimeout   = 2 * time.Second     // for the database to hear it
	holdFor       = 5 * time.Second     // after it did; then what is being sent is cut off
	freeAfter     = 10 * time.Second    // what a dead process had in hand: more than holdFor and all that comes before it
	keepFailing   = 48 * time.Hour      // that a receiver fails, without another try: more than the longest wait between two
	keepAlerts    = 30 * 24 * time.Hour // in the log of what was told
	pruneEvery    = 10 * time.Minute
	pruneAtOnce   = 500
	mostInHand    = 512             // deliveries at once
	mostToOne     = 8               // of them, to one receiver, and one while it fails: who hangs must not hold up the rest
	stopGrace     = 5 * time.Second // for what is being sent when the courier is to stop; then it is cut off
)

// CourierOptions are what a Courier works with.
type CourierOptions struct {
	Store    *store.Store
	Composer *Composer
	Letters  *AlertLetters
	Tools    channel.Tools // without mail, no user is told
	Now      func() time.Time
	Log      *slog.Logger
}

// Courier takes alerts to those who want them. What its process has in hand when it dies, the next one sends again, or
// another, with the same id.
type Courier struct {
	CourierOptions
	hand   *deliveryHand
	recent recent
	floods seldom
	freed  seldom
	began  time.Time // what was raised before may have been tried by another process
}

// NewCourier returns a Courier. It does nothing before its Loops run.
func NewCourier(o CourierOptions) *Courier {
	return &Courier{CourierOptions: o, hand: newDeliveryHand(), began: o.Now()}
}

// Loops returns the loops that spread alerts, send deliveries, keep them from others, record what came of them, and forget
// what is long told. Each may run once at a time.
func (c *Courier) Loops() []*loop.Loop {
	raised, _ := c.Store.Sleep(store.AlertRaised) // for as long as the store is open
	due, _ := c.Store.Sleep(store.DeliveryDue)
	return []*loop.Loop{
		{Name: "alerts", Does: "Determines which channels and users receive each alert.", Every: alertPoll, Jitter: 0.2, Wake: raised, Work: c.spread, Log: c.Log},
		{Name: "deliveries", Does: "Sends alerts to channels and users.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: c.takeOut, Log: c.Log},
		{Name: "claims", Does: "Prevents other servers from sending the alerts that this server is sending.", Every: holdPoll, Work: c.hold, Log: c.Log},
		{Name: "attempts", Does: "Records the results of deliveries and schedules retries.", Wake: c.hand.ended, Work: c.record, Log: c.Log},
		{Name: "old alerts", Does: "Deletes old alerts and their delivery logs.", Every: pruneEvery, Jitter: 0.2, Work: c.prune, Log: c.Log},
	}
}

// Stop ends what is being sent, within ctx, and records what came of it. It is to be called once the Loops have ended.
// What could not be recorded is sent again once its lease is over.
func (c *Courier) Stop(ctx context.Context) error {
	if !c.hand.wait(ctx, stopGrace) {
		return context.Cause(ctx)
	}
	_, err := c.record(ctx)
	return err
}

// Tally returns how tries ended since the process began.
func (c *Courier) Tally() Tally { return c.hand.tallied() }

// spread makes deliveries of the alerts that were raised.
func (c *Courier) spread(ctx context.Context) (more bool, err error) {
	now := c.Now()
	spread, err := c.Store.SpreadAlerts(ctx, now, spreadAtOnce, c.Tools.Email != nil)
	c.logUnsearched(spread.Unsearched)
	if spread.More || err != nil {
		return spread.More, err
	}
	if !c.floods.isDue(now, floodPoll) {
		return false, nil
	}
	_, err = c.Store.CloseFloods(ctx, now)
	return false, err
}

// logUnsearched tells of filters that could not be searched. Their integrations were told all the same, and the deliveries
// say so.
func (c *Courier) logUnsearched(filters []store.UnsearchedFilter) {
	if len(filters) == 0 {
		return
	}
	var projects []int64
	for _, f := range filters {
		projects = append(projects, f.ProjectID)
	}
	c.Log.Warn("filters could not be evaluated", "filters", len(filters), "project_ids", slices.Compact(projects), "error", filters[0].Err)
}

// hold says that this process lives.
func (c *Courier) hold(ctx context.Context) (more bool, err error) {
	return false, c.hand.grip.hold(ctx, c.Store)
}

// free makes due what others had in hand when they died.
func (c *Courier) free(ctx context.Context) error {
	now := c.Now()
	if !c.freed.isDue(now, holdPoll) {
		return nil
	}
	return c.Store.FreeClaims(ctx, now, freeAfter)
}

// takeOut claims as many deliveries as can be carried and sends them in the background.
func (c *Courier) takeOut(ctx context.Context) (more bool, err error) {
	if err := c.hand.grip.take(ctx, c.Store); err != nil {
		return false, err
	}
	if err := c.free(ctx); err != nil {
		return false, err
	}
	room, busy := c.hand.room()
	if room == 0 {
		return false, nil // whoever ends wakes this loop
	}
	claimed, err := c.Store.ClaimDeliveries(ctx, c.Now(), deliveryLease, room, busy, c.hand.roomFor)
	if err != nil {
		return false, err
	}
	for _, d := range claimed {
		c.hand.carry(d.Receiver, func(ctx context.Context) store.DeliveryResult { return c.try(ctx, d) })
	}
	return len(claimed) > 0, nil
}

// record stores what came of deliveries, all that have ended at once.
func (c *Courier) record(ctx context.Context) (more bool, err error) {
	recorded, err := c.hand.record(func(ended []store.DeliveryResult) error {
		return c.Store.RecordDeliveries(context.WithoutCancel(ctx), c.Now(), ended)
	})
	c.hand.tallyUp(recorded)
	return false, err
}

// prune drops what was told long ago, a part at a time.
func (c *Courier) prune(ctx context.Context) (more bool, err error) {
	c.hand.forget(c.Now().Add(-keepFailing))
	return c.Store.PruneAlerts(ctx, c.Now().Add(-keepAlerts), pruneAtOnce)
}
