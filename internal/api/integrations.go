package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

const (
	integrationsPath = "/v2/projects/{project_id}/integrations"
	integrationPath  = integrationsPath + "/{integration_id}"
)

func (a *API) integrationRoutes() []serve.Route {
	const tag = "Integrations"
	return []serve.Route{
		{
			Method: "GET", Path: "/v2/integration_kinds", Name: "listIntegrationKinds", Tag: tag, Permission: accounts.SignedIn,
			Result: []IntegrationKind{}, Handle: a.listIntegrationKinds,
			Doc: "List the types of integrations with their options.",
		},
		{
			Method: "GET", Path: integrationsPath, Name: "listIntegrations", Tag: tag, Permission: accounts.ReadProject,
			Result: []Integration{}, Handle: a.listIntegrations,
			Doc: "List the integrations of a project: its notification channels and issue trackers.",
		},
		{
			Method: "POST", Path: integrationsPath, Name: "createIntegration", Tag: tag, Permission: accounts.ManageProject,
			Body: createIntegrationBody{}, Result: Integration{}, Status: http.StatusCreated, Handle: a.createIntegration,
			Doc: fmt.Sprintf("Create an integration. A project can have at most %d. ", alerts.MaxIntegrations) +
				"Only this response shows its secrets, including generated ones.",
		},
		{
			Method: "GET", Path: integrationPath, Name: "getIntegration", Tag: tag, Permission: accounts.ReadProject,
			Result: Integration{}, Handle: a.getIntegration,
			Doc: "Get an integration.",
		},
		{
			Method: "PUT", Path: integrationPath, Name: "updateIntegration", Tag: tag, Permission: accounts.ManageProject,
			Body: integrationBody{}, Status: http.StatusNoContent, Handle: a.updateIntegration,
			Doc: "Update an integration. Only the fields and options you send change; null resets a field. The type cannot be changed. A masked secret that you send back stays the same. An update clears the error state of the integration.",
		},
		{
			Method: "DELETE", Path: integrationPath, Name: "deleteIntegration", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteIntegration,
			Doc: "Delete an integration with its deliveries and its links to issues. Deliveries that are still due are not sent.",
		},
	}
}

// Integration is a channel of a project as the contract shows one, with what people can set or want to know beyond it.
type Integration struct {
	ID                   int64                      `json:"id"`
	Active               bool                       `json:"active" doc:"If false, it receives no notifications."`
	Type                 kindName                   `json:"type" doc:"The type of the channel."`
	Events               []alerts.AlertEvent        `json:"events" doc:"The events that it receives, such as occurred."`
	SiteIDs              []string                   `json:"site_ids" doc:"The uptime checks whose events it receives; empty for all."`
	CheckInIDs           []string                   `json:"check_in_ids" doc:"The check-ins whose events it receives; empty for all."`
	Options              kindOptions                `json:"options"`
	ExcludedEnvironments []string                   `json:"excluded_environments" doc:"Environments whose events it does not receive."`
	Filters              []alerts.IntegrationFilter `json:"filters" doc:"If an event has filters, it is sent only if the fault matches one of them."`
	Rate                 *string                    `json:"rate" enum:"min,hour,wday,week" doc:"For rate_exceeded: the period in which notices are counted. Null if the event is off."`
	Threshold            *int64                     `json:"threshold" doc:"For rate_exceeded: the event is sent when a fault has more notices than this within rate."`
	NotificationLimit    int64                      `json:"notification_limit" doc:"Maximum number of messages in ten minutes."`
	Escalation           *alerts.Escalation         `json:"escalation" doc:"Where its urgent alerts are sent on to when no person acknowledges them in time; null for nowhere."`
	QuietHours           *alerts.QuietHours         `json:"quiet_hours" doc:"Times without notifications; they are sent when the quiet hours end. Null for none."`
	QuietUntil           *time.Time                 `json:"quiet_until" doc:"End of the current quiet hours; null outside of them."`
	FailedAt             *time.Time                 `json:"failed_at" doc:"Time of the last failed delivery since the last update; null for none."`
	Problem              *string                    `json:"problem" doc:"Error of that delivery."`
	WebhookURL           *string                    `json:"webhook_url" doc:"Address for the webhook of the issue tracker, which it signs with the option webhook_secret. Null for types whose webhooks sett does not read."`
	CreatedAt            time.Time                  `json:"created_at"`
	UpdatedAt            time.Time                  `json:"updated_at" doc:"Time of the last update by a user."`
}

