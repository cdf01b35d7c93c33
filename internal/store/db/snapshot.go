package db

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
)

// Snapshot runs f on a snapshot of the database, so that the results of several statements are consistent. Where f needs something from
// elsewhere (see Fetched), the snapshot ends while that is fetched, and f runs again on a new one: so it must not add to earlier results.
func (d *DB) Snapshot(ctx context.Context, what string, f func(Querier) error) error {
	o := &outside{have: map[string]fetched{}}
	for {
		err := d.snapshot(ctx, what, func(t *sql.Tx) error { return f(&seen{t, o}) })
		if len(o.wanted) == 0 {
			return err
		}
		if o.rounds == mostRounds || ctx.Err() != nil {
			return fmt.Errorf("%s: %w", what, cmp.Or(ctx.Err(), ErrLater))
		}
		o.fetch(ctx)
	}
}

func (d *DB) snapshot(ctx context.Context, what string, f func(*sql.Tx) error) error {
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
