package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const leasesHeld = `-- uptimedb.leasesHeld
SELECT name, held_since FROM leases WHERE held_until > $1 AND held_until <= $2`

// LiveLocations returns the locations that have an active prober now: those whose lease (checks.Location.Lease) is held.
func (s *Store) LiveLocations(ctx context.Context, now time.Time) ([]checks.LiveLocation, error) {
	live, err := s.liveLocations(ctx, s.db.Read, now)
	if err != nil {
		return nil, fmt.Errorf("list live locations: %w", err)
	}
	return live, nil
}

func (s *Store) liveLocations(ctx context.Context, q db.Querier, now time.Time) (live []checks.LiveLocation, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(leasesHeld), db.Micros(now), db.Micros(checks.LatestLease(now)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		var since int64
		err := rows.Scan(&name, &since)
		if l, ok := checks.LeasedLocation(name); ok {
			live = append(live, checks.LiveLocation{Location: l, Since: db.FromMicros(since)})
		}
		return err
	})
	return live, err
}
