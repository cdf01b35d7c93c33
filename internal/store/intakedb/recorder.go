package intakedb

import (
	"context"
	"time"

	"sett/internal/sett"
)

// Recover prepares the store for recording: it counts the notices that earlier processes stored and did not count before they died, and
// returns how many there were. It is called once, after Migrate and before anything is recorded.
func (s *Store) Recover(ctx context.Context) (counted int, err error) {
	if !s.db.SQLite() {
		if err := s.node.Take(ctx); err != nil {
			return 0, err
		}
		return s.node.TakeOver(ctx)
	}
	if err := s.db.RecordAlone(ctx); err != nil { // first: until then another process may assign ids
		return 0, err
	}
	if err := s.node.SkipUsed(ctx); err != nil {
		return 0, err
	}
	if counted, err = s.rollups.CatchUp(ctx, sett.FileNode, ""); err != nil {
		return counted, err
	}
	s.fillTokenFilter()
	return counted, s.rollups.BeginFile(ctx)
}

// Served reports whether a process currently records into the database. On PostgreSQL this is known from heartbeats, so it is some
// seconds late.
func (s *Store) Served(ctx context.Context, now time.Time) (bool, error) {
	if s.db.SQLite() {
		return s.db.IsRecorded()
	}
	beat, err := s.uptime.LastBeat(ctx)
	return now.Sub(beat).Abs() < 30*time.Second, err
}

// HoldClaims confirms that this process is alive, so that it keeps its claims in all queues. If contested, other processes may take them:
// then call it about every second, and if it fails for some time – well below the wait of queue.Queue.Free – cancel what is being sent.
func (s *Store) HoldClaims(ctx context.Context) (contested bool, err error) {
	if s.db.SQLite() {
		return false, nil
	}
	held, err := s.node.HoldsClaims(ctx)
	if err != nil || held {
		return true, err
	}
	s.recording.Lock()
	defer s.recording.Unlock()
	return true, s.rollups.Rejoin(ctx)
}
