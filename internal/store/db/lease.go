package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/checks"
)

const takeLease = `-- db.takeLease
INSERT INTO leases (name, holder, held_since, held_until) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
    held_since = CASE WHEN leases.holder = excluded.holder AND leases.held_until > excluded.held_since
        AND leases.held_until <= $5 AND leases.held_since <= excluded.held_since THEN leases.held_since ELSE excluded.held_since END
WHERE leases.holder = excluded.holder OR leases.held_until <= excluded.held_since OR leases.held_until > $5
RETURNING holder`

// Lease takes or renews a lease until the given time, and reports whether the holder has it: at any time, only one holder does. A lease
// that ends later than any lease can was taken with a clock that has been set back since, and counts as free.
func (t *Tx) Lease(ctx context.Context, name, holder string, now, until time.Time) (held bool, err error) {
	err = t.QueryRowContext(ctx, t.db.Text(takeLease), name, holder, Micros(now), Micros(until), Micros(checks.LatestLease(now))).Scan(new(string))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

const dropLease = `-- db.DropLease
DELETE FROM leases WHERE name = $1 AND holder = $2`

// DropLease releases a lease if the holder has it.
func (d *DB) DropLease(ctx context.Context, name, holder string) error {
	return d.InTx(ctx, "drop lease", func(t *Tx) error {
		t.KeepsCaches = true
		return t.DropLease(ctx, name, holder)
	})
}

// DropLease releases a lease in a transaction.
func (t *Tx) DropLease(ctx context.Context, name, holder string) error {
	_, err := t.Exec(ctx, dropLease, name, holder)
	return err
}
