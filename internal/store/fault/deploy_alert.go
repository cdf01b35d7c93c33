package fault

import (
	"context"
	"time"

	"sett/internal/sett"
)

// raiseDeploy tells of a deploy, and has the issues closed of the faults that it resolved: for people, the deploy says it
// all.
func (t Tx) raiseDeploy(ctx context.Context, now time.Time, d sett.Deploy, resolved []int64) error {
	closing, err := t.closingIssues(ctx, now, resolved, sett.AlertFacts{DeployID: d.ID})
	if err != nil {
		return err
	}
	return t.outbox().Raise(ctx, now, append([]sett.Alert{d.Alert()}, closing...)...)
}
