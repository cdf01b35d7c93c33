package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
)

// MarksOf returns what charts of the projects show between two times: deploys that were in them, and outages and misses
// of which any part was.
func (s *Store) MarksOf(ctx context.Context, projectIDs []int64, from, to time.Time) (marks sett.ChartMarks, err error) {
	err = s.snapshot(ctx, "read marks of charts", func(q querier) error {
		if marks.Deploys, err = s.deploysBetween(ctx, q, projectIDs, from, to); err != nil {
			return err
		}
		if marks.Outages, err = s.outagesBetween(ctx, q, projectIDs, from, to); err != nil {
			return err
		}
		marks.Misses, err = s.missesBetween(ctx, q, projectIDs, from, to)
		return err
	})
	return marks, err
}

const deploysBetween = `-- store.deploysBetween
SELECT id, project_id, environment, revision, repository, local_username, created_at FROM deploys
WHERE created_at >= $1 AND created_at < $2 AND project_id IN `

func (s *Store) deploysBetween(ctx context.Context, q querier, projects []int64, from, to time.Time) ([]sett.Deploy, error) {
	list, ids := in(4, projects)
	args := append([]any{micros(from), micros(to), sett.MostChartMarks}, ids...)
	return s.deploys(ctx, q, deploysBetween+list+" ORDER BY created_at DESC, id DESC LIMIT $3", args...)
}

// Of those that have ended, only the ones that ended since are looked at.
const (
	outagesEnded = `-- store.outagesBetween
SELECT s.project_id, s.uuid, s.name, o.down_at, o.up_at, o.reason FROM sites s JOIN outages o ON o.site_id = s.id
WHERE o.up_at > 0 AND o.up_at > $1 AND o.down_at < $2 AND s.project_id IN `

	outagesLasting = `
UNION ALL SELECT s.project_id, s.uuid, s.name, o.down_at, o.up_at, o.reason FROM sites s JOIN outages o ON o.site_id = s.id
WHERE o.up_at = 0 AND o.down_at < $2 AND s.project_id IN `
)

func (s *Store) outagesBetween(ctx context.Context, q querier, projects []int64, from, to time.Time) (spans []sett.DownSpan, err error) {
	list, ids := in(4, projects)
	args := append([]any{micros(from), micros(to), sett.MostChartMarks}, ids...)
	rows, err := q.QueryContext(ctx, s.text(outagesEnded+list+outagesLasting+list+" ORDER BY 4 DESC, 2 LIMIT $3"), args...)
	return spans, scanAll(rows, err, func(rows *sql.Rows) error {
		var span sett.DownSpan
		var uuid []byte
		var down, up int64
		if err := rows.Scan(&span.ProjectID, &uuid, &span.Name, &down, &up, &span.Reason); err != nil {
			return err
		}
		span.SubjectID, span.From, span.To = sett.UUID(uuid).String(), fromMicros(down), fromMicros(up)
		spans = append(spans, span)
		return nil
	})
}

const turnsOfProjects = `-- store.turnsOfProjects
SELECT c.project_id, c.id, coalesce(nullif(c.name, ''), c.slug), t.at, t.state FROM check_ins c JOIN check_in_turns t ON t.check_in = c.number
WHERE c.project_id IN `

// missesBetween reads all turns of the check-ins, of which there are not many: they are folded.
func (s *Store) missesBetween(ctx context.Context, q querier, projects []int64, from, to time.Time) (spans []sett.DownSpan, err error) {
	type key struct {
		project  int64
		id, name string
	}
	turns := map[key][]sett.CheckInTurn{}
	list, ids := in(1, projects)
	rows, err := q.QueryContext(ctx, s.text(turnsOfProjects+list+" ORDER BY t.check_in, t.id"), ids...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var k key
		var t sett.CheckInTurn
		var at int64
		err := rows.Scan(&k.project, &k.id, &k.name, &at, &t.State)
		t.At = fromMicros(at)
		turns[k] = append(turns[k], t)
		return err
	})
	for k, of := range turns {
		for _, span := range sett.MissSpans(of, from, to) {
			span.ProjectID, span.SubjectID, span.Name = k.project, k.id, k.name
			spans = append(spans, span)
		}
	}
	slices.SortFunc(spans, sett.DownSpan.Newer)
	return spans[:min(len(spans), sett.MostChartMarks)], err
}
