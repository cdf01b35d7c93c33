package attachmentdb

import (
	"context"
	"database/sql"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const listOfNotice = `-- attachmentdb.List
SELECT id, name, type, bytes FROM attachments WHERE project_id = $1 AND notice_id = $2 ORDER BY id`

// List returns the attachments of a notice of a project, in the order in which they came.
func (s *Store) List(ctx context.Context, project int64, notice sett.NoticeID) ([]faults.Attachment, error) {
	return s.Read(ctx, s.db.Read, project, notice)
}

// Read is List in a snapshot.
func (s *Store) Read(ctx context.Context, q db.Querier, project int64, notice sett.NoticeID) (all []faults.Attachment, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(listOfNotice), project, int64(notice))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var a faults.Attachment
		err := rows.Scan(&a.ID, &a.Name, &a.Type, &a.Bytes)
		all = append(all, a)
		return err
	})
	return all, s.db.Explain(db.Wrap("list attachments", err))
}

const readFile = `-- attachmentdb.File
SELECT id, name, type, bytes, body FROM attachments WHERE project_id = $1 AND notice_id = $2 AND id = $3`

// File returns an attachment of a notice of a project and what is in it, or a NotFound error.
func (s *Store) File(ctx context.Context, project int64, notice sett.NoticeID, id int64) (a faults.Attachment, file []byte, err error) {
	var body []byte
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(readFile), project, int64(notice), id).Scan(&a.ID, &a.Name, &a.Type, &a.Bytes, &body)
	if err != nil {
		return a, nil, s.db.Explain(db.NotFound(err, "Attachment", "read attachment"))
	}
	file, err = decoder().DecodeAll(body, make([]byte, 0, min(a.Bytes, faults.MostAttachmentBytes)))
	return a, file, db.Wrap("decompress attachment", err)
}
