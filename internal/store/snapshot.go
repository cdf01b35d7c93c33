package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
)

// snapshot runs f on the state of the database at one moment, so that what several statements read fits together.
func (s *DB) snapshot(ctx context.Context, what string, f func(querier) error) error {
	t, err := s.read.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
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
