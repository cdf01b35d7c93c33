package deliverydb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

// Alert ids grow with time, or nearly so: the alerts before the first newer one are the oldest. Old alerts that must be kept are skipped,
// so that they do not keep others.
const pruneAlerts = `-- deliverydb.PruneAlerts
DELETE FROM alerts WHERE id IN (SELECT a.id FROM alerts a
    WHERE a.id < coalesce((SELECT n.id FROM alerts n WHERE n.created_at >= $1 ORDER BY n.id LIMIT 1), 9223372036854775807)
    AND a.spread AND a.created_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = a.id AND d.state = 'due')
    AND NOT EXISTS (SELECT 1 FROM held_alerts h WHERE h.alert_id = a.id)
    ORDER BY a.id LIMIT $2)`

// PruneAlerts deletes at most limit alerts, with their deliveries, that were raised before a time and that are fanned out with no
// delivery due, and not held for maintenance. It reports whether there may be more.
func (s *Store) PruneAlerts(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	err = s.inTx(ctx, "prune alerts", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, pruneAlerts, db.Micros(before), limit)
		more = n == int64(limit)
		return err
	})
	return more, err
}

const sweepProjectAlerts = `-- deliverydb.sweepAlerts
DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = $1 ORDER BY id LIMIT $2)`

// alertsAtOnce is how many alerts one step of a deletion handles: each may have a delivery for every user.
const alertsAtOnce = 200

// SweepAlerts deletes the alerts of a project with their deliveries.
func (s *Store) SweepAlerts(ctx context.Context, projectID int64) error {
	return s.sweep(ctx, "delete alerts", alertsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, sweepProjectAlerts, projectID, alertsAtOnce)
	})
}
