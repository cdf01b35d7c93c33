package intakedb

import (
	"context"
	"time"
)

// Served reports whether a process currently records into the database. On PostgreSQL this is known from heartbeats, so it is some
// seconds late.
func (s *Store) Served(ctx context.Context, now time.Time) (bool, error) {
	if s.db.SQLite() {
		return s.db.IsRecorded()
	}
	beat, err := s.uptime.LastBeat(ctx)
	return now.Sub(beat).Abs() < 30*time.Second, err
}
