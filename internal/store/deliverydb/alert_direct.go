package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const insertNotified = `-- deliverydb.insertNotified
INSERT INTO alerts (project_id, event, subject, fault_id, environment, integration_id, at, created_at, facts, spread)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, true) RETURNING id`

// raiseFor stores an alert for one receiver, and its delivery.
func (t Tx) raiseFor(ctx context.Context, now time.Time, a *alerts.Alert, to receiver) error {
	row := t.QueryRowContext(ctx, t.s.db.Text(insertNotified), a.ProjectID, string(a.Event), string(a.Subject), a.FaultID, a.Environment,
		a.IntegrationID, db.Micros(now), outbox.AlertFacts(*a))
	if err := row.Scan(&a.ID); err != nil {
		return err
	}
	var made newDeliveries
	made.add(now, route{a, to, ""}, alerts.DeliveryDue)
	return made.write(ctx, t, now)
}
