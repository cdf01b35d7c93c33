package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"sett/internal/store/db"
)

// NewestNotice is a notice and the fault that it belongs to.
type NewestNotice struct{ ID, Fault, Part int64 }

const recentParts = `-- faultdb.recentParts
SELECT c.fault_id, c.fault_id FROM (SELECT r.fault_id, r.last_notice_at FROM fault_counts r WHERE r.project_id = $1 ORDER BY r.last_notice_at DESC, r.fault_id DESC LIMIT $2) c
UNION ALL
SELECT c.fault_id, m.id FROM (SELECT r.fault_id FROM fault_counts r WHERE r.project_id = $1 ORDER BY r.last_notice_at DESC, r.fault_id DESC LIMIT $2) c
    JOIN merged_faults m ON m.into_id = c.fault_id`

const newestOfPart = `-- faultdb.newestOfPart
SELECT k.id FROM fault_notices k WHERE k.fault_id = $1 AND k.id > $2 ORDER BY k.id DESC LIMIT $3`

// mostRecentFaults is how many faults NewestNotices looks at: those that occurred last.
const mostRecentFaults = 5_000

// NewestNotices returns the newest notices of a project, the newest first. It holds no snapshot, so that it may take its time: what comes or goes meanwhile may be
// missing.
func (s *Store) NewestNotices(ctx context.Context, projectID int64, most int) (newest []NewestNotice, err error) {
	var parts []NewestNotice
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(recentParts), projectID, mostRecentFaults)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p NewestNotice
		err := rows.Scan(&p.Fault, &p.Part)
		parts = append(parts, p)
		return err
	})
	if err != nil {
		return nil, db.Wrap("find recent faults", err)
	}
	var after int64 // notices before it are not among the newest
	for _, p := range parts {
		ids, err := s.db.ListIDs(ctx, s.db.Read, newestOfPart, p.Part, after, most)
		if err != nil {
			return nil, db.Wrap("find newest notices", err)
		}
		for _, id := range ids {
			newest = append(newest, NewestNotice{id, p.Fault, p.Part})
		}
		if len(newest) >= 2*most {
			newest = newestFirst(newest, most)
			after = newest[len(newest)-1].ID
		}
	}
	return newestFirst(newest, most), nil
}

func newestFirst(all []NewestNotice, most int) []NewestNotice {
	slices.SortFunc(all, func(a, b NewestNotice) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(len(all), most)]
}
