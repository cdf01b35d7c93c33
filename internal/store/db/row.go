package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sett/internal/sett"
)

// IDOrNull is an optional id as it is stored; 0 means none.
func IDOrNull(id int64) sql.NullInt64 { return sql.NullInt64{Int64: id, Valid: id != 0} }

func Wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

func JSONText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("store: invalid JSON: " + err.Error())
	}
	return string(text)
}

// ListIDs runs a statement whose rows are one id each.
func (d *DB) ListIDs(ctx context.Context, q Querier, statement string, args ...any) (ids []int64, err error) {
	rows, err := q.QueryContext(ctx, d.Text(statement), args...)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Changed runs a statement and returns how many rows it changed.
func (t *Tx) Changed(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := t.Exec(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// ScanAll calls scan for every row and closes the rows.
func ScanAll(rows *sql.Rows, err error, scan func(*sql.Rows) error) error {
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

// Collect returns what scan makes of every row, and closes the rows.
func Collect[T any](rows *sql.Rows, err error, scan func(Row) (T, error)) (all []T, _ error) {
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	})
	return all, err
}

// ScanID returns a function that scans a row of one id.
func ScanID(add func(id int64)) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		add(id)
		return err
	}
}

// NotFound turns "no rows" into a NotFound error about the named thing, and wraps every other error.
func NotFound(err error, thing, what string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return sett.Errorf(sett.NotFound, "%s not found", thing)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
