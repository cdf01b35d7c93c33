package faultdb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// NoticePage selects a page of the notices of a fault. Times are inclusive after, exclusive before.
type NoticePage struct {
	CreatedAfter  time.Time
	CreatedBefore time.Time
	sett.Page
}

// noticeMark is the end of a page of notices. The pages before and after it show the list as it was when the first page was read: without
// newer notices.
type noticeMark struct{ newest, id int64 }

// span returns the range of ids of the page's rows: [from, to).
func (p NoticePage) span(at noticeMark) (from, to int64) {
	from, to = NoticeIDAt(p.CreatedAfter), math.MaxInt64
	if !p.CreatedBefore.IsZero() {
		to = NoticeIDAt(p.CreatedBefore)
	}
	switch {
	case p.Back:
		return max(from, at.id), min(to, at.newest+1)
	case p.Mark != "":
		return from, min(to, at.id)
	}
	return from, to
}

// NoticeIDAt returns the smallest id of a notice accepted at or after t, or 0 for the zero time. Ids range from 1970 to 2112; times
// outside count as the nearest time with an id.
func NoticeIDAt(t time.Time) int64 {
	const last = (1<<63 - 1) / sett.MaxNodes // µs
	if t.IsZero() {
		return 0
	}
	return int64(sett.NoticeIDAt(time.UnixMicro(min(max(t.UnixMicro(), 1), last))))
}

// noticeColumns are the columns that scanNoticeRow reads: n is the notice. noticeParts joins its bundle and its backtrace, either of which
// may be missing.
const (
	noticeColumns = `n.id, n.token, n.slot, u.body, b.body`
	noticeParts   = ` LEFT JOIN bundles u ON u.id = n.bundle_id LEFT JOIN backtraces b ON b.id = n.backtrace_id`
)

const noticesOfFault = `-- faultdb.ListNotices
SELECT ` + noticeColumns + ` FROM faults f CROSS JOIN fault_notices k CROSS JOIN notices n` + noticeParts + `
WHERE f.project_id = $1 AND f.id = $2 AND k.fault_id = $3 AND k.id >= $4 AND k.id < $5 AND n.id = k.id`

const (
	listNotices     = noticesOfFault + " ORDER BY k.id DESC LIMIT $6 OFFSET $7"
	listNoticesBack = noticesOfFault + " ORDER BY k.id LIMIT $6 OFFSET $7"
)

// ListNotices returns a page of the notices of a fault, newest first, and its cursors. The error is NotFound if the project has no such
// fault, and Invalid for an invalid cursor.
func (s *Store) ListNotices(ctx context.Context, projectID, faultID int64, p NoticePage) (notices []faults.Notice, marks sett.Marks, err error) {
	var at noticeMark
	statement := listNotices
	if p.Back {
		statement = listNoticesBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at.newest, &at.id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list notices", func(q db.Querier) error {
		owner, parts, err := s.ownerAndParts(ctx, q, projectID, faultID)
		if err != nil {
			return err
		}
		if p.Mark == "" {
			if at.newest, err = s.newestNotice(ctx, q, parts); err != nil {
				return err
			}
		}
		if notices, err = s.noticesOf(ctx, q, owner, statement, parts, p, at); err != nil {
			return err
		}
		notices, marks = sett.Cut(p.Page, notices, func(n faults.Notice) string { return db.FormatMark(at.newest, int64(n.Key)) })
		return s.setDeploys(ctx, q, projectID, owner.environment, notices)
	})
	return notices, marks, err
}

// noticeOwner is the part of a fault and its project that reading notices requires.
type noticeOwner struct {
	projectID   int64
	faultID     int64
	environment string
	searchField string
}

const findNoticeOwner = `-- faultdb.noticeOwner
SELECT f.environment, p.user_search_field FROM faults f JOIN projects p ON p.id = f.project_id
WHERE f.project_id = $1 AND f.id = $2`

func (s *Store) noticeOwner(ctx context.Context, q db.Querier, projectID, faultID int64) (noticeOwner, error) {
	o := noticeOwner{projectID: projectID, faultID: faultID}
	err := q.QueryRowContext(ctx, s.db.Text(findNoticeOwner), projectID, faultID).Scan(&o.environment, &o.searchField)
	return o, db.NotFound(err, "Fault", "find fault of notices")
}

// ownerAndParts returns the noticeOwner, and the ids under which the notices are stored.
func (s *Store) ownerAndParts(ctx context.Context, q db.Querier, projectID, faultID int64) (o noticeOwner, parts []int64, err error) {
	if o, err = s.noticeOwner(ctx, q, projectID, faultID); err != nil {
		return o, nil, err
	}
	parts, err = s.PartsOf(ctx, q, faultID)
	return o, parts, err
}

// notices runs a statement that returns noticeColumns of one fault's notices. It does not set their deploys.
func (s *Store) notices(ctx context.Context, q db.Querier, o noticeOwner, statement string, args ...any) ([]faults.Notice, error) {
	var found []noticeRow
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	if err := db.ScanAll(rows, err, scanNoticeRow(&found)); err != nil {
		return nil, err
	}
	if err := s.fillPayloads(ctx, q, o.projectID, found); err != nil {
		return nil, err
	}
	notices := make([]faults.Notice, len(found))
	for i, r := range found {
		notices[i] = r.notice(o)
	}
	return notices, nil
}

