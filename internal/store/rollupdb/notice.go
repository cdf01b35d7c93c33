package rollupdb

import (
	"context"
	"database/sql"

	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// notRolledUp reads the next notices of a node; only the first notice of each bundle has its body.
const notRolledUp = `-- rollupdb.notRolledUp
SELECT n.id, n.fault_id, coalesce(p.account_id, ''), coalesce(f.project_id, m.project_id, 0), coalesce(f.environment, m.environment, ''), n.token,
    n.bundle_id, n.slot, CASE WHEN row_number() OVER (PARTITION BY n.bundle_id ORDER BY n.id) = 1 THEN u.body END
FROM notices n LEFT JOIN bundles u ON u.id = n.bundle_id LEFT JOIN faults f ON f.id = n.fault_id
LEFT JOIN merged_faults m ON m.id = n.fault_id LEFT JOIN projects p ON p.id = coalesce(f.project_id, m.project_id)
WHERE n.id > $1 AND (CAST($2 AS bigint) = $3 AND n.id % $4 <> $5 OR n.id % $4 = $2) ORDER BY n.id LIMIT 2000`

// readNotices reads the next notices that a node stored, with everything that is counted of them. Of a notice whose payload
// is damaged nothing is counted but the notice: the server has to start, and counts the others.
func (s *Store) readNotices(ctx context.Context, from sett.NoticeID, node int64) (all []Notice, err error) {
	err = s.db.Snapshot(ctx, "read notices to count", func(q db.Querier) (err error) {
		all, err = s.readNoticesIn(ctx, q, from, node)
		return err
	})
	return all, err
}

func (s *Store) readNoticesIn(ctx context.Context, q db.Querier, from sett.NoticeID, node int64) (all []Notice, err error) {
	bundles := map[int64][][]byte{}
	compacted := map[int64][]int64{} // project → notices that are in no bundle
	rows, err := q.QueryContext(ctx, s.db.Text(notRolledUp), int64(from), node, int64(sett.FileNode), int64(sett.MaxNodes), int64(sett.ImportNode))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var n Notice
		var bundle int64
		var slot int
		var token, body []byte
		if err := rows.Scan(&n.ID, &n.Fault, &n.Account, &n.Project, &n.Environment, &token, &bundle, &slot, &body); err != nil {
			return err
		}
		copy(n.Token[:], token)
		if body != nil {
			bundles[bundle], _ = block.OpenBundle(body)
		}
		if of := bundles[bundle]; slot < len(of) {
			n.Facts = factsIn(of[slot])
		} else if n.Project != 0 {
			compacted[n.Project] = append(compacted[n.Project], int64(n.ID))
		}
		all = append(all, n)
		return nil
	})
	if err != nil || len(compacted) == 0 {
		return all, err
	}
	for project, ids := range compacted {
		payloads, err := s.block.Payloads(ctx, q, project, ids)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if payload, ok := payloads[int64(all[i].ID)]; ok {
				all[i].Facts = factsIn(payload)
			}
		}
	}
	return all, nil
}

// factsIn returns the facts of a stored payload, or none if it is damaged.
func factsIn(payload []byte) faultdb.Facts {
	opened, err := faultdb.OpenPayload(payload)
	if err != nil {
		return faultdb.Facts{}
	}
	return opened.Facts
}
