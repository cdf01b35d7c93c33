package repodb

import (
	"context"
	"database/sql"

	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

const ownersOf = `-- repodb.OwnersOf
SELECT r.project_id, r.id, r.host, r.url, r.path, r.owners FROM {{rows k(id bigint)}} JOIN repositories r ON r.project_id = k.id
WHERE r.owners <> '' ORDER BY r.id`

// OwnersOf returns the repositories of projects that have a CODEOWNERS file, by project, with no more of them than says who owns which file.
func (s *Store) OwnersOf(ctx context.Context, q db.Querier, projects []int64) (map[int64][]repo.Repository, error) {
	found := map[int64][]repo.Repository{}
	err := s.db.ReadRows(ctx, q, ownersOf, func(rows *sql.Rows) error {
		var r repo.Repository
		err := rows.Scan(&r.ProjectID, &r.ID, (*string)(&r.Host), &r.URL, &r.Path, &r.Owners)
		found[r.ProjectID] = append(found[r.ProjectID], r)
		return err
	}, projects)
	return found, db.Wrap("read owners of code", err)
}
