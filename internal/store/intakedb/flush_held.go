package intakedb

import (
	"context"
	"errors"
	"time"

	"sett/internal/store/db"
)

// mostOverdue is the factor by which more may be pending while other transactions hold rows that flushes write: recording must not wait
// for a transaction that holds the row of one project.
const mostOverdue = 16

// heldFor is how long batches skip the flush after they met held rows.
const heldFor = 10 * time.Second

// keepUp waits for a flush if too much is pending: what is recorded must not run away from what is counted.
func (s *Store) keepUp(ctx context.Context) error {
	if !s.rollups.overdue(1) || s.rollups.heldLately() && !s.rollups.overdue(mostOverdue) {
		return nil
	}
	err := s.Flush(ctx)
	if errors.Is(err, db.ErrHeld) && !s.rollups.overdue(mostOverdue) {
		return nil
	}
	return err
}

// noteFlush remembers whether a flush met held rows.
func (d *rollups) noteFlush(now time.Time, err error) {
	switch {
	case err == nil:
		d.heldAt.Store(0)
	case errors.Is(err, db.ErrHeld):
		d.heldAt.Store(now.UnixNano())
	}
}

func (d *rollups) heldLately() bool {
	at := d.heldAt.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < heldFor
}
