package statusdb

import (
	"context"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const incidentsOfHistory = incidentRows + "WHERE p.id = $1 ORDER BY i.starts_at DESC, i.id DESC LIMIT $2"

// StatusHistory returns the newest incidents of a status page, open or past, newest first.
func (s *Store) StatusHistory(ctx context.Context, pageID string, limit int) (incidents []status.StatusIncident, err error) {
	err = s.db.Snapshot(ctx, "read history of status page", func(q db.Querier) error {
		incidents, err = s.statusIncidents(ctx, q, incidentsOfHistory, pageID, limit)
		hideDrafts(incidents)
		return err
	})
	return incidents, err
}
