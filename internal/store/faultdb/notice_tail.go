package faultdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// noticesAfter reads the notices of all projects in order of arrival, so it is only suitable for short times.
const noticesAfter = `-- faultdb.NoticesAfter
SELECT n.id, f.id, f.class, f.message, f.component, f.action, f.environment
FROM notices n LEFT JOIN merged_faults m ON m.id = n.fault_id CROSS JOIN faults f
WHERE n.id > $1 AND f.id = coalesce(m.into_id, n.fault_id) AND f.project_id = $2 ORDER BY n.id DESC LIMIT $3`

// NoticesAfter returns the newest notices of a project that came after the given one, newest first.
func (s *Store) NoticesAfter(ctx context.Context, projectID int64, after sett.NoticeID, limit int) (found []faults.TailedNotice, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(noticesAfter), int64(after), projectID, limit)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var n faults.TailedNotice
		var id int64
		err := rows.Scan(&id, &n.FaultID, &n.Class, &n.Message, &n.Component, &n.Action, &n.Environment)
		n.Key = sett.NoticeID(id)
		found = append(found, n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read notices that came in: %w", err)
	}
	return found, nil
}

// NewestBody is what was sent with the newest notice of a fault.
type NewestBody struct {
	FaultID int64
	Class   string
	payload.Body
}

const newestBodies = `-- faultdb.NewestBodies
SELECT f.id, f.class, ` + noticeColumns + ` FROM (
    SELECT c.fault_id, (SELECT max(k.id) FROM fault_notices k WHERE k.fault_id = c.fault_id) AS notice_id
    FROM fault_counts c WHERE c.project_id = $1 ORDER BY c.last_notice_at DESC, c.fault_id DESC LIMIT $2
) l JOIN faults f ON f.id = l.fault_id JOIN notices n ON n.id = l.notice_id` + noticeParts + ` ORDER BY n.id DESC`

// NewestBodies returns what was sent with the newest notice of each of the faults of a project that occurred last, newest first. It leaves
// out notices that cannot be read.
func (s *Store) NewestBodies(ctx context.Context, projectID int64, most int) (bodies []NewestBody, err error) {
	var found []noticeRow
	err = s.db.Snapshot(ctx, "read newest notices", func(q db.Querier) error {
		found, bodies = nil, nil
		rows, err := q.QueryContext(ctx, s.db.Text(newestBodies), projectID, most)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var r noticeRow
			var of NewestBody
			err := rows.Scan(&of.FaultID, &of.Class, &r.id, &r.token, &r.slot, &r.bundle, &r.backtrace)
			found, bodies = append(found, r), append(bodies, of)
			return err
		})
		if err != nil {
			return err
		}
		return s.fillPayloads(ctx, q, projectID, found)
	})
	if err != nil {
		return nil, fmt.Errorf("read newest notices: %w", err)
	}
	readable := bodies[:0]
	for i, r := range found {
		body, err := r.body()
		if err == nil {
			of := bodies[i]
			of.Body = body
			readable = append(readable, of)
		}
	}
	return readable, nil
}

const bodiesOfNotices = `-- faultdb.Sent
SELECT ` + noticeColumns + ` FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id` + noticeParts

// Sent is what was sent with a notice, or why it cannot be read.
type Sent struct {
	ID     int64
	Public sett.UUID // the id that people know it by
	Facts  Facts
	payload.Body
	Err error
}

// Sent returns what was sent with notices of a project. It leaves out those that are deleted, and those that were damaged when they were moved to their
// block, of which nothing is left.
func (s *Store) Sent(ctx context.Context, q db.Querier, projectID int64, ids []int64) (sent []Sent, err error) {
	var found []noticeRow
	if err := s.db.ReadRows(ctx, q, bodiesOfNotices, scanNoticeRow(&found), ids); err != nil {
		return nil, db.Wrap("read notices", err)
	}
	err = s.fillPayloads(ctx, q, projectID, found)
	for _, r := range found {
		if r.payload == nil || len(r.payload) > 0 {
			body, unread := r.body()
			o, _ := OpenPayload(r.payload) // what cannot be read has no facts, and unread says why
			sent = append(sent, Sent{r.id, r.public(), o.Facts, body, unread})
		}
	}
	return sent, db.Wrap("read what was sent with notices", err)
}

// NoticeBodies returns what was sent with notices of a project, by their ids. It leaves out those that are deleted or cannot be read, also
// because object storage does not respond.
func (s *Store) NoticeBodies(ctx context.Context, q db.Querier, projectID int64, ids []int64) (map[int64]payload.Body, error) {
	sent, err := s.Sent(ctx, q, projectID, ids)
	if err != nil && sett.CodeOf(err) != sett.Unavailable {
		return nil, err
	}
	bodies := map[int64]payload.Body{}
	for _, n := range sent {
		if n.Err == nil {
			bodies[n.ID] = n.Body
		}
	}
	return bodies, nil
}

// SentBodies is NoticeBodies outside of a snapshot.
func (s *Store) SentBodies(ctx context.Context, projectID int64, ids []int64) (bodies map[int64]payload.Body, err error) {
	err = s.db.Snapshot(ctx, "read what was sent with notices", func(q db.Querier) error {
		bodies, err = s.NoticeBodies(ctx, q, projectID, ids)
		return err
	})
	return bodies, err
}
