package deliverydb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestListIntegrations(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		insert := `INSERT INTO integrations (id, project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)`
		d.Run(insert, 2, d.ProjectID, "WebHook", true, `["occurred","assigned"]`, `["5f3c"]`, `{"url":"https://x.test"}`, `["staging"]`, `[{"event":"all","query":"-is:resolved"}]`)
		d.Run(insert, 1, d.ProjectID, "Github", false, `[]`, `[]`, `{}`, `[]`, `[]`)
		d.Run(insert, 3, other.ID, "Slack", true, `[]`, `[]`, `{}`, `[]`, `[]`)

		got, err := s.Deliveries.ListIntegrations(t.Context(), d.ProjectID)
		want := []alerts.Integration{
			{
				ID: 1, ProjectID: d.ProjectID, IntegrationSettings: alerts.IntegrationSettings{
					Type: "Github", Events: []alerts.AlertEvent{}, SiteIDs: []string{}, CheckInIDs: []string{}, Options: map[string]any{},
					ExcludedEnvironments: []string{}, Filters: []alerts.IntegrationFilter{}, NotificationLimit: 30,
				},
			},
			{
				ID: 2, ProjectID: d.ProjectID, IntegrationSettings: alerts.IntegrationSettings{
					Type: "WebHook", Active: true, Events: []alerts.AlertEvent{"occurred", "assigned"}, SiteIDs: []string{"5f3c"},
					CheckInIDs: []string{}, Options: map[string]any{"url": "https://x.test"}, ExcludedEnvironments: []string{"staging"},
					Filters: []alerts.IntegrationFilter{{Event: "all", Query: "-is:resolved"}}, NotificationLimit: 30,
				},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, integrations (-want +got):\n%s", err, diff)
		}

		d.Run(`UPDATE integrations SET options = 'broken' WHERE id = 2`)
		if _, err := s.Deliveries.ListIntegrations(t.Context(), d.ProjectID); err == nil || !strings.Contains(err.Error(), "options of integration 2") {
			t.Errorf("options that are no JSON: %v", err)
		}
	})
}
