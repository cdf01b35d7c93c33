package ingest

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
)

// eventBody documents what clients send as an event.
type eventBody struct {
	Type string `json:"event_type,omitempty" doc:"Type of the event"`
	At   string `json:"ts,omitempty" doc:"Time of the event"`
}

// ignoredEvents is the answer to events. Clients look for errors in it, and those that read events want a list.
type ignoredEvents struct {
	Errors bool     `json:"errors"`
	Events []string `json:"events" doc:"Always empty: events are not stored."`
	Note   string   `json:"note"`
}

func (in *Ingest) eventRoutes() []serve.Route {
	return []serve.Route{
		{
			Method: http.MethodPost, Path: "/v1/events", Name: "reportEvents", Tag: "Reporting", Permission: sett.ReportWithKey,
			Body: eventBody{}, Raw: true, Result: ignoredEvents{}, Status: http.StatusCreated, Quiet: true, Handle: in.ignoreEvents,
			Doc: "Accept structured events, which some clients send by default, and discard them. The body contains one JSON object per line.",
		},
		{
			Method: http.MethodOptions, Path: "/v1/events", Name: "preflightEvents", Tag: "Reporting",
			Permission: sett.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight("POST, OPTIONS"),
		},
	}
}

// ignoreEvents answers with success and keeps nothing: of any other answer, some clients stop to report errors too
// (clients.md, "Events"). The body is not read.
func (in *Ingest) ignoreEvents(w http.ResponseWriter, r *http.Request) error {
	if _, err := in.project(r.Context(), requestKey(r)); err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, ignoredEvents{Events: []string{}, Note: "sett does not store events. Turn them off in the client to save requests."})
}
