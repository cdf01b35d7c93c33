package statusdb

import (
	"context"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// A post-mortem is a row of the updates, so that it reaches subscribers as they do: one that is published for them is fanned out. The time
// of a draft is 0.
const (
	insertPostMortem = `-- statusdb.insertPostMortem
INSERT INTO status_updates (incident_id, status, message, automatic, at, told_to, facts) VALUES ($1, $2, $3, false, $4, $5, '')`

	updatePostMortem = `-- statusdb.updatePostMortem
UPDATE status_updates SET message = $2, told_to = CASE WHEN at = $3 THEN told_to ELSE $4 END, at = $3 WHERE id = $1`

	withdrawNotices = `-- statusdb.withdrawNotices
DELETE FROM status_notices WHERE update_id = $1 AND EXISTS (SELECT 1 FROM status_updates u WHERE u.id = $1 AND u.at = 0)`
)

// writePostMortem stores the post-mortem of an incident. One that is withdrawn is no longer sent to those who did not get it yet.
func (t Tx) writePostMortem(ctx context.Context, i status.StatusIncident) error {
	m, sentTo := i.PostMortem, allSent
	if m.Notify {
		sentTo = 0
		t.Wake(StatusPublished)
	}
	switch {
	case m.ID == 0 && m.Message == "":
		return nil
	case m.ID == 0:
		_, err := t.Exec(ctx, insertPostMortem, i.ID, string(status.PostMortemStatus), m.Message, db.Micros(m.PublishedAt), sentTo)
		return db.Wrap("write post-mortem", err)
	case m.Message == "":
		_, err := t.Exec(ctx, deleteIncidentUpdate, m.ID)
		return db.Wrap("delete post-mortem", err)
	}
	if _, err := t.Exec(ctx, updatePostMortem, m.ID, m.Message, db.Micros(m.PublishedAt), sentTo); err != nil {
		return db.Wrap("change post-mortem", err)
	}
	_, err := t.Exec(ctx, withdrawNotices, m.ID)
	return db.Wrap("withdraw post-mortem", err)
}

// hideDrafts leaves of incidents what visitors see.
func hideDrafts(incidents []status.StatusIncident) {
	for n, i := range incidents {
		incidents[n] = i.Shown()
	}
}
