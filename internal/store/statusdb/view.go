package statusdb

import (
	"context"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const statusPageToView = statusPagesOf + "WHERE id = $1"

const incidentsToView = incidentRows + `WHERE i.page = $1 AND (i.resolved_at = 0 OR i.resolved_at >= $2)
ORDER BY (CASE WHEN i.resolved_at = 0 THEN 0 ELSE 1 END), i.starts_at DESC, i.id DESC`

// StatusView returns the content of a status page at now, or a NotFound error.
func (s *Store) StatusView(ctx context.Context, now time.Time, id string) (v status.StatusView, err error) {
	err = s.db.Snapshot(ctx, "view status page", func(q db.Querier) error {
		page, components, err := s.pageAndComponents(ctx, q, statusPageToView, id)
		if err != nil {
			return err
		}
		v = status.StatusView{Page: page.StatusPage, ReadAt: now}
		if v.Incidents, err = s.statusIncidents(ctx, q, incidentsToView, page.Number, db.Micros(now.Add(-status.PastIncidents))); err != nil {
			return err
		}
		hideDrafts(v.Incidents)
		people, err := s.whatPeopleSay(ctx, q, now, page.Number)
		if err != nil {
			return err
		}
		if err := s.statusDays(ctx, q, now, components, people.outages); err != nil {
			return err
		}
		for _, c := range components {
			c.Checked, c.Manual = c.State, status.ManualAt(people.states[c.ID], now)
			c.State = c.Manual.Over(c.State.WithIncidents(c.ID, v.Incidents))
			v.Components = append(v.Components, c.ComponentView)
		}
		return nil
	})
	return v, err
}
