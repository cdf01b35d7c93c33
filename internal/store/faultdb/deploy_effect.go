package faultdb

import (
	"context"
	"database/sql"
	"math"
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/db"
)

// DeployEffects returns the effects of deploys of a project, by deploy id.
func (s *Store) DeployEffects(ctx context.Context, projectID int64, deploys []faults.Deploy) (effects map[int64]faults.DeployEffect, err error) {
	err = s.db.Snapshot(ctx, "read effects of deploys", func(q db.Querier) error {
		r := effectReader{s: s, q: q, project: projectID, deploys: deploys, effects: map[int64]*faults.DeployEffect{}}
		for _, d := range deploys {
			r.effects[d.ID] = &faults.DeployEffect{}
		}
		for _, part := range []func(context.Context) error{r.until, r.counts, r.hours} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		effects = map[int64]faults.DeployEffect{}
		for id, e := range r.effects {
			effects[id] = *e
		}
		return nil
	})
	return effects, err
}

type effectReader struct {
	s       *Store
	q       db.Querier
	project int64
	deploys []faults.Deploy
	effects map[int64]*faults.DeployEffect
}

const nextDeploys = `-- faultdb.nextDeploys
SELECT k.id, coalesce((SELECT d.created_at FROM deploys d
    WHERE d.project_id = k.project_id AND (d.created_at, d.id) > (k.at, k.id) AND (k.environment = '' OR d.environment IN (k.environment, ''))
    ORDER BY d.created_at, d.id LIMIT 1), 0)
FROM {{rows k(id bigint, project_id bigint, at bigint, environment text)}}`

func (r effectReader) until(ctx context.Context) error {
	ids, ats, environments, _ := r.columns()
	return r.s.db.ReadRows(ctx, r.q, nextDeploys, func(rows *sql.Rows) error {
		var id, at int64
		err := rows.Scan(&id, &at)
		r.effects[id].Until = db.FromMicros(at)
		return err
	}, ids, slices.Repeat([]int64{r.project}, len(ids)), ats, environments)
}

// columns returns the deploys as columns; sentences are their entries in the histories of faults.
func (r effectReader) columns() (ids, ats []int64, environments, sentences []string) {
	for _, d := range r.deploys {
		ids, ats = append(ids, d.ID), append(ats, db.Micros(d.CreatedAt))
		environments, sentences = append(environments, d.Environment), append(sentences, release.DeployedEntry(d).Body)
	}
	return ids, ats, environments, sentences
}

const deployEffects = `-- faultdb.DeployEffects
SELECT k.id, (SELECT count(*) FROM comments c WHERE c.project_id = k.project_id AND c.event IN ('resolved', 'reopened')
    AND c.event = 'resolved' AND c.source = 'system' AND c.body = k.sentence AND c.created_at >= k.at AND c.created_at < k.until),
(SELECT count(*) FROM faults f WHERE f.project_id = k.project_id AND f.created_at >= k.at AND f.created_at < k.until
    AND (k.environment = '' OR f.environment = k.environment)),
(SELECT count(*) FROM comments c JOIN faults f ON f.id = c.fault_id WHERE c.project_id = k.project_id AND c.event IN ('resolved', 'reopened')
    AND c.event = 'reopened' AND c.created_at >= k.at AND c.created_at < k.until AND (k.environment = '' OR f.environment = k.environment))
FROM {{rows k(id bigint, project_id bigint, at bigint, until bigint, environment text, sentence text)}}`

func (r effectReader) counts(ctx context.Context) error {
	ids, ats, environments, sentences := r.columns()
	var until []int64
	for _, id := range ids {
		if next := r.effects[id].Until; next.IsZero() {
			until = append(until, math.MaxInt64)
		} else {
			until = append(until, db.Micros(next))
		}
	}
	return r.s.db.ReadRows(ctx, r.q, deployEffects, func(rows *sql.Rows) error {
		var id int64
		var e faults.DeployEffect
		err := rows.Scan(&id, &e.Resolved, &e.New, &e.Reopened)
		known := r.effects[id]
		known.Resolved, known.New, known.Reopened = e.Resolved, e.New, e.Reopened
		return err
	}, ids, slices.Repeat([]int64{r.project}, len(ids)), ats, until, environments, sentences)
}

const projectMinutes = `-- faultdb.projectMinutes
WITH RECURSIVE m(at) AS (SELECT -3600 UNION ALL SELECT at + 60 FROM m WHERE at < 3540)
SELECT k.id, CAST(coalesce(sum(CASE WHEN m.at < 0 THEN b.count END), 0) AS bigint), CAST(coalesce(sum(CASE WHEN m.at >= 0 THEN b.count END), 0) AS bigint)
FROM {{rows k(id bigint, project_id bigint, at bigint, environment text)}} CROSS JOIN m CROSS JOIN project_buckets b
WHERE b.width = 60 AND b.at = k.at + m.at AND b.project_id = k.project_id AND (k.environment = '' OR b.environment = k.environment)
GROUP BY k.id`

// hours sums the minutes around each deploy.
func (r effectReader) hours(ctx context.Context) error {
	ids, _, environments, _ := r.columns()
	var minutes []int64
	for _, d := range r.deploys {
		minutes = append(minutes, d.CreatedAt.Unix()/Minute*Minute)
	}
	return r.s.db.ReadRows(ctx, r.q, projectMinutes, func(rows *sql.Rows) error {
		var id, before, after int64
		err := rows.Scan(&id, &before, &after)
		r.effects[id].HourBefore, r.effects[id].HourAfter = before, after
		return err
	}, ids, slices.Repeat([]int64{r.project}, len(ids)), minutes, environments)
}
