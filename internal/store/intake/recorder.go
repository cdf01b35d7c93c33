package intake

import (
	"context"
	"time"
)

// Served reports whether a process records into the database now. On PostgreSQL that is known by its beats, and so only some
// seconds later.
func (s *Store) Served(ctx context.Context, now time.Time) (bool, error) {
	if s.db.SQLite() {
		return s.db.IsRecorded()
	}
	beat, err := s.uptime.LastBeat(ctx)
	return now.Sub(beat).Abs() < 30*time.Second, err
}
