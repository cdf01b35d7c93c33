package intakedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

const addDiscards = `-- intakedb.addDiscards
INSERT INTO discards (project_id, day, source, category, reason, count, detail)
SELECT k.project_id, k.day, k.source, k.category, k.reason, k.count, k.detail
FROM {{rows k(project_id bigint, day bigint, source text, category text, reason text, count bigint, detail text)}}
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
ON CONFLICT (project_id, day, source, category, reason) DO UPDATE SET count = discards.count + excluded.count,
  detail = CASE excluded.detail WHEN '' THEN discards.detail ELSE excluded.detail END`

// AddDiscards adds to the counts of what was not stored.
func (s *Store) AddDiscards(ctx context.Context, all []stats.Discard) error {
	var projects, days, counts []int64
	var sources, categories, reasons, details []string
	for _, d := range all {
		projects, days, counts = append(projects, d.ProjectID), append(days, db.Micros(d.Day)), append(counts, d.Count)
		sources, categories, reasons = append(sources, string(d.Source)), append(categories, d.Category), append(reasons, d.Reason)
		details = append(details, d.Detail)
	}
	return s.inTx(ctx, "count discards", func(t Tx) error {
		t.KeepsCaches = true
		return t.Each(ctx, addDiscards, projects, days, sources, categories, reasons, counts, details)
	})
}

const accountDiscards = `-- intakedb.AccountDiscards
SELECT 0, 0, d.source, d.category, d.reason, CAST(sum(d.count) AS bigint), max(d.detail) FROM projects p CROSS JOIN discards d
WHERE p.account_id = $1 AND d.project_id = p.id AND d.day >= $2 AND d.day <= $3
GROUP BY d.source, d.category, d.reason ORDER BY d.source, 6 DESC, d.category, d.reason`

// AccountDiscards returns what was not stored of an account in the month of now, of all of its projects together: the most frequent first,
// what clients report before what the server dropped.
func (s *Store) AccountDiscards(ctx context.Context, accountID string, now time.Time) ([]stats.Discard, error) {
	return s.discards(ctx, accountDiscards, accountID, db.Micros(accounts.Month(now)), db.Micros(accounts.Day(now)))
}

const projectDiscards = `-- intakedb.ProjectDiscards
SELECT project_id, day, source, category, reason, count, detail FROM discards WHERE project_id = $1 AND day >= $2 AND day <= $3
ORDER BY day DESC, source, count DESC, category, reason`

// ProjectDiscards returns what was not stored of a project on each day of the month of now, the last day first.
func (s *Store) ProjectDiscards(ctx context.Context, projectID int64, now time.Time) ([]stats.Discard, error) {
	return s.discards(ctx, projectDiscards, projectID, db.Micros(accounts.Month(now)), db.Micros(accounts.Day(now)))
}

func (s *Store) discards(ctx context.Context, statement string, args ...any) (all []stats.Discard, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var d stats.Discard
		var day int64
		err := rows.Scan(&d.ProjectID, &day, &d.Source, &d.Category, &d.Reason, &d.Count, &d.Detail)
		if day > 0 {
			d.Day = db.FromMicros(day)
		}
		all = append(all, d)
		return err
	})
	return all, s.db.Explain(db.Wrap("read discards", err))
}
