package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sett/internal/channel"
	"sett/internal/serve"
	"sett/internal/sett"
)

const (
	integrationsPath = "/v2/projects/{project_id}/integrations"
	integrationPath  = integrationsPath + "/{integration_id}"
)

func (a *API) integrationRoutes() []serve.Route {
	const tag = "Integrations"
	return []serve.Route{
		{
			Method: "GET", Path: "/v2/integration_kinds", Name: "listIntegrationKinds", Tag: tag, Permission: sett.SignedIn,
			Result: []IntegrationKind{}, Handle: a.listIntegrationKinds,
			Doc: "The types that integrations can have, with their options.",
		},
		{
			Method: "GET", Path: integrationsPath, Name: "listIntegrations", Tag: tag, Permission: sett.ReadProject,
			Result: []Integration{}, Handle: a.listIntegrations,
			Doc: "The integrations of a project: the places outside that are told of its events, and its issue trackers.",
		},
		{
			Method: "POST", Path: integrationsPath, Name: "createIntegration", Tag: tag, Permission: sett.ManageProject,
			Body: createIntegrationBody{}, Result: Integration{}, Status: http.StatusCreated, Handle: a.createIntegration,
			Doc: fmt.Sprintf("Make an integration; a project can have at most %d. ", sett.MaxIntegrations) +
				"This answer alone shows its secrets, also those that were made for it.",
		},
		{
			Method: "GET", Path: integrationPath, Name: "getIntegration", Tag: tag, Permission: sett.ReadProject,
			Result: Integration{}, Handle: a.getIntegration,
			Doc: "An integration.",
		},
		{
			Method: "PUT", Path: integrationPath, Name: "updateIntegration", Tag: tag, Permission: sett.ManageProject,
			Body: integrationBody{}, Status: http.StatusNoContent, Handle: a.updateIntegration,
			Doc: "Change an integration: only what is sent, also of its options; null resets. The type is never changed. A secret that is sent back as it is shown stays. What was wrong with the integration counts as mended.",
		},
		{
			Method: "DELETE", Path: integrationPath, Name: "deleteIntegration", Tag: tag, Permission: sett.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteIntegration,
			Doc: "Delete an integration with its deliveries and its links of faults. What it was still to be told it is told no more.",
		},
	}
}

// Integration is a channel of a project as the contract shows one, with what people can set or want to know beyond it.
type Integration struct {
	ID                   int64                    `json:"id"`
	Active               bool                     `json:"active" doc:"False: it is told of nothing."`
	Type                 kindName                 `json:"type" doc:"What kind of channel it is."`
	Events               []sett.AlertEvent        `json:"events" doc:"The events that it is told of, such as occurred."`
	SiteIDs              []string                 `json:"site_ids" doc:"The uptime checks that it is told of; none means all."`
	CheckInIDs           []string                 `json:"check_in_ids" doc:"The check-ins that it is told of; none means all."`
	Options              kindOptions              `json:"options"`
	ExcludedEnvironments []string                 `json:"excluded_environments" doc:"Environments that it is told nothing of."`
	Filters              []sett.IntegrationFilter `json:"filters" doc:"Where there are filters for an event, it is told only when the fault matches one of them."`
	Rate                 *string                  `json:"rate" enum:"min,hour,wday,week" doc:"Of rate_exceeded: in which time occurrences are counted. Null when it is never told of that event."`
	Threshold            *int64                   `json:"threshold" doc:"Of rate_exceeded: it is told when a fault occurred more often than this within rate."`
	NotificationLimit    int64                    `json:"notification_limit" doc:"How many messages it gets in ten minutes."`
	QuietHours           *sett.QuietHours         `json:"quiet_hours" doc:"When it is told nothing: what happens then is told when they end. Null for none."`
	QuietUntil           *time.Time               `json:"quiet_until" doc:"When the quiet hours end that it has now; null when it has none now."`
	FailedAt             *time.Time               `json:"failed_at" doc:"When it last could not be told for good, since it was changed; null when nothing is wrong."`
	Problem              *string                  `json:"problem" doc:"What was wrong then."`
	CreatedAt            time.Time                `json:"created_at"`
	UpdatedAt            time.Time                `json:"updated_at" doc:"When people last changed it."`
}

// viewIntegration shows an integration without its secrets.
func (a *API) viewIntegration(i sett.Integration) Integration {
	i.Options = ViewOptions(i.Type, i.Options)
	return a.viewWithSecrets(i)
}

