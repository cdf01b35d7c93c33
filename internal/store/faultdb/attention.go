package faultdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// mostRising is how many of the faults with the newest notices are checked for rising ones.
const mostRising = 200

// NeedsAttention returns at most limit faults of a project that need a user's attention: first new ones, then reopened, then rising ones,
// then those assigned to the user. Within each group, faults with the newest notices come first.
func (s *Store) NeedsAttention(ctx context.Context, now time.Time, projectID, userID int64, limit int) (found []triage.AttentionFault, err error) {
	err = s.db.Snapshot(ctx, "look for what needs attention", func(q db.Querier) error {
		r, err := s.reasonReader(ctx, q, now, projectID, userID)
		if err != nil {
			return err
		}
		ids, err := r.candidates(ctx, limit)
		if err != nil {
			return err
		}
		reasons, err := r.reasons(ctx, ids)
		if err != nil {
			return err
		}
		found, err = r.attention(ctx, reasons, limit)
		return err
	})
	return found, err
}

const newFaultIDs = `-- faultdb.newFaultIDs
SELECT id FROM faults WHERE project_id = $1 AND resolved = false AND ignored = false AND created_at >= $2 ORDER BY created_at DESC LIMIT $3`

const assignedFaultIDs = `-- faultdb.assignedFaultIDs
SELECT f.id FROM faults f JOIN fault_counts c ON c.fault_id = f.id
WHERE f.assignee_id IN ` + AssigneesOf + ` AND f.project_id = $2 AND f.resolved = false AND f.ignored = false ORDER BY c.last_notice_at DESC LIMIT $3`

// candidates returns the faults that may have a reason: for each reason more than may be wanted, because some may be paused or deployed
// since.
func (r reasonReader) candidates(ctx context.Context, limit int) ([]int64, error) {
	most := 4 * limit
	fresh, err := r.s.db.ListIDs(ctx, r.q, newFaultIDs, r.project, db.Micros(r.now.Add(-triage.NewAtMostFor)), most)
	if err != nil {
		return nil, err
	}
	reopened, _, err := r.reopenedFaults(ctx)
	if err != nil {
		return nil, err
	}
	active, err := r.s.ActiveFaults(ctx, r.q, r.now, r.project, r.now.Add(-time.Hour), mostRising)
	if err != nil {
		return nil, err
	}
	mine, err := r.s.db.ListIDs(ctx, r.q, assignedFaultIDs, r.user, r.project, most)
	ids := slices.Concat(fresh, reopened[:min(len(reopened), most)], FaultIDs(active), mine)
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// The plus prevents SQLite, which does not know how many faults a project has, from reading all of them.
var faultsByReason = `-- faultdb.attention
SELECT ` + Columns + `
FROM faults f JOIN fault_counts c ON c.fault_id = f.id LEFT JOIN users u ON u.id = f.assignee_id WHERE +f.project_id = $1 AND f.id IN `

// attention reads the faults that have reasons, and sorts them.
func (r reasonReader) attention(ctx context.Context, reasons map[int64][]triage.FaultReason, limit int) ([]triage.AttentionFault, error) {
	list, ids := db.In(r.s.db, 2, db.Sorted(reasons, cmp.Compare[int64]))
	faults, err := r.s.faultRows(ctx, r.q, faultsByReason+list, append([]any{r.project}, ids...)...)
	if err != nil {
		return nil, err
	}
	var found []triage.AttentionFault
	for _, f := range faults {
		found = append(found, triage.AttentionFault{Fault: f, Reasons: reasons[f.ID]})
	}
	slices.SortFunc(found, triage.AttentionFault.MorePressing)
	return found[:min(len(found), limit)], nil
}

// faultRows runs a statement that returns Columns.
func (s *Store) faultRows(ctx context.Context, q db.Querier, statement string, args ...any) (faults []faults.Fault, err error) {
	scan := Scanner()
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scan)
}
