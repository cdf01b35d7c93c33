package faultdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

const faultSeries = `-- faultdb.FaultSeries
SELECT b.at, CAST(sum(b.count) AS bigint) FROM faults f CROSS JOIN fault_buckets b
WHERE f.project_id = $1 AND f.id = $2 AND b.width = $3 AND b.at IN `

// FaultSeries returns how many notices a fault of a project had in each bucket of the period that ends now. The error is NotFound if the
// project has no such fault.
func (s *Store) FaultSeries(ctx context.Context, projectID, faultID int64, period stats.Period, now time.Time) (points []stats.Point, err error) {
	err = s.db.Snapshot(ctx, "read occurrences of fault", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.PartsOf(ctx, q, faultID)
		if err != nil {
			return err
		}
		points, err = s.seriesOf(ctx, q, projectID, parts, period, now)
		return err
	})
	return points, err
}

// seriesOf is FaultSeries of a fault with these parts, of which the first is its own.
func (s *Store) seriesOf(ctx context.Context, q db.Querier, projectID int64, parts []int64, period stats.Period, now time.Time) ([]stats.Point, error) {
	times, starts := db.In(s.db, 4, period.Starts(now))
	faults, ids := db.In(s.db, 4+len(starts), parts)
	args := append(append([]any{projectID, parts[0], seconds(period.Width())}, starts...), ids...)
	return s.series(ctx, q, faultSeries+times+" AND b.fault_id IN "+faults+" GROUP BY b.at", period, now, args)
}

const projectSeries = `-- faultdb.ProjectSeries
SELECT at, CAST(sum(count) AS bigint) FROM project_buckets
WHERE width = $1 AND ($2 = '' OR environment = $2) AND at IN `

// ProjectSeries returns how many notices the projects together had in each bucket of the period that ends now, in one environment or, if
// that is "", in all.
func (s *Store) ProjectSeries(ctx context.Context, projectIDs []int64, environment string, period stats.Period, now time.Time) ([]stats.Point, error) {
	starts := period.Starts(now)
	times, ats := db.In(s.db, 3, starts)
	projects, ids := db.In(s.db, 3+len(ats), projectIDs)
	args := append(append([]any{seconds(period.Width()), environment}, ats...), ids...)
	points, err := s.series(ctx, s.db.Read, projectSeries+times+" AND project_id IN "+projects+" GROUP BY at", period, now, args)
	if err != nil {
		return nil, fmt.Errorf("read occurrences of projects: %w", err)
	}
	return points, nil
}

// series runs a statement whose rows are the start of a bucket and its count, and fills the gaps with zero.
func (s *Store) series(ctx context.Context, q db.Querier, statement string, period stats.Period, now time.Time, args []any) ([]stats.Point, error) {
	counts := map[int64]int64{}
	rows, err := q.QueryContext(ctx, statement, args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var at, n int64
		err := rows.Scan(&at, &n)
		counts[at] = n
		return err
	})
	return period.Series(now, counts), err
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }
