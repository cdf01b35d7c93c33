package faultdb

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

// ProjectPulse returns the state of a project, or a NotFound error. It does not count assigned faults.
func (s *Store) ProjectPulse(ctx context.Context, now time.Time, projectID int64) (p stats.ProjectPulse, err error) {
	err = s.db.Snapshot(ctx, "read pulse of project", func(q db.Querier) error {
		p = stats.ProjectPulse{}
		lines, err := s.projectLines(ctx, q, now, 0, []int64{projectID})
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			return sett.Errorf(sett.NotFound, "Project not found")
		}
		p.ProjectLine = lines[0]
		if p.EventsBefore, err = s.eventsBefore(ctx, q, now, projectID); err != nil {
			return err
		}
		if p.Uptime, err = s.uptimeOfSites(ctx, q, now, projectID); err != nil {
			return err
		}
		p.Worst, err = s.worstCheckIns(ctx, q, now, projectID)
		return err
	})
	return p, err
}

func (s *Store) eventsBefore(ctx context.Context, q db.Querier, now time.Time, projectID int64) (int64, error) {
	starts := stats.WeekBefore(now)
	hours := make([]int64, len(starts))
	err := s.projectHours(ctx, q, starts, []int64{projectID}, func(_, at, n int64) { hours[(at-starts[0])/Hour] += n })
	return stats.EventsUpTo(now, hours), err
}

const activeSites = `-- faultdb.activeSites
SELECT id FROM sites WHERE project_id = $1 AND active ORDER BY id`

// uptimeOfSites reads outages and not checks, of which a day has thousands.
func (s *Store) uptimeOfSites(ctx context.Context, q db.Querier, now time.Time, projectID int64) (checks.TimeShare, error) {
	numbers, err := s.db.ListIDs(ctx, q, activeSites, projectID)
	if err != nil {
		return checks.TimeShare{}, err
	}
	days, err := s.status.DaysOfSites(ctx, q, now, numbers)
	return checks.ShareOf(stats.PulseDays, slices.Collect(maps.Values(days))...), err
}

const worstCheckIns = `-- faultdb.worstCheckIns
SELECT id, coalesce(nullif(name, ''), slug), state, expected_at FROM check_ins
WHERE project_id = $1 AND (state IN ('missing', 'failing') OR state = 'reporting' AND expected_at > 0 AND expected_at < $2)
ORDER BY CASE state WHEN 'missing' THEN 0 WHEN 'failing' THEN 1 ELSE 2 END, expected_at, number LIMIT $3`

// worstCheckIns returns the missing check-ins, longest first, then the failing and the late ones.
func (s *Store) worstCheckIns(ctx context.Context, q db.Querier, now time.Time, projectID int64) (worst []stats.LateCheckIn, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(worstCheckIns), projectID, db.Micros(now), stats.WorstCheckIns)
	return worst, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c stats.LateCheckIn
		var expected int64
		err := rows.Scan(&c.ID, &c.Name, &c.State, &expected)
		c.ExpectedAt = db.FromMicros(expected)
		worst = append(worst, c)
		return err
	})
}
