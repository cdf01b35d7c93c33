package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

// Integration is a channel of a project as the contract shows one.
type Integration struct {
	ID                   int64                    `json:"id"`
	Active               bool                     `json:"active"`
	Type                 string                   `json:"type" doc:"Such as WebHook."`
	Events               []sett.AlertEvent        `json:"events" doc:"The events that the channel is told of, such as occurred."`
	SiteIDs              []string                 `json:"site_ids" doc:"The uptime checks that the channel is told of; none means all."`
	Options              map[string]any           `json:"options" doc:"What it holds depends on the type."`
	ExcludedEnvironments []string                 `json:"excluded_environments"`
	Filters              []sett.IntegrationFilter `json:"filters"`
}

func viewIntegration(i sett.Integration) Integration {
	return Integration{
		ID: i.ID, Active: i.Active, Type: i.Type, Events: orEmpty(i.Events), SiteIDs: orEmpty(i.SiteIDs), Options: object(i.Options),
		ExcludedEnvironments: orEmpty(i.ExcludedEnvironments), Filters: orEmpty(i.Filters),
	}
}

// listIntegrations answers with a bare array (contract, General rules 3).
func (a *API) listIntegrations(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Store.ListIntegrations(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, viewIntegration))
}
