package store

import (
	"context"

	"sett/internal/sett"
)

const projectByKey = `-- store.ProjectByKey
SELECT p.id, p.account_id, p.user_search_field, p.active AND a.active
FROM project_keys k JOIN projects p ON p.id = k.project_id JOIN accounts a ON a.id = p.account_id WHERE k.key = $1`

// ProjectByKey returns what intake needs to know of the project that an API key belongs to, or a NotFound error.
func (s *Store) ProjectByKey(ctx context.Context, key string) (sett.KeyedProject, error) {
	var p sett.KeyedProject
	err := s.read.QueryRowContext(ctx, s.text(projectByKey), key).Scan(&p.ProjectID, &p.AccountID, &p.UserSearchField, &p.Active)
	return p, s.Explain(notFound(err, "project", "find project by key"))
}
