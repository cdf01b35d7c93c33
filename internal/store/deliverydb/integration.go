package deliverydb

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// integrationColumns are the columns that integrationRow reads.
const integrationColumns = `i.id, i.project_id, i.type, i.active, i.events, i.site_ids, i.check_in_ids, i.options, i.excluded_environments,
    i.filters, i.rate, i.threshold, i.notification_limit, i.quiet_hours, i.failed_at, i.problem, i.created_at, i.updated_at,
    coalesce((SELECT e.to_id FROM escalation_rules e WHERE e.integration_id = i.id), 0), coalesce((SELECT e.minutes FROM escalation_rules e WHERE e.integration_id = i.id), 0)`

const listIntegrations = `-- deliverydb.ListIntegrations
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.project_id = $1 ORDER BY i.id`

const oneIntegration = `-- deliverydb.IntegrationByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.project_id = $1 AND i.id = $2`

// ListIntegrations returns the integrations of a project in order of creation.
func (s *Store) ListIntegrations(ctx context.Context, projectID int64) ([]alerts.Integration, error) {
	return s.ReadIntegrations(ctx, s.db.Read, projectID)
}

// ReadIntegrations is ListIntegrations in a snapshot.
func (s *Store) ReadIntegrations(ctx context.Context, q db.Querier, projectID int64) ([]alerts.Integration, error) {
	found, err := s.integrations(ctx, q, listIntegrations, projectID)
	if err != nil {
		return nil, fmt.Errorf("list integrations: %w", err)
	}
	return found, nil
}

// IntegrationByID returns an integration of a project, or a NotFound error.
func (s *Store) IntegrationByID(ctx context.Context, projectID, id int64) (alerts.Integration, error) {
	return s.integration(ctx, s.db.Read, projectID, id)
}

func (s *Store) integration(ctx context.Context, q db.Querier, projectID, id int64) (alerts.Integration, error) {
	found, err := s.integrations(ctx, q, oneIntegration, projectID, id)
	switch {
	case err != nil:
		return alerts.Integration{}, fmt.Errorf("find integration: %w", err)
	case len(found) == 0:
		return alerts.Integration{}, sett.Errorf(sett.NotFound, "Integration not found")
	}
	return found[0], nil
}

// integrations runs a statement that returns integrationColumns.
func (s *Store) integrations(ctx context.Context, q db.Querier, statement string, args ...any) (found []alerts.Integration, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		i, err := s.scanIntegration(rows)
		found = append(found, i)
		return err
	})
	return found, err
}

// integrationRow is an integration while it is read; scan a row into the result of into.
type integrationRow struct {
	alerts.Integration
	events, sites, checkIns, options, excluded, filters []byte
	quiet                                               string
	failed, created, updated                            int64
	escalation                                          alerts.Escalation
}

func (r *integrationRow) into() []any {
	return []any{
		&r.ID, &r.ProjectID, &r.Type, &r.Active, &r.events, &r.sites, &r.checkIns, &r.options, &r.excluded,
		&r.filters, &r.Rate, &r.Threshold, &r.NotificationLimit, &r.quiet, &r.failed, &r.Problem, &r.created, &r.updated,
		&r.escalation.ChannelID, &r.escalation.Minutes,
	}
}

// integrationOf returns the scanned integration. An error is unreadable, except when this server lacks the key.
func (s *Store) integrationOf(r *integrationRow) (alerts.Integration, error) {
	r.FailedAt, r.CreatedAt, r.UpdatedAt = db.FromMicros(r.failed), db.FromMicros(r.created), db.FromMicros(r.updated)
	if r.QuietHours = readQuiet(r.quiet); r.escalation.ChannelID != 0 {
		r.Escalation = &r.escalation
	}
	options, err := s.db.Reveal(sealedOptions, string(r.options), r.ID)
	if err != nil {
		return r.Integration, err
	}
	r.options = []byte(options)
	for _, column := range []struct {
		name string
		json []byte
		dst  any
	}{
		{"events", r.events, &r.Events},
		{"site_ids", r.sites, &r.SiteIDs},
		{"check_in_ids", r.checkIns, &r.CheckInIDs},
		{"options", r.options, &r.Options},
		{"excluded_environments", r.excluded, &r.ExcludedEnvironments},
		{"filters", r.filters, &r.Filters},
	} {
		if err := json.Unmarshal(column.json, column.dst); err != nil {
			return r.Integration, db.UnreadableError(fmt.Errorf("read %s of integration %d: %w", column.name, r.ID, err))
		}
	}
	return r.Integration, nil
}

func (s *Store) scanIntegration(rows *sql.Rows) (alerts.Integration, error) {
	var r integrationRow
	if err := rows.Scan(r.into()...); err != nil {
		return alerts.Integration{}, err
	}
	return s.integrationOf(&r)
}
