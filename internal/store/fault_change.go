package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

// changingFault is a fault while somebody changes it.
type changingFault struct {
	sett.FaultState
	assignee sql.NullInt64
	notices  int64
}

const readState = `-- store.readState
SELECT f.resolved, f.ignored, f.resolve_on_deploy, f.paused_until, f.paused_count, f.assignee_id,
    (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = f.id)
FROM faults f WHERE f.project_id = $1 AND f.id = $2 {{for update}}`

const writeState = `-- store.writeState
UPDATE faults SET resolved = $3, ignored = $4, resolve_on_deploy = $5, paused_until = $6, paused_count = $7, assignee_id = $8
WHERE project_id = $1 AND id = $2`

// changeFault lets change decide about a fault of a project and stores what comes of it.
func (s *Store) changeFault(ctx context.Context, what string, projectID, faultID int64, change func(*tx, *changingFault) error) error {
	return s.inTx(ctx, what, func(t *tx) error {
		var f changingFault
		var pausedUntil int64
		err := t.QueryRowContext(ctx, s.text(readState), projectID, faultID).Scan(
			&f.Resolved, &f.Ignored, &f.ResolveOnDeploy, &pausedUntil, &f.PausedCount, &f.assignee, &f.notices)
		if err != nil {
			return notFound(err, "Fault", "read state of fault")
		}
		f.PausedUntil = fromMicros(pausedUntil)
		if err := change(t, &f); err != nil {
			return err
		}
		_, err = t.exec(ctx, writeState, projectID, faultID,
			f.Resolved, f.Ignored, f.ResolveOnDeploy, micros(f.PausedUntil), f.PausedCount, f.assignee)
		return err
	})
}

// UpdateFault applies a change that a person asked for. The error is NotFound when the project has no such fault, and
// Invalid when the assignee is nobody who can see the project.
func (s *Store) UpdateFault(ctx context.Context, projectID, faultID int64, c sett.FaultChange) error {
	return s.changeFault(ctx, "update fault", projectID, faultID, func(t *tx, f *changingFault) error {
		f.FaultState = f.Change(c)
		if !c.AssigneeID.Sent {
			return nil
		}
		f.assignee = sql.NullInt64{Int64: c.AssigneeID.Value, Valid: !c.AssigneeID.Null}
		if c.AssigneeID.Null {
			return nil
		}
		return t.checkAssignee(ctx, projectID, c.AssigneeID.Value)
	})
}

const assigneeScope = `-- store.checkAssignee
SELECT count(*) FROM projects p JOIN memberships m ON m.account_id = p.account_id
WHERE p.id = $1 AND m.user_id = $2 AND ` + seenBy

// checkAssignee returns an Invalid error for a user who cannot see the project; it does not tell whether there is one.
func (t *tx) checkAssignee(ctx context.Context, projectID, userID int64) error {
	var n int64
	err := t.QueryRowContext(ctx, t.s.text(assigneeScope), projectID, userID).Scan(&n)
	if err == nil && n == 0 {
		err = sett.Refuse("assignee_id", "must be the id of a user who can see this project")
	}
	return err
}

// PauseFault keeps recurrences of a fault silent for a time or a number of notices.
func (s *Store) PauseFault(ctx context.Context, now time.Time, projectID, faultID int64, p sett.Pause) error {
	return s.changeFault(ctx, "pause fault", projectID, faultID, func(_ *tx, f *changingFault) (err error) {
		f.FaultState, err = p.Apply(f.FaultState, now, f.notices)
		return err
	})
}

// UnpauseFault ends the pause of a fault, if there is one.
func (s *Store) UnpauseFault(ctx context.Context, projectID, faultID int64) error {
	return s.changeFault(ctx, "unpause fault", projectID, faultID, func(_ *tx, f *changingFault) error {
		f.PausedUntil, f.PausedCount = time.Time{}, 0
		return nil
	})
}

const unpauseFaults = `-- store.UnpauseFaults
UPDATE faults SET paused_until = 0, paused_count = 0 WHERE project_id = $1 AND (paused_until > 0 OR paused_count > 0)`

// UnpauseFaults ends the pauses of all faults of a project.
func (s *Store) UnpauseFaults(ctx context.Context, projectID int64) error {
	return s.inTx(ctx, "unpause faults", func(t *tx) error {
		_, err := t.exec(ctx, unpauseFaults, projectID)
		return err
	})
}

// ResolveFaults resolves the faults that the filter means and that are not resolved, and returns their number.
func (s *Store) ResolveFaults(ctx context.Context, now time.Time, projectID int64, f FaultFilter) (n int64, err error) {
	err = s.inTx(ctx, "resolve faults", func(t *tx) error {
		f, err := f.dated(ctx, s, t, projectID)
		if err != nil {
			return err
		}
		var a assembly
		a.add(`-- store.ResolveFaults
UPDATE faults SET resolved = true, resolve_on_deploy = false WHERE project_id = ? AND NOT resolved
AND id IN (SELECT f.id`, projectID)
		a.foundFaults(projectID, now, f)
		a.add(")")
		result, err := t.ExecContext(ctx, a.statement(s.dialect), a.args...)
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}
