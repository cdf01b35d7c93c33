package delivery

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Spread is what came of spreading alerts.
type Spread struct {
	More       bool // there may be more to do at once
	Deliveries int
	Unsearched []UnsearchedFilter // whose integrations were told all the same
}

// SpreadAlerts makes deliveries of at most limit alerts, the oldest first: one for each receiver that wants it. Without
// mail, users are not told. Who wants what is found out first, which keeps nobody from writing; what changes meanwhile
// changed after the alerts were spread.
func (s *Store) SpreadAlerts(ctx context.Context, now time.Time, limit int, mail bool) (spread Spread, err error) {
	h := &hearings{S: s, Now: now, Mail: mail}
	if err := h.Find(ctx, limit); err != nil || len(h.Alerts) == 0 {
		return Spread{}, s.db.Explain(db.Wrap("look for alerts", err))
	}
	told := h.Told()
	for _, alerts := range parts(h.Alerts, told) {
		var n, made int
		err := s.inTx(ctx, "spread alerts", func(t Tx) (err error) {
			t.KeepsCaches = true
			n, made, err = t.spread(ctx, h, alerts, told)
			return err
		})
		if err != nil {
			return spread, err
		}
		if spread.Deliveries += made; n > 0 {
			spread.Unsearched = h.Unsearched()
		}
	}
	spread.More = len(h.Alerts) == limit
	return spread, nil
}

// deliveriesAtOnce is about how many deliveries of several alerts one transaction makes: others wait for it.
const deliveriesAtOnce = 1000

// parts cuts alerts, in their order, into what is spread in one transaction each.
func parts(alerts []sett.Alert, told []telling) (all [][]sett.Alert) {
	began, room := 0, deliveriesAtOnce
	for i := range alerts {
		n := 0
		for n < len(told) && told[n].ID == alerts[i].ID {
			n++
		}
		if told = told[n:]; n > room && i > began {
			all, began, room = append(all, alerts[began:i]), i, deliveriesAtOnce
		}
		room -= n
	}
	return append(all, alerts[began:])
}

// spread makes the deliveries of those of some alerts that no other node has spread meanwhile, and returns how many alerts
// and deliveries that are.
func (t Tx) spread(ctx context.Context, h *hearings, alerts []sett.Alert, told []telling) (n, made int, err error) {
	if err := t.spreadAlone(ctx); err != nil {
		return 0, 0, err
	}
	held, err := t.holdAlerts(ctx, alerts)
	if err != nil || len(held) == 0 {
		return 0, 0, err
	}
	if made, err = t.deliver(ctx, h.Now, held, told); err != nil {
		return 0, 0, err
	}
	return len(held), made, t.markUnreadable(ctx, h.Now, h.broken)
}

const lockSpread = `-- store.lockSpread
SELECT pg_advisory_xact_lock($1, -2)`

// spreadAlone waits until no other node spreads, so that the deliveries about one subject have growing ids in the order
// of its alerts, and windows of flood control are counted right.
func (t Tx) spreadAlone(ctx context.Context) error {
	if t.s.db.SQLite() {
		return nil
	}
	_, err := t.Exec(ctx, lockSpread, int64(db.LockClass))
	return err
}

// Projects are locked before what goes with them.
const holdAlerts = `-- store.holdAlerts
SELECT a.id FROM {{rows k(id bigint, project_id bigint)}} JOIN projects p ON p.id = k.project_id JOIN alerts a ON a.id = k.id
WHERE NOT a.spread ORDER BY a.id {{for key share}}`

// holdAlerts returns the ids of those of the alerts that no other node has spread meanwhile, and keeps others from
// deleting them.
func (t Tx) holdAlerts(ctx context.Context, alerts []sett.Alert) (held []int64, err error) {
	var ids, projects []int64
	for _, a := range alerts {
		ids, projects = append(ids, a.ID), append(projects, a.ProjectID)
	}
	err = t.EachRow(ctx, holdAlerts, db.ScanID(func(id int64) { held = append(held, id) }), ids, projects)
	return held, err
}

