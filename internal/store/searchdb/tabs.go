package searchdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const countStates = `-- searchdb.countStates
SELECT f.resolved, f.ignored, count(*) FROM {{rows k(project_id bigint, environment text)}} JOIN faults f ON f.project_id = k.project_id
WHERE k.environment = '' OR f.environment = k.environment GROUP BY f.resolved, f.ignored`

const countMine = `-- searchdb.countMine
SELECT count(*) FROM {{rows k(assignee_id bigint, project_id bigint, environment text)}} JOIN faults f ON f.assignee_id = k.assignee_id AND f.project_id = k.project_id
WHERE f.resolved = false AND f.ignored = false AND (k.environment = '' OR f.environment = k.environment)`

// tabs returns the counts of the tabs of a user's list of faults, in one environment or, if that is "", in all. Faults are new as fresh says.
func (s *Store) tabs(ctx context.Context, q db.Querier, now time.Time, l ListQuery, fresh map[int64]triage.NewFaults) (tabs faults.FaultTabs, err error) {
	environments := slices.Repeat([]string{l.Environment}, len(l.Projects))
	if err := s.countStates(ctx, q, l.Projects, environments, &tabs); err != nil {
		return tabs, err
	}
	for _, project := range l.Projects {
		if at := fresh[project].Deployed(l.Environment, now); at.After(tabs.Deployed) {
			tabs.Deployed = at
		}
		n, err := s.countNew(ctx, q, project, l.Environment, fresh[project])
		if tabs.New += n; err != nil {
			return tabs, err
		}
	}
	mine, err := s.fault.ReadAssignees(ctx, q, l.UserID)
	if err != nil {
		return tabs, err
	}
	var whose, projects []int64
	var within []string
	for _, id := range mine {
		whose, projects, within = append(whose, db.Repeated(id, len(l.Projects))...), append(projects, l.Projects...), append(within, environments...)
	}
	err = s.db.ReadRows(ctx, q, countMine, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		tabs.Mine += n
		return err
	}, whose, projects, within)
	return tabs, db.Wrap("count the faults of a user", err)
}

func (s *Store) countStates(ctx context.Context, q db.Querier, projects []int64, environments []string, tabs *faults.FaultTabs) error {
	return s.db.ReadRows(ctx, q, countStates, func(rows *sql.Rows) error {
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
	}, projects, environments)
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
