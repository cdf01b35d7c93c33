package deliverydb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
)

const countOpenWindows = `-- deliverydb.countOpenMaintenance
SELECT count(*) FROM maintenance_windows WHERE project_id = $1 AND settled_at = 0`

const insertWindow = `-- deliverydb.CreateMaintenance
INSERT INTO maintenance_windows (project_id, made_by, created_at, updated_at, reason, starts_at, ends_at, until_ended, site_ids, check_in_ids, errors)
VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id`

const dropOldestWindows = `-- deliverydb.dropOldestMaintenance
DELETE FROM maintenance_windows WHERE project_id = $1 AND settled_at > 0 AND id <= coalesce((SELECT w.id FROM maintenance_windows w
    WHERE w.project_id = $1 ORDER BY w.id DESC LIMIT 1 OFFSET $2), 0)`

// CreateMaintenance creates a maintenance window in a project; userID is accounts.Operator for the command line. The error is NotFound if
// there is no such project, and Invalid if a field is wrong or the project has too many windows that have not ended.
func (s *Store) CreateMaintenance(ctx context.Context, now time.Time, userID, projectID int64, change maintenance.WindowChange) (w maintenance.Window, err error) {
	settings, err := change.Create(now)
	if err != nil {
		return w, err
	}
	err = s.inTx(ctx, "create maintenance window", func(t Tx) error {
		t.KeepsCaches = true
		w, err = t.AddMaintenance(ctx, now, userID, projectID, settings)
		return err
	})
	return w, err
}

// AddMaintenance is CreateMaintenance in a transaction, with settings that were checked.
func (t Tx) AddMaintenance(ctx context.Context, now time.Time, userID, projectID int64, settings maintenance.Settings) (w maintenance.Window, err error) {
	if err := t.checkWindows(ctx, projectID, maintenance.Settings{}, settings); err != nil {
		return w, err
	}
	var id int64
	by := sql.NullInt64{Int64: userID, Valid: userID != accounts.Operator}
	args := append([]any{projectID, by, db.Micros(now)}, windowArgs(settings)...)
	if err := t.QueryRowContext(ctx, t.s.db.Text(insertWindow), args...).Scan(&id); err != nil {
		return w, err
	}
	if _, err := t.Exec(ctx, dropOldestWindows, projectID, maintenance.MostKept); err != nil {
		return w, err
	}
	return t.MaintenanceByID(ctx, projectID, id)
}

// MaintenanceByID returns a maintenance window of a project, or a NotFound error.
func (t Tx) MaintenanceByID(ctx context.Context, projectID, id int64) (maintenance.Window, error) {
	w, err := scanWindow(t.QueryRowContext(ctx, t.s.db.Text(windowByID), projectID, id))
	return w, db.NotFound(err, "Maintenance window", "find maintenance window")
}

// windowArgs are the changeable fields of a window, in the order of the statements that write them.
func windowArgs(s maintenance.Settings) []any {
	return []any{s.Reason, db.Micros(s.StartsAt), db.Micros(s.EndsAt), s.UntilEnded, jsonList(s.SiteIDs), jsonList(s.CheckInIDs), s.Errors}
}

// checkWindows returns an error if a project does not exist, has no room for another window, or lacks a site or check-in that is new in one.
func (t Tx) checkWindows(ctx context.Context, projectID int64, have, want maintenance.Settings) error {
	if err := t.QueryRowContext(ctx, t.s.db.Text(holdIntegrationCount), projectID).Scan(new(int64)); err != nil { // otherwise two at once could exceed the limit
		return db.NotFound(err, "Project", "hold maintenance windows")
	}
	var open int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(countOpenWindows), projectID).Scan(&open); err != nil {
		return err
	}
	if open >= maintenance.MostOpen && have.EndsAt.IsZero() {
		return sett.Errorf(sett.Invalid, "This project has %d maintenance windows that have not ended, which is the maximum. End or delete one first.", open)
	}
	var p sett.Problems
	return t.checkWatched(ctx, &p, projectID,
		alerts.IntegrationSettings{SiteIDs: have.SiteIDs, CheckInIDs: have.CheckInIDs}, alerts.IntegrationSettings{SiteIDs: want.SiteIDs, CheckInIDs: want.CheckInIDs})
}