const markSpread = `-- store.markSpread
UPDATE alerts SET spread = true WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// deliver makes the deliveries of alerts, which are held, and returns how many there are. What is told of others is left
// out.
func (t Tx) deliver(ctx context.Context, now time.Time, alerts []int64, told []telling) (int, error) {
	told, err := t.holdReceivers(ctx, tellingsOf(alerts, told))
	if err != nil {
		return 0, err
	}
	var made newDeliveries
	if err := t.controlFlood(ctx, now, told, &made); err != nil {
		return 0, err
	}
	if err := made.write(ctx, t, now); err != nil {
		return 0, err
	}
	return len(made.alerts), t.Each(ctx, markSpread, alerts)
}

// tellingsOf returns what is told of some alerts.
func tellingsOf(alerts []int64, told []telling) (left []telling) {
	held := map[int64]bool{}
	for _, id := range alerts {
		held[id] = true
	}
	for _, to := range told {
		if held[to.ID] {
			left = append(left, to)
		}
	}
	return left
}

// receiver is who might be told of an alert.
type receiver struct {
	sett.Receiver
	UserID int64            // 0: an integration is the receiver
	limit  int64            // of flood control
	quiet  *sett.QuietHours // nil: none
}

// telling is an alert that a receiver is to be told of.
type telling struct {
	*sett.Alert
	receiver
	note string // of the delivery
}

// waitsUntil returns when the quiet hours of the receiver end that the alert waits for; zero when it does not.
func (to telling) waitsUntil(now time.Time) time.Time {
	return to.quiet.Keep(to.Event, to.Facts.Test, now)
}

func integrationReceiver(i sett.Integration) receiver {
	return receiver{Receiver: sett.IntegrationReceiver(i.ID), limit: i.FloodLimit(), quiet: i.QuietHours}
}

func userReceiver(id int64) receiver {
	return receiver{Receiver: sett.UserReceiver(id), UserID: id, limit: sett.DefaultNotificationLimit}
}

const holdIntegrations = `-- store.holdIntegrations
SELECT i.id, i.active, i.quiet_hours FROM {{rows k(id bigint)}} JOIN integrations i ON i.id = k.id ORDER BY i.id {{for key share}}`

const holdUsers = `-- store.holdUsers
SELECT u.id FROM {{rows k(id bigint)}} JOIN users u ON u.id = k.id ORDER BY u.id {{for key share}}`

// holdReceivers leaves out what is for receivers that are gone, or were turned off, since that was decided, and keeps
// others from deleting the rest and from changing their quiet hours.
func (t Tx) holdReceivers(ctx context.Context, told []telling) (left []telling, err error) {
	integrations, users := receiverIDs(told)
	active := map[sett.Receiver]bool{} // of those that are there
	quiet := map[sett.Receiver]*sett.QuietHours{}
	err = t.EachRow(ctx, holdIntegrations, func(rows *sql.Rows) error {
		var id int64
		var on bool
		var hours string
		err := rows.Scan(&id, &on, &hours)
		active[sett.IntegrationReceiver(id)], quiet[sett.IntegrationReceiver(id)] = on, readQuiet(hours)
		return err
	}, integrations)
	if err == nil {
		err = t.EachRow(ctx, holdUsers, db.ScanID(func(id int64) { active[sett.UserReceiver(id)] = true }), users)
	}
	for _, to := range told {
		if on, there := active[to.Receiver]; on || there && to.Direct() {
			to.quiet = quiet[to.Receiver]
			left = append(left, to)
		}
	}
	return left, err
}

// receiverIDs returns who is told, each once.
func receiverIDs(told []telling) (integrations, users []int64) {
	known := map[sett.Receiver]bool{}
	for _, to := range told {
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
