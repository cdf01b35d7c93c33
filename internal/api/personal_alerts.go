package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

const personalAlertsPath = "/v2/projects/{project_id}/personal_alerts"

func (a *API) personalAlertRoutes() []serve.Route {
	const tag = "Personal alerts"
	return []serve.Route{
		{
			Method: "GET", Path: personalAlertsPath, Name: "getPersonalAlerts", Tag: tag, Permission: sett.ReadProject,
			Result: personalAlertsResult{}, Handle: a.getPersonalAlerts,
			Doc: "What the user is told of the project by mail.",
		},
		{
			Method: "PUT", Path: personalAlertsPath, Name: "updatePersonalAlerts", Tag: tag, Permission: sett.ReadProject,
			Body: personalAlertsBody{}, Status: http.StatusNoContent, Handle: a.updatePersonalAlerts,
			Doc: "Change what the user is told of the project by mail: only what is sent; null resets a field to its default. Nobody is told of what they did themselves, nor of what happens in muted environments or to paused and ignored faults.",
		},
	}
}

// personalAlertsResult is what a user wants to be told of, wrapped as it is sent.
type personalAlertsResult struct {
	PersonalAlerts PersonalAlerts `json:"personal_alerts"`
}

// PersonalAlerts are what a user wants to be told of a project.
type PersonalAlerts struct {
	Events   []string `json:"events" doc:"None: no event."`
	Mentions bool     `json:"mentions" doc:"Whether they are told of comments that name them, even when commented is not wanted."`
	Digest   string   `json:"digest" enum:"off,daily,weekly"`
}

func (a *API) getPersonalAlerts(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Store.PersonalAlerts(r.Context(), userID(r), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	v := PersonalAlerts{Events: []string{}, Mentions: p.Mentions, Digest: string(p.Digest)}
	for _, e := range p.Events {
		v.Events = append(v.Events, string(e))
	}
	return serve.WriteJSON(w, http.StatusOK, personalAlertsResult{v})
}

// personalAlertsBody is the body of an update.
type personalAlertsBody struct {
	PersonalAlerts sett.Optional[sett.PersonalAlertsChange] `json:"personal_alerts" required:"true"`
}

func (a *API) updatePersonalAlerts(w http.ResponseWriter, r *http.Request) error {
	var body personalAlertsBody
	change, err := readInside(w, r, &body, &body.PersonalAlerts, "personal_alerts", `{"digest": "daily"}`)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Store.UpdatePersonalAlerts(r.Context(), a.Now(), userID(r), pathID(r, "project_id"), change))
}
