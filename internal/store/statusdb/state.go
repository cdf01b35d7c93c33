package statusdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const endState = `-- statusdb.endState
UPDATE status_states SET to_at = $2 WHERE component_id = $1 AND (to_at = 0 OR to_at > $2)`

const insertState = `-- statusdb.insertState
INSERT INTO status_states (component_id, state, note, covers, from_at, to_at) VALUES ($1, $2, $3, $4, $5, $6)`

// States that ended before the days of a page are no longer shown, and of the others only the newest are kept.
const trimStates = `-- statusdb.trimStates
DELETE FROM status_states WHERE component_id = $1 AND to_at > 0 AND (to_at < $2
    OR id <= (SELECT s.id FROM status_states s WHERE s.component_id = $1 ORDER BY s.id DESC LIMIT 1 OFFSET $3))`

// SetComponentState sets the state of a component of a status page by hand, or returns it to its checks. The error is NotFound if the page
// has no such component, and Invalid if a field is rejected.
func (s *Store) SetComponentState(ctx context.Context, now time.Time, accountID, page string, component int64, change status.ManualStateChange) error {
	now = db.FromMicros(db.Micros(now))
	return s.ChangeStatusPage(ctx, "set state of component", now, accountID, page, func(t Tx, p status.StatusPage) error {
		if _, ok := p.Component(component); !ok {
			return sett.Errorf(sett.NotFound, "Component not found")
		}
		m, err := change.Read(now)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, endState, component, db.Micros(now)); err != nil {
			return fmt.Errorf("end state of component: %w", err)
		}
		if m.State != "" {
			if _, err := t.Exec(ctx, insertState, component, string(m.State), m.Note, m.Covers, db.Micros(m.From), db.Micros(m.Until)); err != nil {
				return fmt.Errorf("write state of component: %w", err)
			}
		}
		_, err = t.Exec(ctx, trimStates, component, db.Micros(checks.FirstStatusDay(now)), status.MostManualStates)
		return db.Wrap("trim states of component", err)
	})
}

const statesOfPage = `-- statusdb.statesOfPage
SELECT s.component_id, s.state, s.note, s.covers, s.from_at, s.to_at FROM status_states s JOIN status_components c ON c.id = s.component_id
WHERE c.page = $1 AND (s.to_at = 0 OR s.to_at > $2) ORDER BY s.component_id, s.id`

const outagesOfIncidents = `-- statusdb.outagesOfIncidents
SELECT c.component_id, i.starts_at, i.resolved_at FROM status_incidents i JOIN status_incident_components c ON c.incident_id = i.id
WHERE i.page = $1 AND i.kind = 'incident' AND c.state = 'down' AND (i.resolved_at = 0 OR i.resolved_at > $2) ORDER BY i.starts_at`

// said is what people say of the components of a page, by component.
type said struct {
	states  map[int64][]status.ManualState // within the days of the page, the oldest first
	outages map[int64][]checks.SiteOutage  // major outages by hand, and by incidents
}

func (s *Store) whatPeopleSay(ctx context.Context, q db.Querier, now time.Time, page int64) (said, error) {
	all := said{map[int64][]status.ManualState{}, map[int64][]checks.SiteOutage{}}
	first := db.Micros(checks.FirstStatusDay(now))
	rows, err := q.QueryContext(ctx, s.db.Text(statesOfPage), page, first)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, from, to int64
		var m status.ManualState
		err := rows.Scan(&id, &m.State, &m.Note, &m.Covers, &from, &to)
		m.From, m.Until = db.FromMicros(from), db.FromMicros(to)
		all.states[id] = append(all.states[id], m)
		return err
	})
	if err != nil {
		return all, fmt.Errorf("read states of components: %w", err)
	}
	for id, states := range all.states {
		all.outages[id] = status.MajorOutages(states)
	}
	rows, err = q.QueryContext(ctx, s.db.Text(outagesOfIncidents), page, first)
	return all, db.Wrap("read outages of incidents", db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, from, to int64
		err := rows.Scan(&id, &from, &to)
		all.outages[id] = append(all.outages[id], checks.SiteOutage{DownAt: db.FromMicros(from), UpAt: db.FromMicros(to)})
		return err
	}))
}
