package faultdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// FaultReasons returns why faults of a project need a user's attention; it omits faults that do not, and those of other projects.
func (s *Store) FaultReasons(ctx context.Context, now time.Time, projectID, userID int64, faultIDs []int64) (reasons map[int64][]triage.FaultReason, err error) {
	err = s.db.Snapshot(ctx, "read reasons of faults", func(q db.Querier) error {
		r, err := s.reasonReader(ctx, q, now, projectID, userID)
		if err == nil {
			reasons, err = r.reasons(ctx, faultIDs)
		}
		return err
	})
	return reasons, err
}

// reasonReader reads why faults of a project need attention.
type reasonReader struct {
	s             *Store
	q             db.Querier
	now           time.Time
	project, user int64
	fresh         triage.NewFaults
}

func (s *Store) reasonReader(ctx context.Context, q db.Querier, now time.Time, projectID, userID int64) (reasonReader, error) {
	fresh, err := s.NewFaults(ctx, q, projectID, now)
	return reasonReader{s, q, now, projectID, userID, fresh}, err
}

// signed is a fault with its signs.
type signed struct {
	id          int64
	environment string
	triage.FaultSigns
}

func (r reasonReader) reasons(ctx context.Context, faultIDs []int64) (map[int64][]triage.FaultReason, error) {
	faults, err := r.signs(ctx, faultIDs)
	reasons := map[int64][]triage.FaultReason{}
	for _, f := range faults {
		if why := f.Reasons(r.now); len(why) > 0 {
			reasons[f.id] = why
		}
	}
	return reasons, err
}

func (r reasonReader) signs(ctx context.Context, faultIDs []int64) (faults []*signed, err error) {
	if faults, err = r.faults(ctx, faultIDs); err != nil || len(faults) == 0 {
		return nil, err
	}
	if err := r.reopened(ctx, faults); err != nil {
		return nil, err
	}
	return faults, r.volumes(ctx, faults)
}

// The plus prevents SQLite, which does not know how many faults a project has, from reading all of them.
const signsOfFaults = `-- faultdb.signsOfFaults
SELECT f.id, f.environment, f.created_at, coalesce(f.assignee_id IN (SELECT CAST($2 AS bigint) UNION ALL SELECT -w.team_id FROM team_members w WHERE w.user_id = $2), false), f.resolved, f.ignored, f.paused_until, f.paused_count, c.notices_count
FROM faults f JOIN fault_counts c ON c.fault_id = f.id WHERE +f.project_id = $1 AND f.id IN `

func (r reasonReader) faults(ctx context.Context, faultIDs []int64) (faults []*signed, err error) {
	list, ids := db.In(r.s.db, 3, faultIDs)
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(signsOfFaults+list), append([]any{r.project, r.user}, ids...)...)
	return faults, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f := &signed{}
		var a ActiveFault
		var created, paused int64
		err := rows.Scan(&f.id, &f.environment, &created, &f.Assigned, &a.state.Resolved, &a.state.Ignored, &paused, &a.state.PausedCount, &a.Notices)
		a.state.PausedUntil = db.FromMicros(paused)
		f.NewSince = r.fresh.Of(f.environment)
		f.CreatedAt, f.Done = db.FromMicros(created), a.silent(r.now)
		faults = append(faults, f)
		return err
	})
}

const reopenedOf = `-- faultdb.reopenedOf
SELECT fault_id, max(created_at) FROM comments WHERE project_id = $1 AND event IN ('resolved', 'reopened') AND event = 'reopened' AND created_at >= $2
GROUP BY fault_id ORDER BY max(created_at) DESC, fault_id DESC LIMIT $3`

// mostReopened is how many recently reopened faults are read.
const mostReopened = 2_000

// reopenedFaults returns the recently reopened faults, latest first, and when each was reopened.
func (r reasonReader) reopenedFaults(ctx context.Context) (ids []int64, at map[int64]time.Time, err error) {
	at = map[int64]time.Time{}
	rows, err := r.q.QueryContext(ctx, r.s.db.Text(reopenedOf), r.project, db.Micros(r.now.Add(-triage.ReopenedFor)), mostReopened)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, us int64
		err := rows.Scan(&id, &us)
		ids, at[id] = append(ids, id), db.FromMicros(us)
		return err
	})
	return ids, at, err
}

func (r reasonReader) reopened(ctx context.Context, faults []*signed) error {
	_, at, err := r.reopenedFaults(ctx)
	for _, f := range faults {
		f.ReopenedAt = at[f.id]
	}
	return err
}

// volumes reads how often faults occurred. Few occur so often that they may be rising; only for these it reads the week.
func (r reasonReader) volumes(ctx context.Context, faults []*signed) error {
	faults = slices.DeleteFunc(slices.Clone(faults), func(f *signed) bool { return f.Done })
	faults, err := r.often(ctx, faults, time.Hour, r.now.Add(-time.Hour).Truncate(time.Hour))
	if err != nil {
		return err
	}
	if faults, err = r.often(ctx, faults, time.Minute, r.now.Truncate(time.Minute).Add(-59*time.Minute)); err != nil {
		return err
	}
	from, to := triage.RisingWeek(r.now)
	var ids []int64
	for _, f := range faults {
		ids = append(ids, f.id)
	}
	counts, err := r.s.NoticesBetween(ctx, r.q, from, to, ids)
	for _, f := range faults {
		f.Week = counts[f.id]
	}
	return err
}

// often reads the counts of the faults' buckets of a width, since the given time, into LastHour, and returns the faults that may be
// rising by that count.
func (r reasonReader) often(ctx context.Context, faults []*signed, width time.Duration, since time.Time) (may []*signed, err error) {
	var active []ActiveFault
	for _, f := range faults {
		active = append(active, ActiveFault{ID: f.id})
	}
	counts, err := r.s.FaultBuckets(ctx, r.q, width, Starts(since.Unix(), r.now.Unix()+1, seconds(width)), active)
	for _, f := range faults {
		f.LastHour = 0
		for _, n := range counts[f.id] {
			f.LastHour += n
		}
		if f.LastHour >= triage.RisingLeast {
			may = append(may, f)
		} else {
			f.LastHour = 0
		}
	}
	return may, err
}
