package intake

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// uncounted looks for a notice that its node has not counted with its fault, nor any other node in its place.
const uncounted = `-- store.Counted
SELECT EXISTS (SELECT 1 FROM nodes o JOIN digests d ON d.node = o.number JOIN notices n ON n.id > d.upto AND n.id % $1 = d.node
    WHERE d.id = $2 AND n.id >= $3 AND n.id < $4)`

// mostUncounted is for how long notices may stay uncounted because a node has died; who waits for them waits no longer.
const mostUncounted = time.Hour

// Counted reports whether all notices of faults that came before a time are counted, of the hour before it, or too much time
// has passed since to wait for that. This process counts what it has; on SQLite no other has any.
func (s *Store) Counted(ctx context.Context, now, before time.Time) (bool, error) {
	if err := s.Fold(ctx); err != nil {
		return false, err
	}
	if s.db.SQLite() || now.Sub(before) > mostUncounted {
		return true, nil
	}
	var left bool
	row := s.db.Read.QueryRowContext(ctx, uncounted, int64(sett.MaxNodes), s.digests.Kinds[faultDigest][0].ID,
		int64(sett.NoticeIDAt(before.Add(-mostUncounted))), int64(sett.NoticeIDAt(before)))
	err := row.Scan(&left)
	return !left, s.db.Explain(db.Wrap("look for notices that are not counted", err))
}
