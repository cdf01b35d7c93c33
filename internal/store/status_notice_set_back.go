package store

import (
	"context"
	"time"

	"sett/internal/sett"
)

// longestNoticeWait is more than a notice waits between two attempts.
const longestNoticeWait = 30 * time.Hour

const lateStatusNotices = `-- store.lateStatusNotices
UPDATE status_notices SET due_at = $1 WHERE due_at > $2 AND (created_at > $2 OR trying OR due_at > $3)`

// setBackStatusNotices corrects the times of notices to subscribers; see Hooks.ClockSetBack.
func (t *tx) setBackStatusNotices(ctx context.Context, now time.Time) error {
	latest := micros(sett.LatestClock(now))
	t.wake(StatusTold)
	_, err := t.exec(ctx, lateStatusNotices, micros(now), latest, latest+longestNoticeWait.Microseconds())
	return wrap("retry late notices of status pages now", err)
}
