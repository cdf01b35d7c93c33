package db

import (
	"context"
	"strconv"
	"time"
)

const lockWait = `-- db.lockWait
SELECT set_config('lock_timeout', $1, true)`

// WaitForLocks sets how long this transaction waits for a row that another one holds; 0 keeps the default.
func (t *Tx) WaitForLocks(ctx context.Context, d time.Duration) error {
	if d == 0 || t.db.dialect == sqliteDialect {
		return nil
	}
	var set string
	return t.QueryRowContext(ctx, lockWait, strconv.FormatInt(d.Milliseconds(), 10)).Scan(&set)
}
