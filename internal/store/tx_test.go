package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"
)

// A loop that is told to stop while it writes has not failed: it hears that it was told to.
func TestTransactionWhoseContextEndsBeforeItsCommit(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		err := s.inTx(ctx, "write", func(written *tx) error {
			if _, err := written.exec(ctx, `UPDATE projects SET name = 'Gone'`); err != nil {
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
		if n := d.numbers(`SELECT count(*) FROM projects WHERE name = 'Gone'`, 1)[0]; n != 0 {
			t.Error("it was written")
		}
	})
}
