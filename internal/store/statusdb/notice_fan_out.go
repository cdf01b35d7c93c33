package statusdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/store/db"
)

// Only the oldest update of each page is fanned out, so that no subscriber gets the notice of a later update first.
const unsentUpdates = `-- statusdb.unsentUpdates
SELECT min(u.id) FROM status_updates u JOIN status_incidents i ON i.id = u.incident_id WHERE u.told_to >= 0 GROUP BY i.page ORDER BY min(u.id)`

const holdUnsent = `-- statusdb.holdUnsent
SELECT id FROM status_updates WHERE id = $1 AND told_to >= 0 {{for update}}`

const readUnsent = `-- statusdb.readUnsent
SELECT u.told_to, u.at, i.page, i.id FROM status_updates u JOIN status_incidents i ON i.id = u.incident_id WHERE u.id = $1`

// FanOutStatusUpdates fans out the oldest unfinished update of each page, to at most limit of the subscribers who had confirmed before
// it, so that no page waits for the subscribers of another. It reports whether there may be more to do at once.
func (s *Store) FanOutStatusUpdates(ctx context.Context, now time.Time, limit int) (more bool, err error) {
	untold, err := s.db.ListIDs(ctx, s.db.Read, unsentUpdates)
	if err != nil {
		return false, s.db.Explain(db.Wrap("look for updates", err))
	}
	for _, id := range untold {
		err := s.inTx(ctx, "spread update", func(t Tx) error {
			t.KeepsCaches = true
			return t.fanOutUpdate(ctx, now, id, limit)
		})
		if err != nil {
			return false, err
		}
	}
	return len(untold) > 0, nil
}

// Subscribers who chose components are sent what is about the whole page, and incidents that are, or were, about one of these.
const fanOutUpdate = `-- statusdb.fanOutUpdate
INSERT INTO status_notices (lane, subscriber_id, update_id, due_at, trying, tries, claims, claimed_by, created_at)
SELECT s.page || ':' || s.kind, s.id, $1, $2, false, 0, 0, '', $2 FROM status_subscribers s
WHERE s.page = $3 AND s.id > $4 AND s.confirmed_at > 0 AND s.confirmed_at <= $5
    AND (NOT s.selective OR NOT EXISTS (SELECT 1 FROM status_incident_components c WHERE c.incident_id = $7)
        OR EXISTS (SELECT 1 FROM status_subscriber_components k JOIN status_incident_audience a ON a.component_id = k.component_id
            WHERE k.subscriber_id = s.id AND a.incident_id = $7))
ORDER BY s.id LIMIT $6 RETURNING subscriber_id`

const noteSent = `-- statusdb.noteSent
UPDATE status_updates SET told_to = $2 WHERE id = $1`

// allSent is the value of told_to once all subscribers have a notice of the update.
const allSent = -1

func (t Tx) fanOutUpdate(ctx context.Context, now time.Time, id int64, limit int) error {
	err := t.QueryRowContext(ctx, t.s.db.Text(holdUnsent), id).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) { // another node was faster
		return nil
	}
	if err != nil {
		return err
	}
	var sentTo, at, page, incident int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(readUnsent), id).Scan(&sentTo, &at, &page, &incident); err != nil {
		return err
	}
	rows, err := t.QueryContext(ctx, t.s.db.Text(fanOutUpdate), id, db.Micros(now), page, sentTo, at, limit, incident)
	n := 0
	err = db.ScanAll(rows, err, db.ScanID(func(subscriber int64) {
		n++
		sentTo = max(sentTo, subscriber)
	}))
	if err != nil {
		return fmt.Errorf("create notices: %w", err)
	}
	if n < limit {
		sentTo = allSent
	}
	if n > 0 {
		t.Wake(StatusPublished)
	}
	_, err = t.Exec(ctx, noteSent, id, sentTo)
	return err
}
