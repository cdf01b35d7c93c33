package faultdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

const faultSparks = `-- faultdb.FaultSparks
SELECT fault_id, at, count FROM fault_buckets WHERE width = $1 AND at IN `

// FaultSparks returns how many notices faults of a project had in each of the last 24 hours, oldest first; the last hour includes now.
// Faults of other projects are omitted.
func (s *Store) FaultSparks(ctx context.Context, now time.Time, projectID int64, faultIDs []int64) (map[int64][]int64, error) {
	var sparks map[int64][]int64
	err := s.db.Snapshot(ctx, "read sparks", func(q db.Querier) error {
		known, err := s.OfProject(ctx, q, projectID, faultIDs)
		if err == nil {
			sparks, err = s.sparks(ctx, q, now, known)
		}
		return err
	})
	return sparks, err
}

// sparks is FaultSparks of faults that last occurred at these times.
func (s *Store) sparks(ctx context.Context, q db.Querier, now time.Time, last map[int64]time.Time) (map[int64][]int64, error) {
	sparks, starts := map[int64][]int64{}, stats.PastDay.Starts(now)
	var active []int64
	for id, at := range last {
		if sparks[id] = make([]int64, len(starts)); at.Unix() >= starts[0] {
			active = append(active, id)
		}
	}
	if len(active) == 0 {
		return sparks, nil
	}
	slices.Sort(active)
	hours, ats := db.In(s.db, 2, starts)
	faults, ids := db.In(s.db, 2+len(ats), active)
	args := append(append([]any{Hour}, ats...), ids...)
	rows, err := q.QueryContext(ctx, s.db.Text(faultSparks+hours+" AND fault_id IN "+faults), args...)
	return sparks, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, at, n int64
		err := rows.Scan(&id, &at, &n)
		sparks[id][(at-starts[0])/Hour] = n
		return err
	})
}

// The plus prevents SQLite, which does not know how many faults a project has, from reading all of them.
const faultsOfProject = `-- faultdb.faultsOfProject
SELECT fault_id, last_notice_at FROM fault_counts WHERE +project_id = $1 AND fault_id IN `

// OfProject returns which of the faults belong to the project, and when each last occurred.
func (s *Store) OfProject(ctx context.Context, q db.Querier, projectID int64, faultIDs []int64) (map[int64]time.Time, error) {
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

// MostCompared is how many faults are compared between environments: those that occurred last.
const MostCompared = 300

const recentFaults = `-- faultdb.SeenFaults
SELECT f.id, f.environment, f.class, f.message, f.component, f.action, f.grouping_inputs, f.created_at, f.resolved
FROM (SELECT fault_id, last_notice_at FROM fault_counts WHERE project_id = $1 AND last_notice_at >= $2 ORDER BY last_notice_at DESC, fault_id DESC LIMIT $3) AS r
JOIN faults f ON f.id = r.fault_id ORDER BY r.last_notice_at DESC, f.id DESC`

// SeenFaults returns the faults of a project that occurred last in a period, with their notices in it; at most MostCompared.
func (s *Store) SeenFaults(ctx context.Context, now time.Time, projectID int64, period stats.Period) (seen []stats.SeenFault, err error) {
	starts := period.Starts(now)
	err = s.db.Snapshot(ctx, "compare environments", func(q db.Querier) error {
		at, ids := map[int64]int{}, []int64(nil)
		rows, err := q.QueryContext(ctx, s.db.Text(recentFaults), projectID, db.Micros(time.Unix(starts[0], 0)), MostCompared)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			f, err := scanSeenFault(rows)
			at[f.ID], ids, seen = len(seen), append(ids, f.ID), append(seen, f)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		times, ats := db.In(s.db, 2, starts)
		faults, list := db.In(s.db, 2+len(ats), ids)
		args := append(append([]any{int64(period.Width() / time.Second)}, ats...), list...)
		rows, err = q.QueryContext(ctx, s.db.Text(faultSparks+times+" AND fault_id IN "+faults), args...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, start, n int64
			err := rows.Scan(&id, &start, &n)
			seen[at[id]].Count += n
			return err
		})
	})
	return seen, err
}

func scanSeenFault(rows *sql.Rows) (f stats.SeenFault, err error) {
	var component, action, grouping string
	var created int64
	err = rows.Scan(&f.ID, &f.Environment, &f.Class, &f.Message, &component, &action, &grouping, &created, &f.Resolved)
	if err != nil {
		return f, err
	}
	f.Where, f.CreatedAt = strings.Trim(component+"#"+action, "#"), db.FromMicros(created)
	if err := json.Unmarshal([]byte(grouping), &f.Grouping); err != nil {
		return f, fmt.Errorf("read grouping of fault %d: %w", f.ID, err)
	}
	return f, nil
}
