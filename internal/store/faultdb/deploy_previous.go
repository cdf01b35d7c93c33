package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/store/db"
)

const previousRevision = `-- faultdb.PreviousRevision
SELECT p.revision FROM deploys d JOIN deploys p ON p.project_id = d.project_id AND p.environment = d.environment
WHERE d.project_id = $1 AND d.id = $2 AND p.revision NOT IN ('', d.revision) AND (p.created_at, p.id) < (d.created_at, d.id)
ORDER BY p.created_at DESC, p.id DESC LIMIT 1`

// PreviousRevision returns the revision that a deploy of a project replaced in its environment, or "" if there was none or the project
// has no such deploy.
func (s *Store) PreviousRevision(ctx context.Context, projectID, id int64) (revision string, err error) {
	return s.previousRevision(ctx, s.db.Read, projectID, id)
}

func (s *Store) previousRevision(ctx context.Context, q db.Querier, projectID, id int64) (revision string, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(previousRevision), projectID, id).Scan(&revision)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("find previous revision: %w", err)
	}
	return revision, nil
}
