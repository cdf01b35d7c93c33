package fault

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
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

// A fault that was ever assigned or unassigned stays as that left it.
const assignOwner = `-- store.assignOwner
UPDATE faults SET assignee_id = $3 WHERE id = (SELECT coalesce((SELECT m.into_id FROM merged_faults m WHERE m.id = $2), $2)) AND project_id = $1
AND assignee_id IS NULL AND NOT EXISTS (SELECT 1 FROM comments c WHERE c.fault_id = faults.id AND c.event IN ('assigned', 'unassigned'))
RETURNING id, environment`

// AssignOwner assigns a fault to the user whom the ownership rules name, and raises an alert, unless the fault is or was assigned.
func (t Tx) AssignOwner(ctx context.Context, now time.Time, projectID, faultID int64, to sett.Person) error {
	var f *sett.Fault
	rows, err := t.QueryContext(ctx, t.s.db.Text(assignOwner), projectID, faultID, to.ID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f = &sett.Fault{ProjectID: projectID}
		return rows.Scan(&f.ID, &f.Environment)
	})
	if err != nil || f == nil {
		return db.Wrap("assign owner", err)
	}
	if err := t.AddEntry(ctx, now, 0, sett.OwnedEntry(to.Called()), f.ID); err != nil {
		return err
	}
	a := sett.AssignedAlert(now, []sett.Fault{*f}, &to)
	a.Facts.ByRule = true
	return t.outbox().Raise(ctx, now, a)
}
