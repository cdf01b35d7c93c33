package faultdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/store/db"
)

const tombstones = `-- faultdb.tombstones
SELECT fault_id, first_at, last_at FROM fault_graves WHERE ($2 = 0 OR project_id = $2) ORDER BY fault_id LIMIT $1`

// partsAtOnce is for how many faults one round of SweepFaults deletes notices and counts.
const partsAtOnce = 50

// SweepFaults deletes the notices and counts of deleted faults, in small steps. It reports whether there is more to do at once.
func (s *Store) SweepFaults(ctx context.Context) (more bool, err error) {
	return s.SweepDeleted(ctx, 0)
}

// SweepDeleted is SweepFaults for one project; 0 for all.
func (s *Store) SweepDeleted(ctx context.Context, projectID int64) (more bool, err error) {
	var parts []mergedSpan
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(tombstones), partsAtOnce, projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var part mergedSpan
		err := rows.Scan(&part.id, &part.first, &part.last)
		parts = append(parts, part)
		return err
	})
	if err != nil {
		return false, s.db.Explain(fmt.Errorf("find faults that were deleted: %w", err))
	}
	if len(parts) == 0 {
		return false, nil
	}
	return len(parts) == partsAtOnce, s.deleteParts(ctx, parts)
}
