package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const nameFix = `-- faultdb.nameFix
UPDATE faults SET resolved_in = $3 WHERE project_id = $1 AND id = $2 AND resolved AND resolved_in = ''`

// Fixed resolves a fault in a release, as ResolveIn does. One that is resolved already, such as by the deploy itself, is resolved in that release from now on.
func (t Tx) Fixed(ctx context.Context, now time.Time, projectID, id int64, revision string, e faults.Entry) error {
	resolved, err := t.ResolveIn(ctx, now, projectID, []int64{id}, revision, e)
	if err != nil || len(resolved) > 0 {
		return err
	}
	n, err := t.Changed(ctx, nameFix, projectID, id, revision)
	if err != nil || n == 0 {
		return err
	}
	return t.addEntry(ctx, now, 0, e, id)
}

const takeBack = `-- faultdb.TakeBack
UPDATE faults SET resolved = false, resolved_in = '' WHERE project_id = $1 AND resolved AND resolved_in = $3
    AND id = coalesce((SELECT m.into_id FROM merged_faults m WHERE m.id = $2), $2)
RETURNING id, project_id, environment`

// TakeBack reopens a fault that was resolved in a release, as sett itself, because what fixed it was reverted. One that is open, or was resolved
// otherwise since, stays as it is. The id may be that of a fault that was merged into another.
func (t Tx) TakeBack(ctx context.Context, now time.Time, projectID, id int64, revision string, e faults.Entry) error {
	rows, err := t.QueryContext(ctx, t.s.db.Text(takeBack), projectID, id, revision)
	var reopened []faults.Fault
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var f faults.Fault
		err := rows.Scan(&f.ID, &f.ProjectID, &f.Environment)
		reopened = append(reopened, f)
		return err
	})
	if err != nil {
		return db.Wrap("reopen fault", err)
	}
	for _, f := range reopened {
		if err := t.addEntry(ctx, now, 0, e, f.ID); err != nil {
			return err
		}
		if err := t.outbox().Raise(ctx, now, f.Alert(alerts.AlertUnresolved, now, alerts.AlertFacts{})); err != nil {
			return err
		}
	}
	return nil
}
