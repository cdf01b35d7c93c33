package uptimedb

import (
	"context"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const checksOf = `-- uptimedb.checks
SELECT at, location, up, duration, status, reason FROM uptime_checks WHERE site_id = $1 AND at >= $2 AND at < $3`

const (
	listChecks     = checksOf + " AND (at, location) < ($4, CAST($5 AS bigint)) ORDER BY at DESC, location DESC LIMIT $6 OFFSET $7"
	listChecksBack = checksOf + " AND (at, location) >= ($4, CAST($5 AS bigint)) ORDER BY at, location LIMIT $6 OFFSET $7"
)

// ListUptimeChecks returns a page of the checks of a site, newest first, and its cursors. A check is dated by its start. The error is
// NotFound if the project has no such site, and Invalid for an invalid cursor.
func (s *Store) ListUptimeChecks(ctx context.Context, projectID int64, siteID sett.UUID, f SpanFilter) (results []checks.UptimeCheck, marks sett.Marks, err error) {
	at, location := int64(math.MaxInt64), int64(math.MaxInt16)
	statement := listChecks
	if f.Back {
		statement = listChecksBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at, &location); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list uptime checks", func(q db.Querier) error {
		number, err := s.siteNumber(ctx, q, projectID, siteID)
		if err != nil {
			return err
		}
		after, before := f.bounds()
		if f.Back { // so that a page far back starts there, and not at the newest check
			after = max(after, at)
		} else if f.Mark != "" {
			before = min(before, at+1)
		}
		skip, most := f.Rows()
		rows, err := q.QueryContext(ctx, s.db.Text(statement), number, after, before, at, location, most, skip)
		results, err = db.Collect(rows, err, func(r db.Row) (checks.UptimeCheck, error) { return scanCheck(r) })
		results, marks = sett.Cut(f.Page, results, func(c checks.UptimeCheck) string {
			return db.FormatMark(db.Micros(c.At), locationNumber(c.Location))
		})
		return err
	})
	return results, marks, err
}

// scanCheck reads a row with the columns of checksOf, and the columns before them into before.
func scanCheck(row db.Row, before ...any) (c checks.UptimeCheck, err error) {
	var at, location, duration int64
	err = row.Scan(append(before, &at, &location, &c.Up, &duration, &c.Status, &c.Reason)...)
	c.At, c.Location, c.Duration = db.FromMicros(at), locationOf(location), time.Duration(duration)*time.Microsecond
	return c, err
}

const pruneChecks = `-- uptimedb.PruneChecks
DELETE FROM uptime_checks WHERE (site_id, at, location) IN (SELECT site_id, at, location FROM uptime_checks
    WHERE site_id = $1 AND at < $2 ORDER BY at LIMIT $3)`

const hasOldCheck = `-- uptimedb.hasOldCheck
SELECT EXISTS (SELECT 1 FROM uptime_checks WHERE site_id = $1 AND at < $2)`

// PruneChecks deletes rolled-up checks that started before a time, in small steps. Sites without any cost no transaction.
func (s *Store) PruneChecks(ctx context.Context, before time.Time) error {
	var day, number int64
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(readProgress)).Scan(&day, new(int64)); err != nil {
		return fmt.Errorf("read progress: %w", err)
	}
	for {
		numbers, err := s.db.ListIDs(ctx, s.db.Read, nextSites, number, 1)
		if err != nil || len(numbers) == 0 {
			return err
		}
		number = numbers[0]
		oldest := min(day, db.Micros(before))
		var old bool
		if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasOldCheck), number, oldest).Scan(&old); err != nil {
			return fmt.Errorf("look for old checks: %w", err)
		}
		if !old {
			continue
		}
		err = s.sweep(ctx, "prune checks", db.RowsAtOnce, func(t Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, pruneChecks, number, oldest, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
}
