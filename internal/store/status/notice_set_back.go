package status

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// longestNoticeWait is longer than any wait between two attempts.
const longestNoticeWait = 30 * time.Hour

const lateStatusNotices = `-- store.lateStatusNotices
UPDATE status_notices SET due_at = $1 WHERE due_at > $2 AND (created_at > $2 OR trying OR due_at > $3)`

// setBackStatusNotices corrects the times of notices to subscribers; see Hooks.ClockSetBack.
func (t Tx) setBackStatusNotices(ctx context.Context, now time.Time) error {
	latest := db.Micros(sett.LatestClock(now))
	t.Wake(StatusPublished)
	_, err := t.Exec(ctx, lateStatusNotices, db.Micros(now), latest, latest+longestNoticeWait.Microseconds())
	return db.Wrap("retry late notices of status pages now", err)
}
