package store

import (
	"context"
	"time"

	"sett/internal/sett"
)

const linkedFaults = faultsByIDs + " WHERE EXISTS (SELECT 1 FROM fault_links l WHERE l.fault_id = f.id)"

// raiseDeploy tells of a deploy. That it resolved faults is told only of those that are linked with issues, so that these
// are closed: for people, the deploy says it all.
func (t *tx) raiseDeploy(ctx context.Context, now time.Time, d sett.Deploy, resolved []int64) error {
	linked, err := t.faultsTold(ctx, linkedFaults, resolved)
	if err != nil {
		return err
	}
	closing := sett.BulkAlerts(sett.AlertResolved, now, linked, sett.AlertFacts{DeployID: d.ID})
	return t.raise(ctx, now, append([]sett.Alert{d.Alert()}, closing...)...)
}
