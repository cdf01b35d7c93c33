package statusdb

import (
	"context"
	"fmt"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// WriteIncident stores an incident of a page, as a new one if it has no id, with its components, and the update that changed it, unless
// that is the zero one. It returns the incident with the assigned ids; the update is the first of its updates. The page must be locked.
func (t Tx) WriteIncident(ctx context.Context, page int64, i status.StatusIncident, u status.IncidentUpdate) (status.StatusIncident, error) {
	if err := t.storeIncident(ctx, page, &i); err != nil {
		return i, fmt.Errorf("write incident: %w", err)
	}
	if u.Status == "" {
		return i, nil
	}
	if err := t.insertIncidentUpdate(ctx, i, &u); err != nil {
		return i, fmt.Errorf("write update of incident: %w", err)
	}
	i.Updates = append([]status.IncidentUpdate{u}, i.Updates...)
	return i, nil
}

const insertIncident = `-- statusdb.insertIncident
INSERT INTO status_incidents (page, kind, name, status, automatic, starts_at, ends_at, resolved_at, due_at, created_at, updated_at, facts, impact)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12) RETURNING id`

const updateIncident = `-- statusdb.updateIncident
UPDATE status_incidents SET name = $2, status = $3, automatic = $4, starts_at = $5, ends_at = $6, resolved_at = $7, due_at = $8, updated_at = $9, facts = $10, impact = $11
WHERE id = $1`

const clearIncidentComponents = `-- statusdb.clearIncidentComponents
DELETE FROM status_incident_components WHERE incident_id = $1
    AND ($2 OR EXISTS (SELECT 1 FROM status_components c WHERE c.id = status_incident_components.component_id))`

const insertIncidentComponents = `-- statusdb.insertIncidentComponents
INSERT INTO status_incident_components (incident_id, component_id, name, state)
SELECT k.incident_id, k.component_id, ` + nameOfComponent + `, k.state
FROM {{rows k(incident_id bigint, component_id bigint, state text)}} JOIN status_components c ON c.id = k.component_id
LEFT JOIN sites s ON s.id = c.site_id LEFT JOIN check_ins ci ON ci.number = c.check_in WHERE true`

const insertAudience = `-- statusdb.insertAudience
INSERT INTO status_incident_audience (incident_id, component_id)
SELECT k.incident_id, k.component_id FROM {{rows k(incident_id bigint, component_id bigint)}} WHERE true ON CONFLICT DO NOTHING`

func (t Tx) storeIncident(ctx context.Context, page int64, i *status.StatusIncident) error {
	starts, ends, resolved, due := db.Micros(i.StartsAt), db.Micros(i.EndsAt), db.Micros(i.ResolvedAt), db.Micros(i.DueAt())
	var err error
	if i.ID == 0 {
		err = t.QueryRowContext(ctx, t.s.db.Text(insertIncident), page, string(i.Kind), i.Name, string(i.Status), i.Automatic, starts, ends,
			resolved, due, db.Micros(i.CreatedAt), string(i.NameFacts), string(i.Impact)).Scan(&i.ID)
	} else {
		_, err = t.Exec(ctx, updateIncident, i.ID, i.Name, string(i.Status), i.Automatic, starts, ends, resolved, due, db.Micros(i.UpdatedAt), string(i.NameFacts), string(i.Impact))
	}
	if err != nil {
		return err
	}
	if _, err := t.Exec(ctx, clearIncidentComponents, i.ID, len(i.Gone) == 0); err != nil {
		return err
	}
	incidents := make([]int64, len(i.ComponentIDs))
	states := make([]string, len(i.ComponentIDs))
	for at, id := range i.ComponentIDs {
		incidents[at], states[at] = i.ID, string(i.StateOf(id))
	}
	if err := t.Each(ctx, insertIncidentComponents, incidents, i.ComponentIDs, states); err != nil {
		return err
	}
	return t.Each(ctx, insertAudience, incidents, i.ComponentIDs)
}

const insertIncidentUpdate = `-- statusdb.insertIncidentUpdate
INSERT INTO status_updates (incident_id, status, message, automatic, at, told_to, facts) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`

// insertIncidentUpdate stores an update. Subscribers are notified of it, unless it only records the past.
func (t Tx) insertIncidentUpdate(ctx context.Context, i status.StatusIncident, u *status.IncidentUpdate) error {
	sentTo := 0
	if i.Recorded() {
		sentTo = allSent
	}
	t.Wake(StatusPublished)
	return t.QueryRowContext(ctx, t.s.db.Text(insertIncidentUpdate), i.ID, string(u.Status), u.Message, u.Automatic, db.Micros(u.At), sentTo, string(u.Facts)).Scan(&u.ID)
}