const lockWindow = `-- deliverydb.lockMaintenance
SELECT id FROM maintenance_windows WHERE project_id = $1 AND id = $2 {{for update}}`

// changeWindow lets change work with a window of a project, which is locked. The error is NotFound if the project has no such window.
func (s *Store) changeWindow(ctx context.Context, what string, projectID, id int64, change func(Tx, maintenance.Window) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		t.KeepsCaches = true
		if err := t.QueryRowContext(ctx, s.db.Text(lockWindow), projectID, id).Scan(new(int64)); err != nil {
			return db.NotFound(err, "Maintenance window", what)
		}
		w, err := scanWindow(t.QueryRowContext(ctx, s.db.Text(windowByID), projectID, id))
		if err != nil {
			return err
		}
		t.Wake(MaintenanceChanged)
		return change(t, w)
	})
}

const updateWindow = `-- deliverydb.UpdateMaintenance
UPDATE maintenance_windows SET updated_at = $3, reason = $4, starts_at = $5, ends_at = $6, until_ended = $7, site_ids = $8, check_in_ids = $9, errors = $10
WHERE project_id = $1 AND id = $2`

// UpdateMaintenance applies a change to a maintenance window. The error is NotFound if the project has no such window, Invalid if a field
// is wrong, and a Conflict if the window has ended.
func (s *Store) UpdateMaintenance(ctx context.Context, now time.Time, projectID, id int64, change maintenance.WindowChange) error {
	return s.changeWindow(ctx, "update maintenance window", projectID, id, func(t Tx, w maintenance.Window) error {
		want, err := change.Update(w, now)
		if err != nil {
			return err
		}
		if err := t.checkWindows(ctx, projectID, w.Settings, want); err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateWindow, append([]any{projectID, id, db.Micros(now)}, windowArgs(want)...)...)
		return err
	})
}

const endWindow = `-- deliverydb.EndMaintenance
UPDATE maintenance_windows SET updated_at = $3, ends_at = $3 WHERE project_id = $1 AND id = $2`

// EndMaintenance ends an active window now, and settles it, so that it can be deleted at once unless alerts of its time wait to be fanned out. The error is
// NotFound if the project has no such window, and a Conflict if it is not active.
func (s *Store) EndMaintenance(ctx context.Context, now time.Time, projectID, id int64) error {
	err := s.changeWindow(ctx, "end maintenance window", projectID, id, func(t Tx, w maintenance.Window) error {
		if _, err := w.End(now); err != nil {
			return err
		}
		_, err := t.Exec(ctx, endWindow, projectID, id, db.Micros(now))
		return err
	})
	if err == nil {
		_ = s.settleWindow(ctx, now, id) // if it fails, SettleMaintenance does the work
	}
	return err
}

const deleteWindow = `-- deliverydb.DeleteMaintenance
DELETE FROM maintenance_windows WHERE project_id = $1 AND id = $2`

// DeleteMaintenance deletes a window that is planned or has ended. The error is NotFound if the project has no such window, and a Conflict
// while it may hold alerts.
func (s *Store) DeleteMaintenance(ctx context.Context, now time.Time, projectID, id int64) error {
	return s.changeWindow(ctx, "delete maintenance window", projectID, id, func(t Tx, w maintenance.Window) error {
		if err := w.Deletable(now); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteWindow, projectID, id)
		return err
	})
}

const pruneWindows = `-- deliverydb.PruneMaintenance
DELETE FROM maintenance_windows WHERE id IN (SELECT id FROM maintenance_windows WHERE settled_at > 0 AND settled_at < $1 ORDER BY settled_at LIMIT $2)`

// PruneMaintenance deletes at most limit windows that were settled before a time. It reports whether there may be more.
func (s *Store) PruneMaintenance(ctx context.Context, before time.Time, limit int) (more bool, err error) {
	err = s.inTx(ctx, "prune maintenance windows", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, pruneWindows, db.Micros(before), limit)
		more = n == int64(limit)
		return err
	})
	return more, err
}
