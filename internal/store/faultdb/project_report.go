package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

// reportHours lists the hours from $1 to $2, in seconds. Buckets are sorted by time first, so those of one project are looked up hour by
// hour.
const reportHours = `WITH RECURSIVE hours(at) AS (SELECT CAST($1 AS bigint) WHERE CAST($1 AS bigint) < $2
    UNION ALL SELECT at + 3600 FROM hours WHERE at + 3600 < $2)`

const namedReport = `-- faultdb.ProjectReport by name
` + reportHours + `
SELECT b.name, CAST(sum(b.count) AS bigint) AS n FROM hours h CROSS JOIN named_buckets b
WHERE b.kind = $3 AND b.at = h.at AND b.project_id = $4 AND ($5 = '' OR b.environment = $5)
GROUP BY b.name ORDER BY n DESC, b.name LIMIT $6`

// locationReport counts notices without a location under "": all notices minus those that have one.
const locationReport = `-- faultdb.ProjectReport by location
` + reportHours + `,
located AS (SELECT b.name AS name, CAST(sum(b.count) AS bigint) AS n FROM hours h CROSS JOIN named_buckets b
    WHERE b.kind = $3 AND b.at = h.at AND b.project_id = $4 AND ($5 = '' OR b.environment = $5) GROUP BY b.name),
whole AS (SELECT CAST(coalesce(sum(b.count), 0) AS bigint) AS n FROM hours h CROSS JOIN project_buckets b
    WHERE b.width = 3600 AND b.at = h.at AND b.project_id = $4 AND ($5 = '' OR b.environment = $5))
SELECT name, n FROM (SELECT name, n FROM located
    UNION ALL SELECT '', w.n - (SELECT CAST(coalesce(sum(l.n), 0) AS bigint) FROM located l) FROM whole w) AS every
WHERE n > 0 ORDER BY n DESC, name LIMIT $6`

const hourlyReport = `-- faultdb.ProjectReport by hour
` + reportHours + `
SELECT b.at, CAST(sum(b.count) AS bigint) FROM hours h CROSS JOIN project_buckets b
WHERE b.width = 3600 AND b.at = h.at AND b.project_id = $3 AND ($4 = '' OR b.environment = $4) GROUP BY b.at`

// ProjectReport counts the notices of a project in the given time, in one environment or, if that is "", in all. By name it returns at
// most sett.MaxReportRows rows, greatest first; by day one row per day. It never reads notices, so it does not change when they or their
// faults are deleted; new ones may be missing for some seconds (see digest.go). Notices without a location count as "", and those without
// a user are not in that report.
func (s *Store) ProjectReport(ctx context.Context, now time.Time, projectID int64, kind stats.ReportKind, environment string, span stats.ReportSpan) (rows []stats.ReportRow, err error) {
	err = s.db.Snapshot(ctx, "read report", func(q db.Querier) error {
		from, to, err := s.recorded(ctx, q, now, projectID, span)
		if err != nil {
			return err
		}
		if kind == stats.NoticesPerDay {
			counts, err := s.hourlyCounts(ctx, q, from, to, projectID, environment)
			rows = span.Shown(stats.ReportSpan{From: time.Unix(from, 0).UTC(), To: time.Unix(to, 0).UTC()}).Days(counts)
			return err
		}
		statement := namedReport
		if kind == stats.NoticesByLocation {
			statement = locationReport
		}
		named, err := q.QueryContext(ctx, s.db.Text(statement), from, to, reportNames(kind), projectID, environment, stats.MaxReportRows)
		return db.ScanAll(named, err, func(r *sql.Rows) error {
			var row stats.ReportRow
			err := r.Scan(&row.Label, &row.Count)
			rows = append(rows, row)
			return err
		})
	})
	return rows, err
}

// reportNames returns the kind of named buckets that a report adds up.
func reportNames(kind stats.ReportKind) string {
	switch kind {
	case stats.NoticesByClass:
		return OfClass
	case stats.NoticesByLocation:
		return OfLocation
	default:
		return OfUser
	}
}

const EarliestNotice = `-- faultdb.earliestNotice
SELECT coalesce(earliest_notice_at, 0) FROM projects WHERE id = $1`

// recorded narrows a span to the hours, in seconds, in which the project can have notices, so that a report since 1970 takes no longer
// than one since the first notice. The clocks of nodes may differ by less than an hour.
func (s *Store) recorded(ctx context.Context, q db.Querier, now time.Time, projectID int64, span stats.ReportSpan) (from, to int64, err error) {
	var earliest int64
	err = q.QueryRowContext(ctx, s.db.Text(EarliestNotice), projectID).Scan(&earliest)
	if err != nil {
		return 0, 0, db.NotFound(err, "Project", "find earliest notice")
	}
	if earliest == 0 {
		return 0, 0, nil
	}
	first, last := db.FromMicros(earliest).Add(-time.Hour).Truncate(time.Hour), now.Add(2*time.Hour).Truncate(time.Hour)
	return max(span.From.Unix(), first.Unix()), min(span.To.Unix(), last.Unix()), nil
}

func (s *Store) hourlyCounts(ctx context.Context, q db.Querier, from, to, projectID int64, environment string) (map[int64]int64, error) {
	counts := map[int64]int64{}
	rows, err := q.QueryContext(ctx, s.db.Text(hourlyReport), from, to, projectID, environment)
	err = db.ScanAll(rows, err, func(r *sql.Rows) error {
		var at, n int64
		err := r.Scan(&at, &n)
		counts[at] = n
		return err
	})
	return counts, err
}
