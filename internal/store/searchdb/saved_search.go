package searchdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

const savedSearches = `-- searchdb.savedSearches
SELECT s.id, s.project_id, s.user_id IS NULL, s.name, s.q, s.environment, s.sorted, s.created_at, u.id, u.email, u.name, s.place, s.period, s.view
FROM saved_searches s LEFT JOIN users u ON u.id = s.made_by WHERE s.project_id = $1 AND (s.user_id IS NULL OR s.user_id = $2) AND s.place = $3`

const (
	listSavedSearches = savedSearches + " ORDER BY lower(s.name), s.id"
	oneSavedSearch    = savedSearches + " AND s.id = $4"
)

// ListSavedSearches returns the searches of a project that a user can see, their own and the shared ones, by name.
func (s *Store) ListSavedSearches(ctx context.Context, userID, projectID int64) (found []faults.SavedSearch, err error) {
	return s.savedSearches(ctx, s.db.Read, faults.OfErrors, userID, projectID)
}

func (s *Store) savedSearches(ctx context.Context, q db.Querier, place faults.SearchPlace, userID, projectID int64) (found []faults.SavedSearch, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(listSavedSearches), projectID, userID, place)
	found, err = db.Collect(rows, err, scanSavedSearch)
	return found, db.Wrap("list saved searches", err)
}

func scanSavedSearch(row db.Row) (s faults.SavedSearch, err error) {
	var created int64
	var id sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&s.ID, &s.ProjectID, &s.Shared, &s.Name, &s.Q, &s.Environment, &s.Order, &created, &id, &email, &name, &s.Place, &s.Period, &s.View)
	if s.CreatedAt = db.FromMicros(created); id.Valid {
		s.MadeBy = &sett.Person{ID: id.Int64, Email: email.String, Name: name.String}
	}
	return s, err
}

const countSavedSearches = `-- searchdb.countSavedSearches
SELECT count(*) FROM saved_searches WHERE project_id = $1 AND user_id IS NOT DISTINCT FROM $2 AND place = $3`

const insertSavedSearch = `-- searchdb.CreateSavedSearch
INSERT INTO saved_searches (project_id, user_id, made_by, name, q, environment, sorted, created_at, place, period, view)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`

// CreateSavedSearch stores a search of a user. The error is Invalid if a field is rejected or there are too many searches already.
func (s *Store) CreateSavedSearch(ctx context.Context, now time.Time, userID, projectID int64, change faults.SavedSearchChange) (made faults.SavedSearch, err error) {
	settings, shared, err := change.Apply(now)
	if err != nil {
		return made, err
	}
	return s.save(ctx, now, faults.OfErrors, userID, projectID, settings, shared)
}

func (s *Store) save(ctx context.Context, now time.Time, place faults.SearchPlace, userID, projectID int64, settings faults.SavedSearchSettings, shared bool) (made faults.SavedSearch, err error) {
	whose := sql.NullInt64{Int64: userID, Valid: !shared}
	err = s.db.InTx(ctx, "create saved search", func(t *db.Tx) error {
		t.KeepsCaches = true
		if _, err := s.db.ListIDs(ctx, t, accountdb.LockProject, projectID); err != nil { // otherwise two at once could exceed the limit
			return err
		}
		var have, id int64
		if err := t.QueryRowContext(ctx, s.db.Text(countSavedSearches), projectID, whose, place).Scan(&have); err != nil {
			return err
		}
		if err := place.CheckRoom(have, shared); err != nil {
			return err
		}
		err := t.QueryRowContext(ctx, s.db.Text(insertSavedSearch), projectID, whose, userID, settings.Name, settings.Q, settings.Environment,
			settings.Order, db.Micros(now), place, settings.Period, settings.View).Scan(&id)
		if err != nil {
			return err
		}
		made, err = s.savedSearch(ctx, t, place, userID, projectID, id)
		return err
	})
	return made, err
}

// savedSearch returns one that a user can see.
func (s *Store) savedSearch(ctx context.Context, q db.Querier, place faults.SearchPlace, userID, projectID, id int64) (faults.SavedSearch, error) {
	found, err := scanSavedSearch(q.QueryRowContext(ctx, s.db.Text(oneSavedSearch), projectID, userID, place, id))
	return found, db.NotFound(err, "Saved "+place.Noun(), "find saved search")
}

const deleteSavedSearch = `-- searchdb.DeleteSavedSearch
DELETE FROM saved_searches WHERE project_id = $1 AND id = $2`

// DeleteSavedSearch deletes a search for a user with that scope in the project. The error is NotFound if they see no such search, and
// Forbidden if they may not delete it.
func (s *Store) DeleteSavedSearch(ctx context.Context, userID int64, scope accounts.Scope, projectID, id int64) error {
	return s.deleteSaved(ctx, faults.OfErrors, userID, scope, projectID, id)
}

func (s *Store) deleteSaved(ctx context.Context, place faults.SearchPlace, userID int64, scope accounts.Scope, projectID, id int64) error {
	return s.db.InTx(ctx, "delete saved search", func(t *db.Tx) error {
		t.KeepsCaches = true
		if _, err := s.changeable(ctx, t, place, userID, scope, projectID, id); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteSavedSearch, projectID, id)
		return err
	})
}

// changeable returns a search that a user may change.
func (s *Store) changeable(ctx context.Context, t *db.Tx, place faults.SearchPlace, userID int64, scope accounts.Scope, projectID, id int64) (faults.SavedSearch, error) {
	found, err := s.savedSearch(ctx, t, place, userID, projectID, id)
	if err == nil {
		err = found.Deletable(userID, scope)
	}
	return found, err
}
