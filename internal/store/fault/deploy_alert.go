package fault

import (
	"context"
	"time"

	"sett/internal/sett"
)

// closeDeployed closes the issues and pages of faults that a deploy resolved. Users get no alerts about these faults: the deploy covers
// them.
func (t Tx) closeDeployed(ctx context.Context, now time.Time, d sett.Deploy, resolved []int64) error {
	closing, err := t.closing(ctx, now, resolved, resolved, sett.AlertFacts{DeployID: d.ID})
	if err != nil || len(closing) == 0 {
		return err
	}
	return t.outbox().Raise(ctx, now, closing...)
}
