package statusdb

import (
	"context"
	"database/sql"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const incidentRows = `-- statusdb.statusIncidents
SELECT i.id, p.id, i.kind, i.name, i.status, i.automatic, i.starts_at, i.ends_at, i.resolved_at, i.created_at, i.updated_at, i.facts, i.impact
FROM status_incidents i JOIN status_pages p ON p.number = i.page `

// statusIncidents runs a statement that returns the columns of incidentRows, and reads the updates and components of the incidents.
func (s *Store) statusIncidents(ctx context.Context, q db.Querier, statement string, args ...any) (incidents []status.StatusIncident, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	incidents, err = db.Collect(rows, err, scanIncident)
	if err != nil || len(incidents) == 0 {
		return nil, err
	}
	var ids []int64
	place := map[int64]*status.StatusIncident{}
	for n := range incidents {
		ids = append(ids, incidents[n].ID)
		place[incidents[n].ID] = &incidents[n]
	}
	if err := s.incidentComponents(ctx, q, ids, place); err != nil {
		return nil, err
	}
	return incidents, s.incidentUpdates(ctx, q, ids, place)
}

func scanIncident(row db.Row) (i status.StatusIncident, err error) {
	var starts, ends, resolved, created, updated int64
	err = row.Scan(&i.ID, &i.PageID, &i.Kind, &i.Name, &i.Status, &i.Automatic, &starts, &ends, &resolved, &created, &updated, &i.NameFacts, &i.Impact)
	i.StartsAt, i.EndsAt, i.ResolvedAt = db.FromMicros(starts), db.FromMicros(ends), db.FromMicros(resolved)
	i.CreatedAt, i.UpdatedAt = db.FromMicros(created), db.FromMicros(updated)
	return i, err
}

const componentsOfIncidents = `-- statusdb.incidentComponents
SELECT i.incident_id, coalesce(c.id, 0), i.name, i.state FROM status_incident_components i LEFT JOIN status_components c ON c.id = i.component_id
WHERE i.incident_id IN `

func (s *Store) incidentComponents(ctx context.Context, q db.Querier, ids []int64, place map[int64]*status.StatusIncident) error {
	list, args := db.In(s.db, 1, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(componentsOfIncidents+list+" ORDER BY i.incident_id, i.component_id"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var incident, component int64
		var name string
		var state status.ComponentState
		if err := rows.Scan(&incident, &component, &name, &state); err != nil {
			return err
		}
		if i := place[incident]; component > 0 {
			i.ComponentIDs = append(i.ComponentIDs, component)
			i.SetState(component, state)
		} else {
			i.Gone = append(i.Gone, status.VisitorName(name))
		}
		return nil
	})
}

const updatesOfIncidents = `-- statusdb.incidentUpdates
SELECT incident_id, id, status, message, automatic, at, facts FROM status_updates WHERE incident_id IN `

func (s *Store) incidentUpdates(ctx context.Context, q db.Querier, ids []int64, place map[int64]*status.StatusIncident) error {
	list, args := db.In(s.db, 1, ids)
	rows, err := q.QueryContext(ctx, s.db.Text(updatesOfIncidents+list+" ORDER BY incident_id, id DESC"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var incident, at int64
		var u status.IncidentUpdate
		if err := rows.Scan(&incident, &u.ID, &u.Status, &u.Message, &u.Automatic, &at, &u.Facts); err != nil {
			return err
		}
		u.At = db.FromMicros(at)
		if u.Status == status.PostMortemStatus {
			place[incident].PostMortem = status.PostMortem{ID: u.ID, Message: u.Message, PublishedAt: u.At}
			return nil
		}
		place[incident].Updates = append(place[incident].Updates, u)
		return nil
	})
}
