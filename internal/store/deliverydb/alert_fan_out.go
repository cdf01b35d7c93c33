package deliverydb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// FanOut is the result of fanning out alerts.
type FanOut struct {
	More       bool // there may be more to do at once
	Deliveries int
	Unsearched []UnsearchedFilter // their integrations got the alerts all the same
}

// FanOutAlerts fans out at most limit alerts, oldest first, to one delivery for each receiver that wants the alert. Without mail, users
// get none. The receivers are determined before the write transaction, so that this blocks no writer. A change to them in the meantime
// counts as a change after the fan-out.
func (s *Store) FanOutAlerts(ctx context.Context, now time.Time, limit int, mail bool) (fanOut FanOut, err error) {
	h := &routings{S: s, Now: now, Mail: mail}
	if err := h.Find(ctx, limit); err != nil || len(h.Alerts) == 0 {
		return FanOut{}, s.db.Explain(db.Wrap("look for alerts", err))
	}
	routes := h.Routes()
	for _, alerts := range parts(h.Alerts, routes) {
		var n, made int
		err := s.inTx(ctx, "spread alerts", func(t Tx) (err error) {
			t.KeepsCaches = true
			n, made, err = t.fanOut(ctx, h, alerts, routes)
			return err
		})
		if err != nil {
			return fanOut, err
		}
		if fanOut.Deliveries += made; n > 0 {
			fanOut.Unsearched = h.Unsearched()
		}
	}
	fanOut.More = len(h.Alerts) == limit
	return fanOut, nil
}

// deliveriesAtOnce is roughly how many deliveries of several alerts one transaction inserts: other writers wait for it.
const deliveriesAtOnce = 1000

// parts splits alerts, in order, into groups that are each fanned out in one transaction.
func parts(alerts []alerts.Alert, routes []route) (all [][]alerts.Alert) {
	began, room := 0, deliveriesAtOnce
	for i := range alerts {
		n := 0
		for n < len(routes) && routes[n].ID == alerts[i].ID {
			n++
		}
		if routes = routes[n:]; n > room && i > began {
			all, began, room = append(all, alerts[began:i]), i, deliveriesAtOnce
		}
		room -= n
	}
	return append(all, alerts[began:])
}

// fanOut inserts the deliveries of those alerts that no other node has fanned out meanwhile, and returns the number of these alerts and
// of their deliveries.
func (t Tx) fanOut(ctx context.Context, h *routings, alerts []alerts.Alert, routes []route) (n, made int, err error) {
	if err := t.fanOutOne(ctx); err != nil {
		return 0, 0, err
	}
	held, err := t.holdAlerts(ctx, alerts)
	if err != nil || len(held) == 0 {
		return 0, 0, err
	}
	audible, err := t.holdForMaintenance(ctx, h, held)
	if err != nil {
		return 0, 0, err
	}
	if made, err = t.deliver(ctx, h.Now, audible, routes); err != nil {
		return 0, 0, err
	}
	if err := t.endEscalations(ctx, h, audible); err != nil {
		return 0, 0, err
	}
	if err := t.planEscalations(ctx, h, routesOf(audible, routes)); err != nil {
		return 0, 0, err
	}
	if err := t.assignOwners(ctx, h, held); err != nil {
		return 0, 0, err
	}
	return len(held), made, t.markUnreadable(ctx, h.Now, h.broken)
}

const lockFanOut = `-- deliverydb.lockFanOut
SELECT pg_advisory_xact_lock($1, -2)`

// fanOutOne waits until no other node fans out. So the ids of the deliveries about one subject grow in the order of its alerts, and
// windows of flood control are counted correctly.
func (t Tx) fanOutOne(ctx context.Context) error {
	if t.s.db.SQLite() {
		return nil
	}
	_, err := t.Exec(ctx, lockFanOut, int64(db.LockClass))
	return err
}

// Lock projects before their alerts.
const holdAlerts = `-- deliverydb.holdAlerts
SELECT a.id FROM {{rows k(id bigint, project_id bigint)}} JOIN projects p ON p.id = k.project_id JOIN alerts a ON a.id = k.id
WHERE NOT a.spread ORDER BY a.id {{for key share}}`