// viewIntegration shows an integration without its secrets.
func (a *API) viewIntegration(i alerts.Integration) Integration {
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

// viewWithSecrets shows an integration to the user who has just created it.
func (a *API) viewWithSecrets(i alerts.Integration) Integration {
	v := Integration{
		ID: i.ID, Active: i.Active, Type: kindName(i.Type), Events: orEmpty(i.Events), SiteIDs: orEmpty(i.SiteIDs), CheckInIDs: orEmpty(i.CheckInIDs),
		Options: object(i.Options), ExcludedEnvironments: orEmpty(i.ExcludedEnvironments), Filters: orEmpty(i.Filters), Rate: nullText(string(i.Rate)),
		NotificationLimit: i.NotificationLimit, Escalation: i.Escalation, QuietHours: viewQuietHours(i.QuietHours), QuietUntil: nullTime(i.QuietHours.Ends(a.Now())), FailedAt: nullTime(i.FailedAt), Problem: nullText(i.Problem), CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt,
	}
	if kind, ok := channel.Find(i.Type); ok && kind.Hears {
		v.WebhookURL = nullText(i.WebhookURL(a.BaseURL))
	}
	if i.Threshold > 0 {
		v.Threshold = &i.Threshold
	}
	if i.UpdatedAt.IsZero() { // made before this was kept
		v.UpdatedAt = i.CreatedAt
	}
	return v
}

func viewQuietHours(q *alerts.QuietHours) *alerts.QuietHours {
	if q == nil {
		return nil
	}
	shown := *q
	shown.Days = orEmpty(q.Days)
	return &shown
}

// listIntegrations answers with a bare array (contract, General rules 3).
func (a *API) listIntegrations(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Deliveries.ListIntegrations(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewAll(found, a.viewIntegration))
}

// integrationFields are the fields that people write.
type integrationFields struct {
	Type    sett.Optional[kindName]    `json:"type,omitzero" doc:"Required on creation; cannot be changed." null:"no" example:"WebHook"`
	Options sett.Optional[kindOptions] `json:"options,omitzero"`
	alerts.IntegrationChange
}

// change returns the fields as rules take them.
func (f integrationFields) change() alerts.IntegrationChange {
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

func readIntegrationChange(w http.ResponseWriter, r *http.Request) (alerts.IntegrationChange, error) {
	var body integrationBody
	fields, err := readInside(w, r, &body, &body.Integration, "integration", `{"type": "WebHook", "options": {"url": "https://example.org/hook"}}`)
	return fields.change(), err
}

func (a *API) createIntegration(w http.ResponseWriter, r *http.Request) error {
	change, err := readIntegrationChange(w, r)
	if err != nil {
		return err
	}
	made, err := a.Deliveries.CreateIntegration(r.Context(), a.Now(), pathID(r, "project_id"), channel.Rules(), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewWithSecrets(made))
}

// integration returns the integration that the path names. That it is missing is said before what is wrong with a body.
func (a *API) integration(r *http.Request) (alerts.Integration, error) {
	return a.Deliveries.IntegrationByID(r.Context(), pathID(r, "project_id"), pathID(r, "integration_id"))
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
	return done(w, http.StatusNoContent, a.Deliveries.UpdateIntegration(r.Context(), a.Now(), i.ProjectID, i.ID, channel.Rules(), change))
}

// deleteIntegration finishes what it began, whether or not the client waits for it: the deliveries may be many.
func (a *API) deleteIntegration(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	return done(w, http.StatusNoContent, a.Deliveries.DeleteIntegration(ctx, pathID(r, "project_id"), pathID(r, "integration_id")))
}
