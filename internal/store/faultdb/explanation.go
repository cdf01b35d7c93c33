package faultdb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/sett/triage"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// mostExplained is how many notices are compared: the newest of the last hour, and the newest before it. They are fewer if they lie too far apart.
const mostExplained = 200

// How many blocks are opened for the notices on each side: enough for a change, and few if there can be none.
const (
	explainedBlocks = triage.LeastEvidence
	fewBlocks       = 8
)

const facetsOfFault = `-- faultdb.ExplainFault
SELECT n.id, p.slot, p.bundle_id, p.facets FROM fault_notices n JOIN notices p ON p.id = n.id
WHERE n.fault_id = $1 AND n.id >= $2 AND n.id < $3 ORDER BY n.id DESC LIMIT $4`

// ExplainFault returns which values the notices of a fault have, also of some tags, and what changed in the last hour, or a NotFound error.
func (s *Store) ExplainFault(ctx context.Context, now time.Time, projectID, faultID int64, tags []string) (e triage.FaultExplanation, err error) {
	err = s.db.Snapshot(ctx, "explain fault", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.PartsOf(ctx, q, faultID)
		if err != nil {
			return err
		}
		hour := NoticeIDAt(now.Add(-time.Hour))
		recent, _, err := s.facetsOf(ctx, q, projectID, parts, tags, hour, math.MaxInt64, explainedBlocks)
		if err != nil {
			return err
		}
		blocks := fewBlocks
		if len(recent) >= triage.LeastEvidence {
			blocks = explainedBlocks
		}
		before, _, err := s.facetsOf(ctx, q, projectID, parts, tags, 0, hour, blocks)
		e = triage.Explain(recent, before, tags)
		return err
	})
	return e, err
}

// facetsOf returns the facets of the newest notices of a fault's parts, in a range of ids, and whether these are all.
func (s *Store) facetsOf(ctx context.Context, q db.Querier, projectID int64, parts []int64, tags []string, from, to int64, blocks int) (facets []string, all bool, err error) {
	var placed []block.Placed
	each, found := max(1, mostExplained/len(parts)), 0
	all = true
	for _, part := range parts {
		before := found
		rows, err := q.QueryContext(ctx, s.db.Text(facetsOfFault), part, from, to, each+1)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var p block.Placed
			var old string
			err := rows.Scan(&p.ID, &p.Slot, &p.Bundle, &old)
			if found++; found-before > each {
				all = false
				return err
			}
			if old != "" {
				facets = append(facets, old)
			} else {
				placed = append(placed, p)
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
	}
	more, err := s.block.Facets(ctx, q, projectID, placed, triage.ExplainedFacets(tags), blocks)
	facets = append(facets, more...)
	return facets, all && len(facets) == found, err
}
