package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

const refuseCheckIns = `-- uptimedb.refuseCheckIns
INSERT INTO refused_check_ins (project_id, slug, reason, why, count, first_at, last_at)
SELECT k.project_id, k.slug, k.reason, k.why, k.count, k.first_at, k.last_at
FROM {{rows k(project_id bigint, slug text, reason text, why text, count bigint, first_at bigint, last_at bigint)}}
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
  AND (EXISTS (SELECT 1 FROM refused_check_ins r WHERE r.project_id = k.project_id AND r.slug = k.slug)
    OR (SELECT count(*) FROM refused_check_ins r WHERE r.project_id = k.project_id) < %d)
ON CONFLICT (project_id, slug) DO UPDATE SET
  reason = excluded.reason, why = excluded.why, count = refused_check_ins.count + excluded.count, last_at = excluded.last_at`

// RefuseCheckIns adds reports about jobs that were refused, each slug of a project once. Beyond stats.MostRefusedCheckIns of a project, further
// slugs are left out.
func (s *Store) RefuseCheckIns(ctx context.Context, all []stats.RefusedCheckIn) error {
	var projects, counts, first, last []int64
	var slugs, reasons, whys []string
	for _, r := range all {
		projects, counts = append(projects, r.ProjectID), append(counts, r.Count)
		first, last = append(first, db.Micros(r.FirstAt)), append(last, db.Micros(r.LastAt))
		slugs, reasons, whys = append(slugs, r.Slug), append(reasons, r.Reason), append(whys, r.Why)
	}
	return s.inTx(ctx, "keep refused check-ins", func(t Tx) error {
		t.KeepsCaches = true
		return t.Each(ctx, fmt.Sprintf(refuseCheckIns, stats.MostRefusedCheckIns), projects, slugs, reasons, whys, counts, first, last)
	})
}

// A slug that had no check-in may have one by now.
const refusedCheckIns = `-- uptimedb.refusedCheckIns
SELECT project_id, slug, reason, why, count, first_at, last_at FROM refused_check_ins r
WHERE project_id = $1 AND last_at >= $2
  AND NOT (reason = 'no_check_in' AND EXISTS (SELECT 1 FROM check_ins c WHERE c.project_id = r.project_id AND c.slug = r.slug))
ORDER BY last_at DESC, slug`

// RefusedCheckIns returns what was refused of a project's reports about jobs in the last 30 days, the newest first.
func (s *Store) RefusedCheckIns(ctx context.Context, now time.Time, projectID int64) (all []stats.RefusedCheckIn, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(refusedCheckIns), projectID, db.Micros(now.Add(-stats.KeepRefusedCheckIns)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var r stats.RefusedCheckIn
		var first, last int64
		err := rows.Scan(&r.ProjectID, &r.Slug, &r.Reason, &r.Why, &r.Count, &first, &last)
		r.FirstAt, r.LastAt = db.FromMicros(first), db.FromMicros(last)
		all = append(all, r)
		return err
	})
	return all, s.db.Explain(db.Wrap("read refused check-ins", err))
}

const forgetRefused = `-- uptimedb.forgetRefused
DELETE FROM refused_check_ins WHERE project_id = $1 AND slug = $2`

// forgetRefused deletes what was refused about the check-in of a slug, as a report about it was taken.
func (t Tx) forgetRefused(ctx context.Context, projectID int64, slug string) error {
	_, err := t.Changed(ctx, forgetRefused, projectID, slug)
	return err
}

const pruneRefusedCheckIns = `-- uptimedb.pruneRefusedCheckIns
DELETE FROM refused_check_ins WHERE (project_id, slug) IN (SELECT project_id, slug FROM refused_check_ins WHERE last_at < $1 LIMIT $2)`

func (s *Store) pruneRefusedCheckIns(ctx context.Context, now time.Time) error {
	old := db.Micros(now.Add(-stats.KeepRefusedCheckIns))
	return s.sweep(ctx, "prune refused check-ins", db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, pruneRefusedCheckIns, old, db.RowsAtOnce)
	})
}
