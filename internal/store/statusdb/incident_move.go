package statusdb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/store/db"
)

// An automatic incident is to be closed when its components were deleted, or are no longer shown.
const hasIncidentToMove = `-- statusdb.hasIncidentToMove
SELECT EXISTS (SELECT 1 FROM status_incidents WHERE due_at > 0 AND due_at <= $1)
    OR EXISTS (SELECT 1 FROM status_incidents i WHERE i.resolved_at = 0 AND i.automatic AND NOT EXISTS (SELECT 1 FROM status_incident_components ic JOIN status_components c ON c.id = ic.component_id WHERE ic.incident_id = i.id))`

const pagesToMove = `-- statusdb.pagesToMove
SELECT page FROM status_incidents WHERE due_at > 0 AND due_at <= $1
UNION SELECT i.page FROM status_incidents i WHERE i.resolved_at = 0 AND i.automatic AND NOT EXISTS (SELECT 1 FROM status_incident_components ic JOIN status_components c ON c.id = ic.component_id WHERE ic.incident_id = i.id)
ORDER BY 1 LIMIT $2`

const dueIncidents = incidentRows + "WHERE i.page = $1 AND i.due_at > 0 AND i.due_at <= $2 ORDER BY i.due_at, i.id"

// pagesAtOnce is how many status pages one transaction of MoveIncidents handles.
const pagesAtOnce = 50

// MoveIncidents starts and ends maintenance that is due, with the effects on automatic incidents, and closes automatic incidents that
// have no components any more. It reports whether there may be more to do at once.
func (s *Store) MoveIncidents(ctx context.Context, now time.Time) (more bool, err error) {
	var due bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasIncidentToMove), db.Micros(now)).Scan(&due); err != nil || !due {
		return false, s.db.Explain(db.Wrap("look for incidents", err))
	}
	err = s.inTx(ctx, "move incidents", func(t Tx) error {
		t.KeepsCaches = true
		pages, err := s.db.ListIDs(ctx, t, pagesToMove, db.Micros(now), pagesAtOnce)
		if err != nil {
			return fmt.Errorf("find status pages: %w", err)
		}
		more = len(pages) == pagesAtOnce
		for _, page := range pages {
			if err := t.moveIncidents(ctx, now, page); err != nil {
				return err
			}
		}
		return t.evaluateStatusPages(ctx, now, pages...)
	})
	return more, err
}

// moveIncidents starts and ends what is due on a page, after locking the page against other nodes.
func (t Tx) moveIncidents(ctx context.Context, now time.Time, page int64) error {
	if _, err := t.s.db.ListIDs(ctx, t, holdStatusPage, page); err != nil {
		return fmt.Errorf("hold status page: %w", err)
	}
	due, err := t.s.statusIncidents(ctx, t, dueIncidents, page, db.Micros(now))
	if err != nil {
		return fmt.Errorf("find incidents that are due: %w", err)
	}
	for _, i := range due {
		moved, updates := i.Move(now)
		for _, u := range updates {
			if moved, err = t.WriteIncident(ctx, page, moved, u); err != nil {
				return err
			}
		}
	}
	return nil
}