// noticeRow is a row of noticeColumns, with the payload of the notice once that is read.
type noticeRow struct {
	id                       int64
	slot                     int
	token, bundle, backtrace []byte
	payload                  []byte
}

func scanNoticeRow(all *[]noticeRow) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var r noticeRow
		err := rows.Scan(&r.id, &r.token, &r.slot, &r.bundle, &r.backtrace)
		*all = append(*all, r)
		return err
	}
}

// fillPayloads reads the payloads of notices, from their bundles and from the blocks of their project. Those that cannot be read stay
// empty.
func (s *Store) fillPayloads(ctx context.Context, q db.Querier, projectID int64, all []noticeRow) error {
	var inBlocks []int64
	for i, r := range all {
		if r.bundle == nil {
			inBlocks = append(inBlocks, r.id)
			continue
		}
		all[i].payload, _ = block.PayloadAt(r.bundle, r.slot)
	}
	payloads, err := s.block.Payloads(ctx, q, projectID, inBlocks)
	for i, r := range all {
		if r.bundle == nil {
			all[i].payload = payloads[r.id]
		}
	}
	return err
}

// body returns what was sent with the notice.
func (r *noticeRow) body() (payload.Body, error) { return unpack(r.payload, r.backtrace) }

// public returns the id that people know the notice by.
func (r *noticeRow) public() sett.UUID {
	if len(r.token) == len(sett.UUID{}) {
		return sett.UUID(r.token)
	}
	return sett.NoticeID(r.id).UUID()
}

func (r *noticeRow) notice(o noticeOwner) faults.Notice {
	var uuid sett.UUID
	copy(uuid[:], r.token)
	body, _ := r.body() // NewNotice shows an unreadable body as a notice without content
	n := faults.NewNotice(sett.NoticeID(r.id), uuid, body, o.searchField)
	n.ProjectID, n.FaultID = o.projectID, o.faultID
	return n
}

const findNotice = `-- faultdb.NoticeByUUID
SELECT n.id, f.id FROM notices n LEFT JOIN merged_faults m ON m.id = n.fault_id JOIN faults f ON f.id = coalesce(m.into_id, n.fault_id)
WHERE f.project_id = $1 AND n.id = coalesce((SELECT k.notice_id FROM notice_tokens k WHERE k.token = $2 AND k.project_id = $1), $3)`

const readNotice = `-- faultdb.readNotice
SELECT ` + noticeColumns + ` FROM faults f CROSS JOIN notices n` + noticeParts + `
WHERE f.project_id = $1 AND f.id = $2 AND n.id = $3`

// NoticeByUUID returns a notice of a project by its public id, or a NotFound error.
func (s *Store) NoticeByUUID(ctx context.Context, projectID int64, uuid sett.UUID) (notice faults.Notice, err error) {
	err = s.db.Snapshot(ctx, "find notice", func(q db.Querier) error {
		notice, err = s.ReadNotice(ctx, q, projectID, uuid)
		return err
	})
	return notice, err
}

// ReadNotice is NoticeByUUID in a snapshot.
func (s *Store) ReadNotice(ctx context.Context, q db.Querier, projectID int64, uuid sett.UUID) (n faults.Notice, err error) {
	id, faultID, err := s.findNotice(ctx, q, findNotice, projectID, uuid)
	if err != nil {
		return n, err
	}
	owner, err := s.noticeOwner(ctx, q, projectID, faultID)
	if err != nil {
		return n, err
	}
	return s.oneNotice(ctx, q, owner, id)
}

// oneNotice returns a notice of a fault with its deploy, or a NotFound error.
func (s *Store) oneNotice(ctx context.Context, q db.Querier, o noticeOwner, id int64) (n faults.Notice, err error) {
	found, err := s.notices(ctx, q, o, readNotice, o.projectID, o.faultID, id)
	switch {
	case err != nil:
		return n, err
	case len(found) == 0:
		return n, sett.Errorf(sett.NotFound, "Notice not found")
	}
	err = s.setDeploys(ctx, q, o.projectID, o.environment, found)
	return found[0], err
}

// findNotice runs a statement that finds a notice of a project by its public id.
func (s *Store) findNotice(ctx context.Context, q db.Querier, statement string, projectID int64, uuid sett.UUID) (id, faultID int64, err error) {
	derived, ok := sett.NoticeIDFromUUID(uuid)
	if !ok {
		derived = s.Counter.Pending(uuid, projectID) // the client chose the id
	}
	err = q.QueryRowContext(ctx, s.db.Text(statement), projectID, uuid[:], int64(derived)).Scan(&id, &faultID)
	return id, faultID, db.NotFound(err, "Notice", "find notice by its public id")
}

const lockNotice = findNotice + ` {{for update of n}}`

// LockNotice returns the id of a notice of a project by its public id, or a NotFound error. The notice is not deleted before the
// transaction ends.
func (t Tx) LockNotice(ctx context.Context, projectID int64, uuid sett.UUID) (id int64, err error) {
	id, _, err = t.s.findNotice(ctx, t, lockNotice, projectID, uuid)
	return id, err
}