// holdAlerts returns the ids of the alerts that no other node has fanned out meanwhile, and prevents their deletion.
func (t Tx) holdAlerts(ctx context.Context, alerts []alerts.Alert) (held []int64, err error) {
	var ids, projects []int64
	for _, a := range alerts {
		ids, projects = append(ids, a.ID), append(projects, a.ProjectID)
	}
	err = t.EachRow(ctx, holdAlerts, db.ScanID(func(id int64) { held = append(held, id) }), ids, projects)
	return held, err
}

const markFannedOut = `-- deliverydb.markFannedOut
UPDATE alerts SET spread = true WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// deliver inserts the deliveries of locked alerts, and returns their number. It ignores entries of routes about other alerts.
func (t Tx) deliver(ctx context.Context, now time.Time, alerts []int64, routes []route) (int, error) {
	routes, err := t.holdReceivers(ctx, routesOf(alerts, routes))
	if err != nil {
		return 0, err
	}
	var made newDeliveries
	if err := t.controlFlood(ctx, now, routes, &made); err != nil {
		return 0, err
	}
	if err := made.write(ctx, t, now); err != nil {
		return 0, err
	}
	return len(made.alerts), t.Each(ctx, markFannedOut, alerts)
}

// routesOf returns the entries of routes about some alerts.
func routesOf(alerts []int64, routes []route) (left []route) {
	held := map[int64]bool{}
	for _, id := range alerts {
		held[id] = true
	}
	for _, to := range routes {
		if held[to.ID] {
			left = append(left, to)
		}
	}
	return left
}

// receiver is a possible receiver of an alert.
type receiver struct {
	alerts.Receiver
	UserID int64              // 0: an integration is the receiver
	limit  int64              // of flood control
	quiet  *alerts.QuietHours // nil: none
}

// route pairs an alert with one of its receivers.
type route struct {
	*alerts.Alert
	receiver
	note string // of the delivery
}

// waitsUntil returns the end of the receiver's quiet hours if they delay the alert, and zero if not.
func (to route) waitsUntil(now time.Time) time.Time {
	return to.quiet.Keep(to.Event, to.Facts.Test, now)
}

func integrationReceiver(i alerts.Integration) receiver {
	return receiver{Receiver: alerts.IntegrationReceiver(i.ID), limit: i.FloodLimit(), quiet: i.QuietHours}
}

func userReceiver(id int64) receiver {
	return receiver{Receiver: alerts.UserReceiver(id), UserID: id, limit: alerts.DefaultNotificationLimit}
}

const holdIntegrations = `-- deliverydb.holdIntegrations
SELECT i.id, i.active, i.quiet_hours FROM {{rows k(id bigint)}} JOIN integrations i ON i.id = k.id ORDER BY i.id {{for key share}}`

const holdUsers = `-- deliverydb.holdUsers
SELECT u.id FROM {{rows k(id bigint)}} JOIN users u ON u.id = k.id ORDER BY u.id {{for key share}}`

// holdReceivers drops the entries whose receivers were deleted or turned off since the routing. It prevents the deletion of the others,
// and changes to their quiet hours.
func (t Tx) holdReceivers(ctx context.Context, routes []route) (left []route, err error) {
	integrations, users := receiverIDs(routes)
	active := map[alerts.Receiver]bool{} // of those that exist
	quiet := map[alerts.Receiver]*alerts.QuietHours{}
	err = t.EachRow(ctx, holdIntegrations, func(rows *sql.Rows) error {
		var id int64
		var on bool
		var hours string
		err := rows.Scan(&id, &on, &hours)
		active[alerts.IntegrationReceiver(id)], quiet[alerts.IntegrationReceiver(id)] = on, readQuiet(hours)
		return err
	}, integrations)
	if err == nil {
		err = t.EachRow(ctx, holdUsers, db.ScanID(func(id int64) { active[alerts.UserReceiver(id)] = true }), users)
	}
	for _, to := range routes {
		if on, there := active[to.Receiver]; on || there && to.Direct() {
			to.quiet = quiet[to.Receiver]
			left = append(left, to)
		}
	}
	return left, err
}

// receiverIDs returns the distinct receivers.
func receiverIDs(routes []route) (integrations, users []int64) {
	known := map[alerts.Receiver]bool{}
	for _, to := range routes {
		switch {
		case known[to.Receiver]:
		case to.UserID > 0:
			users = append(users, to.UserID)
		default:
			integrations = append(integrations, to.Receiver.IntegrationID())
		}
		known[to.Receiver] = true
	}
	return integrations, users
}
