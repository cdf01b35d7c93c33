package deliverydb

import (
	"context"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// longestWait is longer than any wait between two attempts, except for quiet hours.
const longestWait = 30 * time.Hour

const lateDeliveries = `-- deliverydb.lateDeliveries
UPDATE deliveries SET due_at = $1, quiet_until = 0 WHERE state = 'due' AND due_at > $2
    AND (created_at > $2 OR trying OR due_at > $3 AND due_at <> quiet_until)`

// setBackDeliveries corrects the times of deliveries; see Hooks.ClockSetBack.
func (t Tx) setBackDeliveries(ctx context.Context, now time.Time) error {
	latest := db.Micros(checks.LatestClock(now))
	t.Wake(DeliveryDue)
	_, err := t.Exec(ctx, lateDeliveries, db.Micros(now), latest, latest+longestWait.Microseconds())
	return db.Wrap("retry late deliveries now", err)
}
