package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett"
)

// StatusEntry is where a status page is found, and how new what it shows is.
type StatusEntry struct {
	ID       string
	Slug     string
	Domain   string // that is verified; "" for none
	Revision int64
}

const statusDirectory = `-- store.StatusDirectory
SELECT id, slug, CASE WHEN domain_verified_at > 0 THEN domain ELSE '' END, revision FROM status_pages ORDER BY number`

// StatusDirectory returns every status page of the server.
func (s *Store) StatusDirectory(ctx context.Context) (entries []StatusEntry, err error) {
	rows, err := s.read.QueryContext(ctx, s.text(statusDirectory))
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var e StatusEntry
		err := rows.Scan(&e.ID, &e.Slug, &e.Domain, &e.Revision)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list addresses of status pages: %w", err)
	}
	return entries, nil
}

const statusPageToView = statusPagesOf + "WHERE id = $1"

const incidentsToView = incidentRows + `WHERE i.page = $1 AND (i.resolved_at = 0 OR i.resolved_at >= $2)
ORDER BY (CASE WHEN i.resolved_at = 0 THEN 0 ELSE 1 END), i.starts_at DESC, i.id DESC`

// StatusView returns what a status page shows at now, or a NotFound error.
func (s *Store) StatusView(ctx context.Context, now time.Time, id string) (v sett.StatusView, err error) {
	err = s.snapshot(ctx, "view status page", func(q querier) error {
		v = sett.StatusView{ReadAt: now}
		if v.Page, err = s.statusPage(ctx, q, statusPageToView, id); err != nil {
			return err
		}
		number := v.Page.Number
		if v.Incidents, err = s.statusIncidents(ctx, q, incidentsToView, number, micros(now.Add(-sett.PastIncidents))); err != nil {
			return err
		}
		components, err := s.statusComponents(ctx, q, []int64{number})
		if err != nil {
			return err
		}
		if err := s.statusDays(ctx, q, now, components[number]); err != nil {
			return err
		}
		for _, c := range components[number] {
			c.State = c.State.Told(c.ID, v.Incidents)
			v.Components = append(v.Components, c.ComponentView)
		}
		return nil
	})
	return v, err
}
