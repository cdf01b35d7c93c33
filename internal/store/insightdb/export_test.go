package insightdb

import "context"

// Hold takes the place of a project until it is left, as a query does that runs.
func (s *Store) Hold(ctx context.Context, project int64) (leave func(), err error) {
	return s.queries.Take(ctx, project)
}
