package delivery

import (
	"context"
	"time"

	"sett/internal/store/db"
)

// Alerts have growing ids, or nearly so: those before the first that is newer are the oldest. What is kept among them does
// not count, or it would keep others.
const pruneAlerts = `-- store.PruneAlerts
DELETE FROM alerts WHERE id IN (SELECT a.id FROM alerts a
    WHERE a.id < coalesce((SELECT n.id FROM alerts n WHERE n.created_at >= $1 ORDER BY n.id LIMIT 1), 9223372036854775807)
    AND a.spread AND a.created_at < $1 AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = a.id AND d.state = 'due')
    ORDER BY a.id LIMIT $2)`

// PruneAlerts drops at most limit alerts that were raised before a time and told to all who wanted to hear of them, with
// their deliveries. It returns whether there may be more.
func (s *Store) PruneAlerts(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	err = s.inTx(ctx, "prune alerts", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, pruneAlerts, db.Micros(before), limit)
		more = n == int64(limit)
		return err
	})
	return more, err
}

const sweepProjectAlerts = `-- store.sweepAlerts
DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = $1 ORDER BY id LIMIT $2)`

// SweepAlerts deletes the alerts of a project, with what was sent of them.
func (s *Store) SweepAlerts(ctx context.Context, projectID int64) error {
	return s.sweep(ctx, "delete alerts", db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, sweepProjectAlerts, projectID, db.RowsAtOnce)
	})
}
