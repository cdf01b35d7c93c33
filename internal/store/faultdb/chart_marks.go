package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

// MarksOf returns the marks on charts of projects between two times: the deploys in that time, and the outages that overlap it.
func (s *Store) MarksOf(ctx context.Context, projectIDs []int64, from, to time.Time) (marks stats.ChartMarks, err error) {
	err = s.db.Snapshot(ctx, "read marks of charts", func(q db.Querier) error {
		marks, err = s.marksOf(ctx, q, projectIDs, from, to)
		return err
	})
	return marks, err
}

func (s *Store) marksOf(ctx context.Context, q db.Querier, projectIDs []int64, from, to time.Time) (marks stats.ChartMarks, err error) {
	if marks.Deploys, err = s.deploysBetween(ctx, q, projectIDs, from, to); err != nil {
		return marks, err
	}
	marks.Outages, err = s.outagesBetween(ctx, q, projectIDs, from, to)
	return marks, err
}

const deploysBetween = `-- faultdb.deploysBetween
SELECT id, project_id, environment, revision, repository, local_username, created_at FROM deploys
WHERE created_at >= $1 AND created_at < $2 AND project_id IN `

func (s *Store) deploysBetween(ctx context.Context, q db.Querier, projects []int64, from, to time.Time) ([]faults.Deploy, error) {
	list, ids := db.In(s.db, 4, projects)
	args := append([]any{db.Micros(from), db.Micros(to), stats.MostChartMarks}, ids...)
	return s.deploys(ctx, q, deploysBetween+list+" ORDER BY created_at DESC, id DESC LIMIT $3", args...)
}

// Outages that ended before the start are not read.
const (
	outagesEnded = `-- faultdb.outagesBetween
SELECT s.project_id, s.uuid, s.name, o.down_at, o.up_at, o.reason FROM sites s JOIN outages o ON o.site_id = s.id
WHERE o.up_at > 0 AND o.up_at > $1 AND o.down_at < $2 AND s.project_id IN `

	outagesLasting = `
UNION ALL SELECT s.project_id, s.uuid, s.name, o.down_at, o.up_at, o.reason FROM sites s JOIN outages o ON o.site_id = s.id
WHERE o.up_at = 0 AND o.down_at < $2 AND s.project_id IN `
)

func (s *Store) outagesBetween(ctx context.Context, q db.Querier, projects []int64, from, to time.Time) (spans []stats.DownSpan, err error) {
	list, ids := db.In(s.db, 4, projects)
	args := append([]any{db.Micros(from), db.Micros(to), stats.MostChartMarks}, ids...)
	rows, err := q.QueryContext(ctx, s.db.Text(outagesEnded+list+outagesLasting+list+" ORDER BY 4 DESC, 2 LIMIT $3"), args...)
	return spans, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var span stats.DownSpan
		var uuid []byte
		var down, up int64
		if err := rows.Scan(&span.ProjectID, &uuid, &span.Name, &down, &up, &span.Reason); err != nil {
			return err
		}
		span.SubjectID, span.From, span.To = sett.UUID(uuid).String(), db.FromMicros(down), db.FromMicros(up)
		spans = append(spans, span)
		return nil
	})
}
