package faultdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// The last deploys to the most recently deployed environments, and of the whole project.
const latestDeploys = `-- faultdb.latestDeploys
SELECT project_id, environment, at FROM (SELECT project_id, environment, at,
    row_number() OVER (PARTITION BY project_id ORDER BY CASE WHEN environment = '' THEN 0 ELSE 1 END, at DESC, environment) AS place
    FROM (SELECT project_id, environment, max(created_at) AS at FROM deploys WHERE created_at >= $1 AND project_id IN `

var latestDeploysShown = fmt.Sprintf(" GROUP BY project_id, environment) every) few WHERE place <= %d", faults.MostEnvironmentsShown)

// NewFaults returns the time since which faults of a project count as new. At most faults.MostEnvironmentsShown environments have times of
// their own, which is also the limit for environments that reports create.
func (s *Store) NewFaults(ctx context.Context, q db.Querier, projectID int64, now time.Time) (triage.NewFaults, error) {
	all, err := s.NewFaultsOf(ctx, q, []int64{projectID}, now)
	return all[projectID], err
}

// NewFaultsOf returns the times since which faults of some projects count as new, by project.
func (s *Store) NewFaultsOf(ctx context.Context, q db.Querier, projects []int64, now time.Time) (map[int64]triage.NewFaults, error) {
	latest := map[int64]map[string]time.Time{}
	for _, project := range projects {
		latest[project] = map[string]time.Time{}
	}
	list, ids := db.In(s.db, 2, projects)
	args := append([]any{db.Micros(now.Add(-triage.NewAtMostFor))}, ids...)
	rows, err := q.QueryContext(ctx, s.db.Text(latestDeploys+list+latestDeploysShown), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var project, at int64
		var environment string
		err := rows.Scan(&project, &environment, &at)
		latest[project][environment] = db.FromMicros(at)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find last deploys: %w", err)
	}
	all := map[int64]triage.NewFaults{}
	for project, deployed := range latest {
		all[project] = triage.NewFaultsSince(deployed, now)
	}
	return all, nil
}
