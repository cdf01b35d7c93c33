package rollupdb

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

// KeepUp waits for a flush if too much is pending: what is recorded must not run away from what is counted.
func (s *Store) KeepUp(ctx context.Context) error {
	if !s.overdue(1) || s.heldLately() && !s.overdue(mostOverdue) {
		return nil
	}
	err := s.Flush(ctx)
	if errors.Is(err, db.ErrHeld) && !s.overdue(mostOverdue) {
		return nil
	}
	return err
}

// tooMuch is how many times its threshold a rollup may reach before the recorder waits for a flush.
const tooMuch = 4

// overdue reports whether so much is pending that the next batch must wait for a flush. The factor times raises the threshold.
func (s *Store) overdue(times int) bool {
	return s.some(func(d *rollup) bool { return d.N >= times*tooMuch*d.most })
}

// noteFlush remembers whether a flush met held rows.
func (s *Store) noteFlush(now time.Time, err error) {
	switch {
	case err == nil:
		s.heldAt.Store(0)
	case errors.Is(err, db.ErrHeld):
		s.heldAt.Store(now.UnixNano())
	}
}

func (s *Store) heldLately() bool {
	at := s.heldAt.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < heldFor
}
