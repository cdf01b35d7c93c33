package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

const personalAlertsPath = "/v2/projects/{project_id}/personal_alerts"

func (a *API) personalAlertRoutes() []serve.Route {
	const tag = "Personal alerts"
	return []serve.Route{
		{
			Method: "GET", Path: personalAlertsPath, Name: "getPersonalAlerts", Tag: tag, Permission: accounts.ReadProject,
			Result: personalAlertsResult{}, Handle: a.getPersonalAlerts,
			Doc: "Get the email notification settings of the user for a project.",
		},
		{
			Method: "PUT", Path: personalAlertsPath, Name: "updatePersonalAlerts", Tag: tag, Permission: accounts.ReadProject,
			Body: personalAlertsBody{}, Status: http.StatusNoContent, Handle: a.updatePersonalAlerts,
			Doc: "Update the email notification settings of the user for a project. Only the fields you send change; null resets a field. Users receive no email about their own actions, muted environments, or paused and ignored faults.",
		},
	}
}

// personalAlertsResult is the body of a response with personal alerts.
type personalAlertsResult struct {
	PersonalAlerts PersonalAlerts `json:"personal_alerts"`
}

// PersonalAlerts are the email notification settings of a user for a project.
type PersonalAlerts struct {
	Events   []string `json:"events" doc:"Events that send an email; empty for none."`
	Mentions bool     `json:"mentions" doc:"Whether comments that mention the user send an email, even without the event commented."`
	Follows  bool     `json:"follows" doc:"Whether all that happens to faults that the user follows sends an email, whatever the events."`
	Digest   string   `json:"digest" enum:"off,daily,weekly"`
}

func (a *API) getPersonalAlerts(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Deliveries.PersonalAlerts(r.Context(), userID(r), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	v := PersonalAlerts{Events: []string{}, Mentions: p.Mentions, Follows: p.Follows, Digest: string(p.Digest)}
	for _, e := range p.Events {
		v.Events = append(v.Events, string(e))
	}
	return serve.WriteJSON(w, http.StatusOK, personalAlertsResult{v})
}

// personalAlertsBody is the body of an update.
type personalAlertsBody struct {
	PersonalAlerts sett.Optional[alerts.PersonalAlertsChange] `json:"personal_alerts" required:"true"`
}

func (a *API) updatePersonalAlerts(w http.ResponseWriter, r *http.Request) error {
	var body personalAlertsBody
	change, err := readOwn(w, r, &body, &body.PersonalAlerts, "personal_alerts", `{"digest": "daily"}`, PersonalAlerts{})
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Deliveries.UpdatePersonalAlerts(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), change))
}
