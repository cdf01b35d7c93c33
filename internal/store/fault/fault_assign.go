package fault

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
)

// assignment are faults that became somebody's matter at once.
type assignment struct {
	to     *sett.Person // nil: nobody's any more, which nobody is told of
	faults []sett.Fault
}

func (a *assignment) add(more assignment) {
	if more.to != nil {
		a.to, a.faults = more.to, append(a.faults, more.faults...)
	}
}

const writeAssignee = `-- store.writeAssignee
UPDATE faults SET assignee_id = $2 WHERE id = $1`

// assignLot makes some faults the matter of a person, or of nobody for nil, which their histories tell.
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

// raiseAssigned tells once of all that became somebody's matter.
func (t Tx) raiseAssigned(ctx context.Context, now time.Time, userID int64, a assignment) error {
	if a.to == nil || len(a.faults) == 0 {
		return nil
	}
	return t.raiseBy(ctx, now, userID, []sett.Alert{sett.AssignedAlert(now, a.faults, a.to)})
}

// tellAssigned tells of the lots of a change that were done before one that failed, and returns the error of that.
func (s *Store) tellAssigned(ctx context.Context, now time.Time, userID int64, a assignment, failed error) error {
	if len(a.faults) == 0 {
		return failed
	}
	return errors.Join(failed, s.inTx(context.WithoutCancel(ctx), "tell of assigned faults", func(t Tx) error {
		return t.raiseAssigned(ctx, now, userID, a)
	}))
}
