package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const insertSeparated = `-- faultdb.insertSeparated
INSERT INTO faults (project_id, key, environment, class, component, action, message, tags, grouping_inputs, created_at,
    resolved, ignored, resolve_on_deploy, resolved_in, paused_until, paused_count, comments_count)
SELECT f.project_id, y.key, f.environment, f.class, f.component, f.action, f.message, f.tags, y.inputs, $4,
    false, false, false, '', 0, 0, 0
FROM fault_keys y JOIN faults f ON f.id = y.fault_id
WHERE y.project_id = $1 AND y.fault_id = $2 AND y.key = $3 AND y.why NOT IN ('', '` + string(faults.Separated) + `') AND y.inputs <> ''
RETURNING id`

const insertSeparatedCounts = `-- faultdb.insertSeparatedCounts
INSERT INTO fault_counts (fault_id, project_id, notices_count, last_notice_at) VALUES ($1, $2, 0, $3)`

const separateKey = `-- faultdb.separateKey
UPDATE fault_keys SET part_id = $3, fault_id = $3, why = '` + string(faults.Separated) + `' WHERE project_id = $1 AND key = $2`

// SeparateKey makes a fault of its own of a key by which another fault went on, and returns its id. Later events with the key go there; earlier ones stay, because
// what is stored of an event does not say by which key it came. The error is NotFound if the project has no such fault, and Conflict if the fault has no such key.
func (s *Store) SeparateKey(ctx context.Context, now time.Time, userID, projectID, faultID int64, key []byte) (id int64, err error) {
	err = s.inTx(ctx, "separate key", func(t Tx) error {
		found, err := t.lockMerging(ctx, projectID, faultID, faultID)
		if err != nil {
			return err
		}
		if found[faultID] == nil {
			return s.checkFault(ctx, t, projectID, faultID)
		}
		err = t.QueryRowContext(ctx, s.db.Text(insertSeparated), projectID, faultID, key, db.Micros(now)).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return sett.Errorf(sett.Conflict, "This error does not go on by that key any more. Reload it and try again.")
		}
		if err != nil {
			return db.Wrap("make fault of key", err)
		}
		_, err = t.Exec(ctx, insertSeparatedCounts, id, projectID, db.Micros(now))
		if err == nil {
			_, err = t.Exec(ctx, separateKey, projectID, key, id)
		}
		return errors.Join(err, t.addEntry(ctx, now, userID, triage.SeparatedEntry(id), faultID), t.addEntry(ctx, now, userID, triage.SeparatedOffEntry(faultID), id))
	})
	return id, err
}
