package store

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/sett"
)

// mostExplained is how many notices are looked at on each side of the last hour: the newest.
const mostExplained = 1_000

const facetsOfFault = `-- store.ExplainFault
SELECT p.facets FROM faults f CROSS JOIN fault_notices n JOIN notices p ON p.id = n.id
WHERE f.project_id = $1 AND f.id = $2 AND n.fault_id = f.id AND n.id >= $3 AND n.id < $4 ORDER BY n.id DESC LIMIT $5`

// ExplainFault returns what the notices of a fault have in common and what changed in the last hour, or a NotFound error.
func (s *Store) ExplainFault(ctx context.Context, now time.Time, projectID, faultID int64) (e sett.FaultExplanation, err error) {
	err = s.snapshot(ctx, "explain fault", func(q querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		hour := noticeIDAt(now.Add(-time.Hour))
		recent, err := s.facetsOf(ctx, q, projectID, faultID, hour, math.MaxInt64)
		if err != nil {
			return err
		}
		before, err := s.facetsOf(ctx, q, projectID, faultID, 0, hour)
		e = sett.Explain(recent, before)
		return err
	})
	return e, err
}

// facetsOf returns the facets of the newest notices of a fault that have an id from one up to another.
func (s *Store) facetsOf(ctx context.Context, q querier, projectID, faultID, from, to int64) (facets []string, err error) {
	rows, err := q.QueryContext(ctx, s.text(facetsOfFault), projectID, faultID, from, to, mostExplained)
	return facets, scanAll(rows, err, func(rows *sql.Rows) error {
		var f string
		err := rows.Scan(&f)
		facets = append(facets, f)
		return err
	})
}
