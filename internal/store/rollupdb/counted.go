package rollupdb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// uncounted looks for a notice that neither its node nor a node that took over for it has counted with its fault.
const uncounted = `-- rollupdb.Counted
SELECT EXISTS (SELECT 1 FROM nodes o JOIN digests d ON d.node = o.number JOIN notices n ON n.id > d.upto AND n.id % $1 = d.node
    WHERE d.id = $2 AND n.id >= $3 AND n.id < $4)`

// mostUncounted is how long notices may stay uncounted because a node has died. Readers that need all counts wait no longer than this.
const mostUncounted = time.Hour

// Counted reports whether all notices of faults in the hour before the given time are counted, or whether so much time has passed that
// the caller should stop waiting for them. What this process holds in memory is flushed before; on SQLite no other process holds any.
func (s *Store) Counted(ctx context.Context, now, before time.Time) (bool, error) {
	if s.db.SQLite() || now.Sub(before) > mostUncounted {
		return true, nil
	}
	var left bool
	row := s.db.Read.QueryRowContext(ctx, uncounted, int64(sett.MaxNodes), s.kinds[faultRollup][0].ID,
		int64(sett.NoticeIDAt(before.Add(-mostUncounted))), int64(sett.NoticeIDAt(before)))
	err := row.Scan(&left)
	return !left, s.db.Explain(db.Wrap("look for notices that are not counted", err))
}
