package deliverydb

import (
	"context"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// DeliveryDue is the topic of due deliveries.
const DeliveryDue db.Topic = "delivery due"

// deliveryColumns are the columns that scanDelivery reads.
const deliveryColumns = `d.id, d.alert_id, d.receiver, coalesce(d.integration_id, 0), coalesce(d.user_id, 0), d.event, d.subject, d.state,
    d.due_at, d.tries, d.created_at, d.done_at, d.quiet_until, d.problem, d.note`

func scanDelivery(row db.Row) (d alerts.Delivery, err error) {
	var due, created, done, quiet int64
	err = row.Scan(&d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &quiet, &d.Problem, &d.Note)
	d.DueAt, d.CreatedAt, d.DoneAt, d.QuietUntil = db.FromMicros(due), db.FromMicros(created), db.FromMicros(done), db.FromMicros(quiet)
	return d, err
}

// deliveries runs a statement that returns deliveryColumns.
func (s *Store) deliveries(ctx context.Context, q db.Querier, statement string, args ...any) (found []alerts.Delivery, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scanDelivery)
}
