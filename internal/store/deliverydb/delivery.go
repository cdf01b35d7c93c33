package deliverydb

import (
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// DeliveryDue is the topic of due deliveries.
const DeliveryDue db.Topic = "delivery due"

// deliveryColumns are the columns that scanDelivery reads.
const deliveryColumns = `d.id, d.alert_id, d.receiver, coalesce(d.integration_id, 0), coalesce(d.user_id, 0), d.event, d.subject, d.state,
    d.due_at, d.tries, d.created_at, d.done_at, d.quiet_until, d.problem, d.note`

// scanDelivery reads deliveryColumns, and more columns into rest.
func scanDelivery(row db.Row, rest ...any) (d alerts.Delivery, err error) {
	var due, created, done, quiet int64
	err = row.Scan(append([]any{
		&d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &quiet, &d.Problem, &d.Note,
	}, rest...)...)
	d.DueAt, d.CreatedAt, d.DoneAt, d.QuietUntil = db.FromMicros(due), db.FromMicros(created), db.FromMicros(done), db.FromMicros(quiet)
	return d, err
}
