package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

const insertDeliveries = `-- deliverydb.insertDeliveries
INSERT INTO deliveries (alert_id, receiver, integration_id, user_id, event, subject, state, due_at, quiet_until, tries, created_at, done_at, problem, note, held_quietly)
SELECT k.alert_id, k.receiver, nullif(k.integration_id, 0), nullif(k.user_id, 0), k.event, k.subject, k.state, k.due_at, k.quiet_until, 0, k.created_at, k.done_at, '', k.note, k.held_quietly
FROM {{rows k(alert_id bigint, receiver text, integration_id bigint, user_id bigint, event text, subject text, state text, due_at bigint, quiet_until bigint, created_at bigint, done_at bigint, note text, held_quietly boolean)}}
WHERE true ORDER BY k.alert_id ON CONFLICT (alert_id, receiver) DO NOTHING`

// newDeliveries holds the columns of new deliveries.
type newDeliveries struct {
	alerts, integrations, users                []int64
	receivers, events, subjects, states, notes []string
	dues, quiets, dones                        []int64
	quietly                                    []bool  // held, and waits for the summary after quiet hours
	urgent                                     []place // sent at once in spite of quiet hours
}

// add adds a row, which waits if its receiver has quiet hours now.
func (n *newDeliveries) add(now time.Time, to route, state alerts.DeliveryState) {
	n.alerts, n.receivers = append(n.alerts, to.ID), append(n.receivers, string(to.Receiver))
	n.integrations, n.users = append(n.integrations, to.Receiver.IntegrationID()), append(n.users, to.UserID)
	n.events, n.subjects = append(n.events, string(to.Event)), append(n.subjects, string(to.Subject))
	n.states, n.notes = append(n.states, string(state)), append(n.notes, to.note)
	var until, done int64
	waits := !to.waitsUntil(now).IsZero()
	n.quietly = append(n.quietly, waits && state == alerts.DeliveryHeld)
	switch {
	case state == alerts.DeliveryHeld:
		done = db.Micros(now)
	case waits:
		until = db.Micros(to.waitsUntil(now))
	case !to.quiet.Ends(now).IsZero():
		n.urgent = append(n.urgent, place{receiverSubject{to.Receiver, to.Subject}, to.ID})
	}
	n.dues, n.quiets, n.dones = append(n.dues, max(db.Micros(now), until)), append(n.quiets, until), append(n.dones, done)
}

func (n *newDeliveries) write(ctx context.Context, t Tx, now time.Time) error {
	if len(n.alerts) == 0 {
		return nil
	}
	t.Wake(DeliveryDue)
	err := t.Each(ctx, insertDeliveries, n.alerts, n.receivers, n.integrations, n.users, n.events, n.subjects, n.states, n.dues, n.quiets,
		db.Repeated(db.Micros(now), len(n.alerts)), n.dones, n.notes, n.quietly)
	if err != nil {
		return err
	}
	if err := t.freeElders(ctx, now, n.urgent...); err != nil {
		return err
	}
	return t.Each(ctx, queueUp, n.alerts, n.receivers)
}
