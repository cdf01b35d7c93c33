package searchdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const countStates = `-- searchdb.countStates
SELECT resolved, ignored, count(*) FROM faults WHERE project_id = $1 AND ($2 = '' OR environment = $2) GROUP BY resolved, ignored`

const countMine = `-- searchdb.countMine
SELECT count(*) FROM faults WHERE assignee_id = $1 AND project_id = $2 AND resolved = false AND ignored = false AND ($3 = '' OR environment = $3)`

// tabs returns the counts of the tabs of a user's list of faults, in one environment or, if that is "", in all. Faults are new as fresh says.
func (s *Store) tabs(ctx context.Context, q db.Querier, now time.Time, l ListQuery, fresh triage.NewFaults) (tabs faults.FaultTabs, err error) {
	tabs.Deployed = fresh.Deployed(l.Environment, now)
	if err := s.countStates(ctx, q, l.ProjectID, l.Environment, &tabs); err != nil {
		return tabs, err
	}
	if tabs.New, err = s.countNew(ctx, q, l.ProjectID, l.Environment, fresh); err != nil {
		return tabs, err
	}
	err = q.QueryRowContext(ctx, s.db.Text(countMine), l.UserID, l.ProjectID, l.Environment).Scan(&tabs.Mine)
	return tabs, err
}

func (s *Store) countStates(ctx context.Context, q db.Querier, projectID int64, environment string, tabs *faults.FaultTabs) error {
	rows, err := q.QueryContext(ctx, s.db.Text(countStates), projectID, environment)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var resolved, ignored bool
		var n int64
		err := rows.Scan(&resolved, &ignored, &n)
		if resolved {
			tabs.Resolved += n
		}
		if ignored {
			tabs.Ignored += n
		}
		if !resolved && !ignored {
			tabs.Unresolved += n
		}
		return err
	})
}

// countNew counts the open faults that are new.
func (s *Store) countNew(ctx context.Context, q db.Querier, projectID int64, environment string, fresh triage.NewFaults) (n int64, err error) {
	var a Assembly
	a.Add("-- searchdb.countNew\nSELECT count(*) FROM faults f WHERE f.project_id = ? AND f.resolved = false AND f.ignored = false AND ", projectID)
	a.isNew(fresh)
	if environment != "" {
		a.Add(" AND f.environment = ?", environment)
	}
	err = q.QueryRowContext(ctx, a.Statement(s.db), a.Args...).Scan(&n)
	return n, db.Wrap("count new faults", err)
}
