package intakedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const keptDays = `-- intakedb.Kept
WITH RECURSIVE days(at) AS (SELECT CAST($1 AS bigint) UNION ALL SELECT at + 86400 FROM days WHERE at + 86400 <= $2)
SELECT coalesce(CAST(sum(b.count) AS bigint), 0) FROM days d CROSS JOIN project_buckets b
WHERE b.width = 86400 AND b.at = d.at AND b.project_id = $3`

const sampleFaults = `-- intakedb.sampleFaults
SELECT fault_id FROM fault_counts WHERE project_id = $1 ORDER BY last_notice_at DESC, fault_id DESC LIMIT 10`

const sampleNotices = `-- intakedb.sampleNotices
SELECT length(f.facets), length(u.body), f.count FROM fault_notices k JOIN notices n ON n.id = k.id JOIN bundles u ON u.id = n.bundle_id
JOIN bundle_facets f ON f.bundle_id = n.bundle_id WHERE k.fault_id = $1 ORDER BY k.id DESC LIMIT 10`

const sampleBlocks = `-- intakedb.sampleBlocks
SELECT bytes, count FROM blocks WHERE project_id = $1 ORDER BY id DESC LIMIT 10`

// rowsOfNotice is roughly how many bytes the rows of a notice take in addition to its content.
const rowsOfNotice = 150

// Kept estimates how much a project stores when it keeps notices for the given number of days, from its daily counts and the size of some
// of the newest notices. Notices of deleted faults are included. The cost does not depend on the number of notices.
func (s *Store) Kept(ctx context.Context, now time.Time, projectID, days int64) (k accounts.Kept, err error) {
	err = s.db.Snapshot(ctx, "estimate what is kept", func(q db.Querier) error {
		var first int64
		if err := q.QueryRowContext(ctx, s.db.Text(faultdb.EarliestNotice), projectID).Scan(&first); err != nil {
			return db.NotFound(err, "Project", "find first notice")
		}
		if first == 0 {
			return nil
		}
		from := max(accounts.KeptFrom(now, days).Unix(), accounts.Day(db.FromMicros(first)).Unix())
		if err := q.QueryRowContext(ctx, s.db.Text(keptDays), from, accounts.Day(now).Unix(), projectID).Scan(&k.Notices); err != nil {
			return fmt.Errorf("count notices of days: %w", err)
		}
		each, err := s.bytesOfNotice(ctx, q, projectID)
		k.Bytes = k.Notices * each
		return err
	})
	return k, err
}

// bytesOfNotice returns the average size of notices: of those in the newest blocks or, if there are none, of the newest.
func (s *Store) bytesOfNotice(ctx context.Context, q db.Querier, projectID int64) (each int64, err error) {
	var n, all int64
	add := func(rows *sql.Rows) error {
		var bytes, count int64
		err := rows.Scan(&bytes, &count)
		n, all = n+count, all+bytes
		return err
	}
	rows, err := q.QueryContext(ctx, s.db.Text(sampleBlocks), projectID)
	if err := db.ScanAll(rows, err, add); err != nil {
		return 0, fmt.Errorf("sample blocks: %w", err)
	}
	if n > 0 {
		return all/n + rowsOfNotice, nil
	}
	faults, err := s.db.ListIDs(ctx, q, sampleFaults, projectID)
	if err != nil {
		return 0, fmt.Errorf("find faults to sample: %w", err)
	}
	for _, fault := range faults {
		rows, err := q.QueryContext(ctx, s.db.Text(sampleNotices), fault)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var facets, body, count int64
			err := rows.Scan(&facets, &body, &count)
			n, all = n+1, all+(facets+body)/max(1, count)
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("sample notices: %w", err)
		}
	}
	return all/max(n, 1) + rowsOfNotice, nil
}
