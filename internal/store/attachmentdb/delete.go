package attachmentdb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// atOnce is how many attachments one transaction deletes: each may have some hundred pages in the database.
const atOnce = 16

const dropBefore = `-- attachmentdb.DeleteBefore
DELETE FROM attachments WHERE id IN (SELECT id FROM attachments WHERE project_id = $1 AND notice_id < $2 ORDER BY notice_id LIMIT $3)`

// DeleteBefore deletes some attachments of a project's notices before an id, and reports whether there may be more. Attachments go with their
// notices in any case: this keeps the transactions short that delete many notices.
func (t Tx) DeleteBefore(ctx context.Context, project int64, notice sett.NoticeID) (more bool, err error) {
	n, err := t.Changed(ctx, dropBefore, project, int64(notice), atOnce)
	return n == atOnce, db.Wrap("delete attachments", err)
}

const anyBefore = `-- attachmentdb.HasBefore
SELECT notice_id FROM attachments WHERE project_id = $1 AND notice_id < $2 LIMIT 1`

// HasBefore reports whether a project has attachments of notices before an id.
func (s *Store) HasBefore(ctx context.Context, project int64, notice sett.NoticeID) (bool, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, anyBefore, project, int64(notice))
	return len(ids) > 0, db.Wrap("find attachments", err)
}

const ofProject = `-- attachmentdb.SweepProject
DELETE FROM attachments WHERE id IN (SELECT id FROM attachments WHERE project_id = $1 LIMIT $2)`

// SweepProject deletes all attachments of a project, a few in each transaction.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	err := s.db.Sweep(ctx, "delete attachments", atOnce, func(t *db.Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, ofProject, project, atOnce)
	})
	return s.db.Explain(err)
}
