package intakedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store/db"
)

const addScrubbed = `-- intakedb.addScrubbed
INSERT INTO scrubbed (project_id, day, kind, count)
SELECT k.project_id, k.day, k.kind, k.count FROM {{rows k(project_id bigint, day bigint, kind text, count bigint)}}
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = k.project_id)
ON CONFLICT (project_id, day, kind) DO UPDATE SET count = scrubbed.count + excluded.count`

// AddScrubbed adds to the counts of what was removed from events.
func (s *Store) AddScrubbed(ctx context.Context, all []scrub.Removed) error {
	var projects, days, counts []int64
	var kinds []string
	for _, c := range all {
		projects, days, kinds, counts = append(projects, c.ProjectID), append(days, db.Micros(c.Day)), append(kinds, c.Kind), append(counts, c.Count)
	}
	return s.inTx(ctx, "count scrubbed values", func(t Tx) error {
		t.KeepsCaches = true
		return t.Each(ctx, addScrubbed, projects, days, kinds, counts)
	})
}

const removedSince = `-- intakedb.Removed
SELECT kind, CAST(sum(count) AS bigint) FROM scrubbed WHERE project_id = $1 AND day >= $2 GROUP BY kind ORDER BY 2 DESC, kind`

// Removed returns how many values were removed from the events of a project since a day, by kind. The counts have no day.
func (s *Store) Removed(ctx context.Context, projectID int64, since time.Time) (all []scrub.Removed, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(removedSince), projectID, db.Micros(accounts.Day(since)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		c := scrub.Removed{ProjectID: projectID}
		err := rows.Scan(&c.Kind, &c.Count)
		all = append(all, c)
		return err
	})
	if err != nil {
		return nil, s.db.Explain(fmt.Errorf("count scrubbed values: %w", err))
	}
	return all, nil
}
