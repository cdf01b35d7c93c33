package store

import (
	"context"
	"time"

	"sett/internal/sett"
)

const hasRaised = `-- store.hasRaised
SELECT EXISTS (SELECT 1 FROM alerts WHERE NOT spread)`

const alertsToSpread = `-- store.alertsToSpread
SELECT ` + alertColumns + ` FROM alerts a WHERE NOT a.spread ORDER BY a.id LIMIT $1`

const markSpread = `-- store.markSpread
UPDATE alerts SET spread = true WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// SpreadAlerts makes deliveries of at most limit alerts, the oldest first: one for each receiver that wants it. Without
// mail, users are not told. It returns whether there may be more to do at once, and how many deliveries it made.
func (s *Store) SpreadAlerts(ctx context.Context, now time.Time, limit int, mail bool) (more bool, deliveries int, err error) {
	var raised bool // looked for without a transaction that writes: mostly there is nothing to do
	if err := s.read.QueryRowContext(ctx, s.text(hasRaised)).Scan(&raised); err != nil || !raised {
		return false, 0, s.Explain(wrap("look for alerts", err))
	}
	err = s.inTx(ctx, "spread alerts", func(t *tx) error {
		t.keepsFaults = true
		if err := t.spreadAlone(ctx); err != nil {
			return err
		}
		alerts, err := s.alerts(ctx, t, alertsToSpread, limit)
		if err != nil || len(alerts) == 0 {
			return err
		}
		more = len(alerts) == limit
		deliveries, err = t.spread(ctx, now, alerts, mail)
		return err
	})
	return more, deliveries, err
}

const lockSpread = `-- store.lockSpread
SELECT pg_advisory_xact_lock($1, -2)`

// spreadAlone waits until no other node spreads, so that the deliveries about one subject have growing ids in the order
// of its alerts, and windows of flood control are counted right.
func (t *tx) spreadAlone(ctx context.Context) error {
	if t.s.dialect == sqliteDialect {
		return nil
	}
	_, err := t.exec(ctx, lockSpread, int64(lockClass))
	return err
}

// spread makes the deliveries of alerts, which are in the order of their ids.
func (t *tx) spread(ctx context.Context, now time.Time, alerts []sett.Alert, mail bool) (int, error) {
	told, err := t.whoHears(ctx, now, alerts, mail)
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
	ids := make([]int64, len(alerts))
	for i, a := range alerts {
		ids[i] = a.ID
	}
	return len(made.alerts), t.each(ctx, markSpread, ids)
}

// receiver is who might be told of an alert.
type receiver struct {
	sett.Receiver
	UserID int64 // 0: an integration is the receiver
	limit  int64 // of flood control
}

// telling is an alert that a receiver is to be told of.
type telling struct {
	*sett.Alert
	receiver
}

// whoHears returns who is to be told of which alert, in the order of the alerts.
func (t *tx) whoHears(ctx context.Context, now time.Time, alerts []sett.Alert, mail bool) (told []telling, err error) {
	h := &hearings{tx: t, now: now, alerts: alerts}
	if err := h.read(ctx); err != nil {
		return nil, err
	}
	personal := map[int64][]receiver{}
	if mail {
		if personal, err = h.personalReceivers(ctx); err != nil {
			return nil, err
		}
	}
	for i := range alerts {
		a := &alerts[i]
		for _, integration := range h.integrations[a.ProjectID] {
			if h.of(a, integration).Hear() == sett.Heard {
				told = append(told, telling{a, integrationReceiver(integration)})
			}
		}
		for _, r := range personal[a.ID] {
			told = append(told, telling{a, r})
		}
	}
	return told, nil
}

func integrationReceiver(i sett.Integration) receiver {
	return receiver{Receiver: sett.IntegrationReceiver(i.ID), limit: i.FloodLimit()}
}

func userReceiver(id int64) receiver {
	return receiver{Receiver: sett.UserReceiver(id), UserID: id, limit: sett.DefaultNotificationLimit}
}

const insertDeliveries = `-- store.insertDeliveries
INSERT INTO deliveries (alert_id, receiver, integration_id, user_id, event, subject, state, due_at, tries, created_at, done_at, problem)
SELECT k.alert_id, k.receiver, nullif(k.integration_id, 0), nullif(k.user_id, 0), k.event, k.subject, k.state, k.due_at, 0, k.due_at, k.done_at, ''
FROM {{rows k(alert_id bigint, receiver text, integration_id bigint, user_id bigint, event text, subject text, state text, due_at bigint, done_at bigint)}}
WHERE true ORDER BY k.alert_id ON CONFLICT (alert_id, receiver) DO NOTHING`

// newDeliveries are rows of deliveries in the making.
type newDeliveries struct {
	alerts, integrations, users         []int64
	receivers, events, subjects, states []string
}

func (n *newDeliveries) add(to telling, state sett.DeliveryState) {
	n.alerts, n.receivers = append(n.alerts, to.ID), append(n.receivers, string(to.Receiver))
	n.integrations, n.users = append(n.integrations, to.Receiver.IntegrationID()), append(n.users, to.UserID)
	n.events, n.subjects = append(n.events, string(to.Event)), append(n.subjects, string(to.Subject))
	n.states = append(n.states, string(state))
}

func (n *newDeliveries) write(ctx context.Context, t *tx, now time.Time) error {
	if len(n.alerts) == 0 {
		return nil
	}
	t.wake(DeliveryDue)
	due, done := make([]int64, len(n.alerts)), make([]int64, len(n.alerts))
	for i := range n.alerts {
		due[i] = micros(now)
		if n.states[i] == string(sett.DeliveryHeld) {
			done[i] = due[i]
		}
	}
	if err := t.each(ctx, insertDeliveries, n.alerts, n.receivers, n.integrations, n.users, n.events, n.subjects, n.states, due, done); err != nil {
		return err
	}
	return t.each(ctx, queueUp, n.alerts, n.receivers)
}
