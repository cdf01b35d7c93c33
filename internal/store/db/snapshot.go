package db

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
)

// Snapshot runs f on a snapshot of the database, so that the results of several statements are consistent.
func (d *DB) Snapshot(ctx context.Context, what string, f func(Querier) error) error {
	t, err := d.Read.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer t.Rollback() //nolint:errcheck // nothing was written
	err = f(t)
	if err == nil || sett.CodeOf(err) != "" {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}
