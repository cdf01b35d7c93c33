package accountdb

import (
	"context"

	"sett/internal/store/db"
)

const closeGuide = `-- accountdb.CloseGuide
UPDATE projects SET guide_closed = true WHERE id = $1`

// CloseGuide dismisses the next steps of a project.
func (s *Store) CloseGuide(ctx context.Context, projectID int64) error {
	return s.inTx(ctx, "close guide", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, closeGuide, projectID)
		return db.Wrap("close guide", err)
	})
}
