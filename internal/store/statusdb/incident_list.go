package statusdb

import (
	"context"
	"math"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// ShownIncident is an incident with its status page.
type ShownIncident struct {
	status.StatusIncident
	Page status.StatusPage
}

// IncidentFilter selects incidents of a status page.
type IncidentFilter struct {
	State IncidentState
	sett.Page
}

// IncidentState separates open and upcoming incidents from past ones.
type IncidentState string

// The states of incidents.
const (
	AnyIncident  IncidentState = ""
	OpenIncident IncidentState = "open"
	PastIncident IncidentState = "past"
)

const incidentsOfPage = incidentRows + "WHERE i.page = $1 AND ($2 = '' OR (i.resolved_at = 0) = ($2 = 'open'))"

const (
	listIncidents     = incidentsOfPage + " AND (i.starts_at, i.id) < ($3, $4) ORDER BY i.starts_at DESC, i.id DESC LIMIT $5 OFFSET $6"
	listIncidentsBack = incidentsOfPage + " AND (i.starts_at, i.id) >= ($3, $4) ORDER BY i.starts_at, i.id LIMIT $5 OFFSET $6"
)

// ListIncidents returns a page of the incidents of an account's status page, latest start first, and its cursors. The error is NotFound
// if the account has no such page, and Invalid for an invalid cursor.
func (s *Store) ListIncidents(ctx context.Context, accountID, page string, f IncidentFilter) (found []ShownIncident, marks sett.Marks, err error) {
	starts, id := int64(math.MaxInt64), int64(math.MaxInt64)
	statement := listIncidents
	if f.Back {
		statement = listIncidentsBack
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &starts, &id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := f.Rows()
	err = s.db.Snapshot(ctx, "list incidents", func(q db.Querier) error {
		p, err := s.statusPage(ctx, q, oneStatusPage, accountID, page)
		if err != nil {
			return err
		}
		incidents, err := s.statusIncidents(ctx, q, statement, p.Number, string(f.State), starts, id, most, skip)
		if err != nil {
			return err
		}
		incidents, marks = sett.Cut(f.Page, incidents, func(i status.StatusIncident) string { return db.FormatMark(db.Micros(i.StartsAt), i.ID) })
		for _, i := range incidents {
			found = append(found, ShownIncident{i, p})
		}
		return nil
	})
	return found, marks, err
}

// IncidentByID returns an incident of an account's status page, or a NotFound error.
func (s *Store) IncidentByID(ctx context.Context, accountID, page string, id int64) (found ShownIncident, err error) {
	err = s.db.Snapshot(ctx, "find incident", func(q db.Querier) error {
		if found.Page, err = s.statusPage(ctx, q, oneStatusPage, accountID, page); err != nil {
			return err
		}
		found.StatusIncident, err = s.incident(ctx, q, found.Page.Number, id)
		return err
	})
	return found, err
}

const oneIncident = incidentRows + "WHERE i.page = $1 AND i.id = $2"

// incident returns an incident of the status page with a number, or a NotFound error.
func (s *Store) incident(ctx context.Context, q db.Querier, page, id int64) (status.StatusIncident, error) {
	found, err := s.statusIncidents(ctx, q, oneIncident, page, id)
	switch {
	case err != nil:
		return status.StatusIncident{}, err
	case len(found) == 0:
		return status.StatusIncident{}, sett.Errorf(sett.NotFound, "Incident not found")
	}
	return found[0], nil
}
