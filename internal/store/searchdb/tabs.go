package searchdb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const countStates = `-- searchdb.countStates
SELECT resolved, ignored, count(*) FROM faults WHERE project_id = $1 AND ($2 = '' OR environment = $2) GROUP BY resolved, ignored`

const countMine = `-- searchdb.countMine
SELECT count(*) FROM faults WHERE assignee_id = $1 AND project_id = $2 AND resolved = false AND ignored = false AND ($3 = '' OR environment = $3)`

// FaultTabs returns the counts of the tabs of a user's list of faults, in one environment or, if that is "", in all.
func (s *Store) FaultTabs(ctx context.Context, now time.Time, projectID, userID int64, environment string) (tabs faults.FaultTabs, err error) {
	err = s.db.Snapshot(ctx, "count faults of tabs", func(q db.Querier) error {
		tabs = faults.FaultTabs{}
		if err := s.countStates(ctx, q, projectID, environment, &tabs); err != nil {
			return err
		}
		fresh, err := s.fault.NewFaults(ctx, q, projectID, now)
		if err != nil {
			return err
		}
		tabs.Deployed = fresh.Deployed(environment, now)
		tabs.New, err = s.countNew(ctx, q, projectID, environment, fresh)
		mine := q.QueryRowContext(ctx, s.db.Text(countMine), userID, projectID, environment).Scan(&tabs.Mine)
		return errors.Join(err, mine)
	})
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
