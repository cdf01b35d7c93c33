package fault

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/payload"
	"sett/internal/sett"
	"sett/internal/store/db"
)

const bodiesOfNotices = `-- store.NoticeBodies
SELECT ` + noticeColumns + ` FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id` + noticeParts

// NoticeBodies returns what was sent with notices of a project, by their ids. It leaves out those that are deleted or cannot be read.
func (s *Store) NoticeBodies(ctx context.Context, q db.Querier, projectID int64, ids []int64) (map[int64]payload.Body, error) {
	var found []noticeRow
	if err := s.db.ReadRows(ctx, q, bodiesOfNotices, scanNoticeRow(&found), ids); err != nil {
		return nil, db.Wrap("read notices", err)
	}
	if err := s.fillPayloads(ctx, q, projectID, found); err != nil {
		return nil, err
	}
	bodies := map[int64]payload.Body{}
	for i := range found {
		if body, err := found[i].body(); err == nil {
			bodies[found[i].id] = body
		}
	}
	return bodies, nil
}

// A fault that was ever assigned or unassigned stays as that left it.
const assignOwner = `-- store.assignOwner
UPDATE faults SET assignee_id = $3 WHERE id = (SELECT coalesce((SELECT m.into_id FROM merged_faults m WHERE m.id = $2), $2)) AND project_id = $1
AND assignee_id IS NULL AND NOT EXISTS (SELECT 1 FROM comments c WHERE c.fault_id = faults.id AND c.event IN ('assigned', 'unassigned'))
RETURNING id, environment`

// AssignOwner assigns a fault to the user whom the ownership rules name, and raises an alert, unless the fault is or was assigned.
func (t Tx) AssignOwner(ctx context.Context, now time.Time, projectID, faultID int64, to sett.Person) error {
	var f *sett.Fault
	rows, err := t.QueryContext(ctx, t.s.db.Text(assignOwner), projectID, faultID, to.ID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f = &sett.Fault{ProjectID: projectID}
		return rows.Scan(&f.ID, &f.Environment)
	})
	if err != nil || f == nil {
		return db.Wrap("assign owner", err)
	}
	if err := t.AddEntry(ctx, now, 0, sett.OwnedEntry(to.Called()), f.ID); err != nil {
		return err
	}
	a := sett.AssignedAlert(now, []sett.Fault{*f}, &to)
	a.Facts.ByRule = true
	return t.outbox().Raise(ctx, now, a)
}
