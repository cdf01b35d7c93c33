package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

// NoticePage says which part of the notices of a fault is asked for. Times are inclusive after, exclusive before.
type NoticePage struct {
	CreatedAfter  time.Time
	CreatedBefore time.Time
	Size          int           // most notices
	Offset        int           // how many to skip; not used with Before
	Before        sett.NoticeID // only older notices than this, the last of the page before; 0 for the first page
}

// noticeColumns are what scanNotice reads: n is the notice, b its backtrace, which may be missing.
const noticeColumns = `n.id, n.fault_id, n.token, n.payload, b.body`

const listNotices = `-- store.ListNotices
SELECT ` + noticeColumns + ` FROM faults f CROSS JOIN notices n LEFT JOIN backtraces b ON b.id = n.backtrace_id
WHERE f.project_id = $1 AND f.id = $2 AND n.fault_id = f.id AND n.id >= $3 AND n.id < $4 ORDER BY n.id DESC LIMIT $5 OFFSET $6`

// ListNotices returns a page of the notices of a fault, the newest first, and whether there are more. The error is
// NotFound when the project has no such fault.
func (s *Store) ListNotices(ctx context.Context, projectID, faultID int64, p NoticePage) (notices []sett.Notice, more bool, err error) {
	from, to := noticeIDAt(p.CreatedAfter), int64(1<<63-1)
	if !p.CreatedBefore.IsZero() {
		to = noticeIDAt(p.CreatedBefore)
	}
	if p.Before != 0 {
		to, p.Offset = min(to, int64(p.Before)), 0
	}
	err = s.snapshot(ctx, "list notices", func(q querier) error {
		owner, err := s.noticeOwner(ctx, q, projectID, faultID)
		if err != nil {
			return err
		}
		notices, err = s.notices(ctx, q, owner, listNotices, projectID, faultID, from, to, p.Size+1, p.Offset)
		return err
	})
	if more = len(notices) > p.Size; more {
		notices = notices[:p.Size]
	}
	return notices, more, err
}

// noticeOwner is what is needed of a fault and its project to read notices.
type noticeOwner struct {
	projectID   int64
	environment string
	searchField string
}

const findNoticeOwner = `-- store.noticeOwner
SELECT f.environment, p.user_search_field FROM faults f JOIN projects p ON p.id = f.project_id
WHERE f.project_id = $1 AND f.id = $2`

func (s *Store) noticeOwner(ctx context.Context, q querier, projectID, faultID int64) (noticeOwner, error) {
	o := noticeOwner{projectID: projectID}
	err := q.QueryRowContext(ctx, s.text(findNoticeOwner), projectID, faultID).Scan(&o.environment, &o.searchField)
	return o, notFound(err, "Fault", "find fault of notices")
}

// notices runs a statement that returns noticeColumns of one fault's notices, the newest first.
func (s *Store) notices(ctx context.Context, q querier, o noticeOwner, statement string, args ...any) ([]sett.Notice, error) {
	var notices []sett.Notice
	rows, err := q.QueryContext(ctx, s.text(statement), args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		n, err := scanNotice(rows, o)
		notices = append(notices, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return notices, s.setDeploys(ctx, q, o.projectID, o.environment, notices)
}

func scanNotice(rows *sql.Rows, o noticeOwner) (sett.Notice, error) {
	var id, faultID int64
	var token, payload, backtrace []byte
	if err := rows.Scan(&id, &faultID, &token, &payload, &backtrace); err != nil {
		return sett.Notice{}, err
	}
	var uuid sett.UUID
	copy(uuid[:], token)
	body, err := unpack(payload, backtrace)
	if err != nil {
		body = nil // NewNotice shows it as a notice without content
	}
	n := sett.NewNotice(sett.NoticeID(id), uuid, body, o.searchField)
	n.ProjectID, n.FaultID = o.projectID, faultID
	return n, nil
}

const findNotice = `-- store.NoticeByUUID
SELECT n.id, n.fault_id FROM notices n JOIN faults f ON f.id = n.fault_id
WHERE f.project_id = $1 AND n.id = coalesce((SELECT k.notice_id FROM notice_tokens k WHERE k.token = $2 AND k.project_id = $1), $3)`

const readNotice = `-- store.readNotice
SELECT ` + noticeColumns + ` FROM faults f JOIN notices n ON n.fault_id = f.id LEFT JOIN backtraces b ON b.id = n.backtrace_id
WHERE f.project_id = $1 AND n.id = $2`

// NoticeByUUID returns a notice of a project by its public id, or a NotFound error.
func (s *Store) NoticeByUUID(ctx context.Context, projectID int64, uuid sett.UUID) (notice sett.Notice, err error) {
	derived, ok := sett.NoticeIDFromUUID(uuid)
	if !ok {
		derived = 0 // the client made it; no notice has this key
	}
	err = s.snapshot(ctx, "find notice", func(q querier) error {
		var id, faultID int64
		if err := q.QueryRowContext(ctx, s.text(findNotice), projectID, uuid[:], int64(derived)).Scan(&id, &faultID); err != nil {
			return notFound(err, "Notice", "find notice by its public id")
		}
		owner, err := s.noticeOwner(ctx, q, projectID, faultID)
		if err != nil {
			return err
		}
		notices, err := s.notices(ctx, q, owner, readNotice, projectID, id)
		if err == nil {
			notice = notices[0]
		}
		return err
	})
	return notice, err
}
