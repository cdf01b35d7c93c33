package accountdb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

// awayAfter is how long users are not active until their next request begins a new visit.
const awayAfter = time.Hour

const noteVisit = `-- accountdb.noteVisit
UPDATE users SET away_at = CASE WHEN active_at < $3 THEN active_at WHEN active_at > $4 THEN 0 ELSE away_at END, active_at = $2
WHERE id = $1 AND (active_at < $2 OR active_at > $4)`

// noteVisit records that a user is active. The clocks of nodes differ by less than a visit; what is later than that was noted by a clock that was
// set back since, and is forgotten.
func (t Tx) noteVisit(ctx context.Context, userID int64, now time.Time) error {
	_, err := t.Exec(ctx, noteVisit, userID, db.Micros(now), db.Micros(now.Add(-awayAfter)), db.Micros(now.Add(awayAfter)))
	return err
}
