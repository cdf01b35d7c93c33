package fault

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/stats"
	"sett/internal/store/db"
)

const faultSparks = `-- store.FaultSparks
SELECT fault_id, at, count FROM fault_buckets WHERE width = $1 AND at IN `

// FaultSparks returns how many notices faults of a project had in each of the last 24 hours, oldest first; the last hour includes now.
// Faults of other projects are omitted.
func (s *Store) FaultSparks(ctx context.Context, now time.Time, projectID int64, faultIDs []int64) (map[int64][]int64, error) {
	sparks := map[int64][]int64{}
	starts := stats.PastDay.Starts(now)
	err := s.db.Snapshot(ctx, "read sparks", func(q db.Querier) error {
		known, err := s.ofProject(ctx, q, projectID, faultIDs)
		var active []int64
		for id, last := range known {
			if sparks[id] = make([]int64, len(starts)); last.Unix() >= starts[0] {
				active = append(active, id)
			}
		}
		if err != nil || len(active) == 0 {
			return err
		}
		slices.Sort(active)
		hours, ats := db.In(s.db, 2, starts)
		faults, ids := db.In(s.db, 2+len(ats), active)
		args := append(append([]any{Hour}, ats...), ids...)
		rows, err := q.QueryContext(ctx, s.db.Text(faultSparks+hours+" AND fault_id IN "+faults), args...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, at, n int64
			err := rows.Scan(&id, &at, &n)
			sparks[id][(at-starts[0])/Hour] = n
			return err
		})
	})
	return sparks, err
}

// The plus prevents SQLite, which does not know how many faults a project has, from reading all of them.
const faultsOfProject = `-- store.faultsOfProject
SELECT fault_id, last_notice_at FROM fault_counts WHERE +project_id = $1 AND fault_id IN `

// ofProject returns which of the faults belong to the project, and when each last occurred.
func (s *Store) ofProject(ctx context.Context, q db.Querier, projectID int64, faultIDs []int64) (map[int64]time.Time, error) {
	found := map[int64]time.Time{}
	list, args := db.In(s.db, 2, faultIDs)
	rows, err := q.QueryContext(ctx, s.db.Text(faultsOfProject+list), append([]any{projectID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, last int64
		err := rows.Scan(&id, &last)
		found[id] = db.FromMicros(last)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find faults: %w", err)
	}
	return found, nil
}
