package fault

import (
	"context"
	"time"

	"sett/internal/sett"
)

// raiseDeploy raises the alert of a deploy, and closes the issues and pages of the faults that it resolved. Users get no alerts about these
// faults: the deploy covers them.
func (t Tx) raiseDeploy(ctx context.Context, now time.Time, d sett.Deploy, resolved []int64) error {
	closing, err := t.closing(ctx, now, resolved, resolved, sett.AlertFacts{DeployID: d.ID})
	if err != nil {
		return err
	}
	return t.outbox().Raise(ctx, now, append([]sett.Alert{d.Alert()}, closing...)...)
}
