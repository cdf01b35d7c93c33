package faultdb

import (
	"context"
	"fmt"

	"sett/internal/store/db"
)

// The pluses make engines read the few erasures that are open, not all of the project.
const erasureState = `-- faultdb.ErasureState
SELECT coalesce((SELECT max(id) FROM erasures WHERE project_id = $1), 0),
    (SELECT count(*) FROM erasures WHERE finished_at = 0 AND +project_id = $1 AND deleted_at = 0)`

// ErasureState returns a text that changes whenever an erasure of a project has deleted all notices: what was read of notices before that may name its
// user. It takes as long however many erasures there were.
func (s *Store) ErasureState(ctx context.Context, projectID int64) (string, error) {
	return s.erasureState(ctx, s.db.Read, projectID)
}

func (s *Store) erasureState(ctx context.Context, q db.Querier, projectID int64) (string, error) {
	var newest, running int64
	err := q.QueryRowContext(ctx, s.db.Text(erasureState), projectID).Scan(&newest, &running)
	return fmt.Sprint(newest, "-", running), s.db.Explain(db.Wrap("look for erasures", err))
}
