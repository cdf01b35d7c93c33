package fault

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
)

// assignment holds faults that were assigned in one step.
type assignment struct {
	to     *sett.Person // nil: unassigned, which raises no alert
	faults []sett.Fault
}

func (a *assignment) add(more assignment) {
	if more.to != nil {
		a.to, a.faults = more.to, append(a.faults, more.faults...)
	}
}

const writeAssignee = `-- store.writeAssignee
UPDATE faults SET assignee_id = $2 WHERE id = $1`

// assignLot assigns some faults to a user, or unassigns them if to is nil, and adds this to their histories.
func (t Tx) assignLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64, found map[int64]changingFault, to *sett.Person) (assignment, error) {
	done := assignment{to: to}
	var assignee any
	if to != nil {
		assignee = to.ID
	}
	for _, id := range ids {
		if _, err := t.Exec(ctx, writeAssignee, id, assignee); err != nil {
			return done, err
		}
		done.faults = append(done.faults, sett.Fault{ID: id, ProjectID: projectID, Environment: found[id].environment})
	}
	return done, t.AddEntry(ctx, now, userID, sett.AssignedEntry(to.Called()), ids...)
}

// raiseAssigned raises one alert for all faults of an assignment.
func (t Tx) raiseAssigned(ctx context.Context, now time.Time, userID int64, a assignment) error {
	if a.to == nil || len(a.faults) == 0 {
		return nil
	}
	return t.raiseBy(ctx, now, userID, []sett.Alert{sett.AssignedAlert(now, a.faults, a.to)})
}

// raiseAssignedSoFar raises the alert for the batches that were changed before one failed, and returns the error of that one.
func (s *Store) raiseAssignedSoFar(ctx context.Context, now time.Time, userID int64, a assignment, failed error) error {
	if len(a.faults) == 0 {
		return failed
	}
	return errors.Join(failed, s.inTx(context.WithoutCancel(ctx), "raise alert of assigned faults", func(t Tx) error {
		return t.raiseAssigned(ctx, now, userID, a)
	}))
}
