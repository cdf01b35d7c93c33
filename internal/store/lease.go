package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
)

const takeLease = `-- store.takeLease
INSERT INTO leases (name, holder, held_since, held_until) VALUES ($1, $2, $3, $4)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until,
    held_since = CASE WHEN leases.holder = excluded.holder AND leases.held_until > excluded.held_since
        AND leases.held_until <= $5 AND leases.held_since <= excluded.held_since THEN leases.held_since ELSE excluded.held_since END
WHERE leases.holder = excluded.holder OR leases.held_until <= excluded.held_since OR leases.held_until > $5
RETURNING holder`

// lease takes or renews a lease until then and reports whether the holder has it: at any time, only one does. A lease that
// ends later than any can is that of a clock which was set back, and nobody has it.
func (t *tx) lease(ctx context.Context, name, holder string, now, until time.Time) (held bool, err error) {
	err = t.QueryRowContext(ctx, t.s.text(takeLease), name, holder, micros(now), micros(until), micros(sett.LatestLease(now))).Scan(new(string))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

const dropLease = `-- store.DropLease
DELETE FROM leases WHERE name = $1 AND holder = $2`

// DropLease gives a lease back, if the holder has it.
func (s *Store) DropLease(ctx context.Context, name, holder string) error {
	return s.inTx(ctx, "drop lease", func(t *tx) error {
		t.keepsFaults = true
		_, err := t.exec(ctx, dropLease, name, holder)
		return err
	})
}

const leasesHeld = `-- store.leasesHeld
SELECT name, held_since FROM leases WHERE held_until > $1 AND held_until <= $2`

// LiveLocations returns the locations that somebody checks from now: those whose lease (sett.Location.Lease) is held.
func (s *Store) LiveLocations(ctx context.Context, now time.Time) ([]sett.LiveLocation, error) {
	live, err := s.liveLocations(ctx, s.read, now)
	if err != nil {
		return nil, fmt.Errorf("list live locations: %w", err)
	}
	return live, nil
}

func (s *Store) liveLocations(ctx context.Context, q querier, now time.Time) (live []sett.LiveLocation, err error) {
	rows, err := q.QueryContext(ctx, s.text(leasesHeld), micros(now), micros(sett.LatestLease(now)))
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		var since int64
		err := rows.Scan(&name, &since)
		if l, ok := sett.LeasedLocation(name); ok {
			live = append(live, sett.LiveLocation{Location: l, Since: fromMicros(since)})
		}
		return err
	})
	return live, err
}
