package searchdb

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// ListSavedQueries returns the queries of structured events that a user can see in a project, their own and the shared ones, by name.
func (s *Store) ListSavedQueries(ctx context.Context, userID, projectID int64) ([]faults.SavedSearch, error) {
	return s.savedSearches(ctx, s.db.Read, faults.OfInsights, userID, projectID)
}

// SavedQuery returns a query of structured events. The error is NotFound if the user sees no such query.
func (s *Store) SavedQuery(ctx context.Context, userID, projectID, id int64) (faults.SavedSearch, error) {
	return s.savedSearch(ctx, s.db.Read, faults.OfInsights, userID, projectID, id)
}

// SaveQuery stores a query of structured events of a user. The error is Invalid if a field is rejected or there are too many queries already.
func (s *Store) SaveQuery(ctx context.Context, now time.Time, userID, projectID int64, settings faults.SavedSearchSettings, shared bool) (made faults.SavedSearch, err error) {
	if settings, err = settings.CheckQuery(); err != nil {
		return made, err
	}
	return s.save(ctx, now, faults.OfInsights, userID, projectID, settings, shared)
}

const updateSavedQuery = `-- searchdb.ChangeSavedQuery
UPDATE saved_searches SET name = $3, q = $4, period = $5, view = $6 WHERE project_id = $1 AND id = $2`

// ChangeSavedQuery changes a query for a user with that scope in the project, and returns it. The error is NotFound if they see no such query,
// Forbidden if they may not change it, and Invalid if a field is rejected.
func (s *Store) ChangeSavedQuery(ctx context.Context, userID int64, scope accounts.Scope, projectID, id int64, change func(*faults.SavedSearchSettings)) (made faults.SavedSearch, err error) {
	err = s.db.InTx(ctx, "change saved query", func(t *db.Tx) error {
		t.KeepsCaches = true
		if made, err = s.changeable(ctx, t, faults.OfInsights, userID, scope, projectID, id); err != nil {
			return err
		}
		change(&made.SavedSearchSettings)
		if made.SavedSearchSettings, err = made.CheckQuery(); err != nil {
			return err
		}
		_, err = t.Exec(ctx, updateSavedQuery, projectID, id, made.Name, made.Q, made.Period, made.View)
		return err
	})
	return made, err
}

// DeleteSavedQuery deletes a query for a user with that scope in the project. The errors are those of ChangeSavedQuery.
func (s *Store) DeleteSavedQuery(ctx context.Context, userID int64, scope accounts.Scope, projectID, id int64) error {
	return s.deleteSaved(ctx, faults.OfInsights, userID, scope, projectID, id)
}
