package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// Part is what is known of the notices that are stored under one id: that of a fault, or of one that was merged into another.
type Part struct {
	ID          int64
	FaultID     int64 // the fault that they belong to now
	Class       string
	Component   string
	Action      string
	Environment string
}

const partsKnown = `-- faultdb.ReadParts
SELECT id, id, class, component, action, environment FROM faults WHERE project_id = $1 AND id IN `

const partsMerged = `
UNION ALL SELECT id, into_id, class, component, action, environment FROM merged_faults WHERE project_id = $1 AND id IN `

// ReadParts returns those of some parts that a project has.
func (s *Store) ReadParts(ctx context.Context, q db.Querier, projectID int64, ids []int64) (parts []Part, err error) {
	list, args := db.In(s.db, 2, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(partsKnown+list+partsMerged+list), append([]any{projectID}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p Part
		err := rows.Scan(&p.ID, &p.FaultID, &p.Class, &p.Component, &p.Action, &p.Environment)
		parts = append(parts, p)
		return err
	})
	return parts, db.Wrap("read faults of notices", err)
}

const searchFieldOf = `-- faultdb.searchFieldOf
SELECT user_search_field FROM projects WHERE id = $1`

// ReadSent returns notices of a project with what was sent with them, by their ids. It leaves out those that are deleted, and those in object
// storage that does not respond. Their faults and deploys are not set.
func (s *Store) ReadSent(ctx context.Context, q db.Querier, projectID int64, ids []int64) (map[int64]faults.Notice, error) {
	o := noticeOwner{projectID: projectID}
	if err := q.QueryRowContext(ctx, s.db.Text(searchFieldOf), projectID).Scan(&o.searchField); err != nil {
		return nil, db.Wrap("read the user field of a project", err)
	}
	var found []noticeRow
	if err := s.db.ReadRows(ctx, q, bodiesOfNotices, scanNoticeRow(&found), ids); err != nil {
		return nil, db.Wrap("read notices", err)
	}
	if err := s.fillPayloads(ctx, q, projectID, found); err != nil && sett.CodeOf(err) != sett.Unavailable {
		return nil, db.Wrap("read what was sent with notices", err)
	}
	notices := make(map[int64]faults.Notice, len(found))
	for _, r := range found {
		if len(r.payload) > 0 {
			notices[r.id] = r.notice(o)
		}
	}
	return notices, nil
}

const deploysDuring = findDeploys + " AND created_at >= $2 AND created_at < $3 ORDER BY created_at, id"

// ReadDeploys returns the deploys of a project of a time, the oldest first.
func (s *Store) ReadDeploys(ctx context.Context, q db.Querier, projectID int64, from, to time.Time) ([]faults.Deploy, error) {
	found, err := s.deploys(ctx, q, deploysDuring, projectID, db.Micros(from), db.Micros(to))
	return found, db.Wrap("read deploys", err)
}
