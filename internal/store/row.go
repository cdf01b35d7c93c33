package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sett/internal/sett"
)

// idOrNull is an id as it is stored where there may be none, which is 0.
func idOrNull(id int64) sql.NullInt64 { return sql.NullInt64{Int64: id, Valid: id != 0} }

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("store: what came as JSON is none: " + err.Error())
	}
	return string(text)
}

// listIDs runs a statement whose rows are one id each.
func (s *DB) listIDs(ctx context.Context, q querier, statement string, args ...any) (ids []int64, err error) {
	rows, err := q.QueryContext(ctx, s.text(statement), args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// changed runs a statement and returns how many rows it changed.
func (t *Tx) changed(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := t.exec(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// scanAll calls scan for every row and closes them.
func scanAll(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanID returns a function that scans a row which is one id.
func scanID(add func(id int64)) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		add(id)
		return err
	}
}

// notFound turns "no rows" into a NotFound error about the named thing, and wraps every other error.
func notFound(err error, thing, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return sett.Errorf(sett.NotFound, "%s not found", thing)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