// ViewOptions returns the options of an integration without its secrets. Of a type that is unknown, anything may be one.
func ViewOptions(kind string, options map[string]any) map[string]any {
	if k, ok := channel.Find(kind); ok {
		return k.Show(options)
	}
	masked := map[string]any{}
	for name := range options {
		masked[name] = channel.Mask
	}
	return masked
}

// viewWithSecrets shows an integration to whoever made it just now.
func (a *API) viewWithSecrets(i sett.Integration) Integration {
	v := Integration{
		ID: i.ID, Active: i.Active, Type: kindName(i.Type), Events: orEmpty(i.Events), SiteIDs: orEmpty(i.SiteIDs), CheckInIDs: orEmpty(i.CheckInIDs),
		Options: object(i.Options), ExcludedEnvironments: orEmpty(i.ExcludedEnvironments), Filters: orEmpty(i.Filters), Rate: nullText(string(i.Rate)),
		NotificationLimit: i.NotificationLimit, QuietHours: viewQuietHours(i.QuietHours), QuietUntil: nullTime(i.QuietHours.Ends(a.Now())), FailedAt: nullTime(i.FailedAt), Problem: nullText(i.Problem), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	if i.Threshold > 0 {
		v.Threshold = &i.Threshold
	}
	if i.UpdatedAt.IsZero() { // made before this was kept
		v.UpdatedAt = i.CreatedAt
	}
	return v
}

func viewQuietHours(q *sett.QuietHours) *sett.QuietHours {
	if q == nil {
		return nil
	}
	shown := *q
	shown.Days = orEmpty(q.Days)
	return &shown
}

// listIntegrations answers with a bare array (contract, General rules 3).
func (a *API) listIntegrations(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Store.ListIntegrations(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, a.viewIntegration))
}

// integrationFields are the fields that people write.
type integrationFields struct {
	Type    sett.Optional[kindName]    `json:"type,omitzero" doc:"Required when creating, and never changed." null:"no" example:"WebHook"`
	Options sett.Optional[kindOptions] `json:"options,omitzero"`
	sett.IntegrationChange
}

// change returns the fields as rules take them.
func (f integrationFields) change() sett.IntegrationChange {
	f.IntegrationChange.Type = sett.Optional[string]{Sent: f.Type.Sent, Null: f.Type.Null, Value: string(f.Type.Value), Bad: f.Type.Bad}
	f.IntegrationChange.Options = sett.Optional[map[string]any]{Sent: f.Options.Sent, Null: f.Options.Null, Value: f.Options.Value, Bad: f.Options.Bad}
	return f.IntegrationChange
}

// integrationBody is the body of an integration's update.
type integrationBody struct {
	Integration sett.Optional[integrationFields] `json:"integration" required:"true"`
}

// createIntegrationBody is the body that makes an integration.
type createIntegrationBody struct {
	Integration sett.Optional[integrationFields] `json:"integration" required:"true" needs:"type"`
}

func readIntegrationChange(w http.ResponseWriter, r *http.Request) (sett.IntegrationChange, error) {
	var body integrationBody
	fields, err := readInside(w, r, &body, &body.Integration, "integration", `{"type": "WebHook", "options": {"url": "https://example.org/hook"}}`)
	return fields.change(), err
}

func (a *API) createIntegration(w http.ResponseWriter, r *http.Request) error {
	change, err := readIntegrationChange(w, r)
	if err != nil {
		return err
	}
	made, err := a.Store.CreateIntegration(r.Context(), a.Now(), pathID(r, "project_id"), channel.Rules(), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewWithSecrets(made))
}

// integration returns the integration that the path names. That it is missing is said before what is wrong with a body.
func (a *API) integration(r *http.Request) (sett.Integration, error) {
	return a.Store.IntegrationByID(r.Context(), pathID(r, "project_id"), pathID(r, "integration_id"))
}

func (a *API) getIntegration(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integration(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewIntegration(i))
}

func (a *API) updateIntegration(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integration(r)
	if err != nil {
		return err
	}
	change, err := readIntegrationChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Store.UpdateIntegration(r.Context(), a.Now(), i.ProjectID, i.ID, channel.Rules(), change))
}

// deleteIntegration finishes what it began, whether or not the client waits for it: the deliveries may be many.
func (a *API) deleteIntegration(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	return done(w, http.StatusNoContent, a.Store.DeleteIntegration(ctx, pathID(r, "project_id"), pathID(r, "integration_id")))
}
