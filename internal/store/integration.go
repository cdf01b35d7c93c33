package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sett/internal/sett"
)

const listIntegrations = `-- store.ListIntegrations
SELECT id, project_id, type, active, events, site_ids, options, excluded_environments, filters
FROM integrations WHERE project_id = $1 ORDER BY id`

// ListIntegrations returns the integrations of a project in the order in which they were made.
func (s *Store) ListIntegrations(ctx context.Context, projectID int64) ([]sett.Integration, error) {
	var found []sett.Integration
	rows, err := s.read.QueryContext(ctx, s.text(listIntegrations), projectID)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		i, err := scanIntegration(rows)
		found = append(found, i)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list integrations: %w", err)
	}
	return found, nil
}

func scanIntegration(rows *sql.Rows) (sett.Integration, error) {
	var i sett.Integration
	var events, sites, options, excluded, filters []byte
	err := rows.Scan(&i.ID, &i.ProjectID, &i.Type, &i.Active, &events, &sites, &options, &excluded, &filters)
	if err != nil {
		return i, err
	}
	for _, column := range []struct {
		name string
		json []byte
		dst  any
	}{
		{"events", events, &i.Events},
		{"site_ids", sites, &i.SiteIDs},
		{"options", options, &i.Options},
		{"excluded_environments", excluded, &i.ExcludedEnvironments},
		{"filters", filters, &i.Filters},
	} {
		if err := json.Unmarshal(column.json, column.dst); err != nil {
			return i, fmt.Errorf("read %s of integration %d: %w", column.name, i.ID, err)
		}
	}
	return i, nil
}
