package db

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// A loop that is stopped while it writes has not failed: its error is that of its context.
func TestTransactionWhoseContextEndsBeforeItsCommit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, d *DB) {
		if _, err := d.Write.ExecContext(t.Context(), `INSERT INTO users (id, email, name, password, created_at) VALUES (7, 'ann@example.test', 'Ann', '', 1)`); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := d.InTx(ctx, "write", func(written *Tx) error {
			if _, err := written.Exec(ctx, `UPDATE users SET name = 'Gone'`); err != nil {
				return err
			}
			cancel()
			for { // until it was rolled back
				if _, err := written.ExecContext(t.Context(), "SELECT 1"); errors.Is(err, sql.ErrTxDone) {
					return nil
				}
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		var n int
		if err := d.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM users WHERE name = 'Gone'`).Scan(&n); err != nil || n != 0 {
			t.Errorf("it was written %d times, %v", n, err)
		}
	})
}
