package store

import (
	"context"
	"time"

	"sett/internal/sett"
)

// UptimeDays returns what is known of the checks of a site in the UTC days from one time until before another, by day and
// location. The error is NotFound when the project has no such site.
func (s *Store) UptimeDays(ctx context.Context, projectID int64, siteID sett.UUID, from, to time.Time) ([]sett.UptimeDay, error) {
	return nil, nil
}

// RollUpChecks adds days that are over to what UptimeDays knows for good, in small steps.
func (s *Store) RollUpChecks(ctx context.Context, now time.Time) error { return nil }

// PruneChecks deletes checks that began before a time and are rolled up, in small steps.
func (s *Store) PruneChecks(ctx context.Context, before time.Time) error { return nil }
