package ingest

import (
	"cmp"
	"net/http"

	"sett/internal/ingest/ndjson"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// The bounds of a request with events, in bytes. The service that the clients are made for accepts 5 MB; a client for Ruby on Rails sends up to 1,000
// events at once.
const (
	maxEventsSent  = 2 << 20
	maxEventsPlain = 5 << 20
)

// logCategory is the category of structured events that are not stored, whatever they came as.
const logCategory = "log_item"

// eventBody documents what clients send as an event.
type eventBody struct {
	Type string `json:"event_type,omitempty" doc:"Type of the event"`
	At   string `json:"ts,omitempty" doc:"Time of the event, RFC 3339. Without one, the time of the request counts"`
}

// takenEvents is the answer to events. Clients look for errors in it.
type takenEvents struct {
	Errors bool         `json:"errors" doc:"Whether some of the events are not stored"`
	Events []takenEvent `json:"events" doc:"One for each event, in their order"`
	Note   string       `json:"note,omitempty"`
}

type takenEvent struct {
	Status int    `json:"status" doc:"201, or the status of the error"`
	Error  string `json:"error,omitempty"`
}

func (in *Ingest) eventRoutes() []serve.Route {
	return []serve.Route{
		{
			Method: http.MethodPost, Path: "/v1/events", Name: "reportEvents", Tag: "Reporting", Permission: accounts.ReportWithKey,
			Body: eventBody{}, Raw: true, Result: takenEvents{}, Status: http.StatusCreated, Quiet: true, Handle: in.postEvents,
			Doc: "Store structured events. The body contains one JSON object per line, with any keys, and can be compressed with gzip, deflate, br or zstd. At most 5 MiB of JSON, 100 KiB per event.",
		},
		{
			Method: http.MethodOptions, Path: "/v1/events", Name: "preflightEvents", Tag: "Reporting",
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight("POST, OPTIONS"),
		},
	}
}

// postEvents takes events. It answers 201 only once they are durably stored. Of any other answer, some clients stop to report events for an
// hour (clients.md, "Events"), so that a server which stores none answers so too.
func (in *Ingest) postEvents(w http.ResponseWriter, r *http.Request) error {
	project, err := in.project(r.Context(), requestKey(r))
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	m := in.memories.take()
	body, err := in.inflatedTo(w, r, m, maxEventsSent, maxEventsPlain)
	if err != nil {
		in.dropFor(project, logCategory, err, 1)
		return err
	}
	if !in.events.On() {
		in.drop(project, logCategory, stats.DroppedUnsupported, ndjson.Count(body))
		return serve.WriteJSON(w, http.StatusCreated, takenEvents{Events: []takenEvent{}, Note: "This server does not store events. Turn them off in the client to save requests."})
	}
	if err := in.events.check(project.ProjectID); err != nil {
		in.dropFor(project, logCategory, err, ndjson.Count(body))
		return err
	}
	if err := serve.Hold(r.Context(), 3*len(body)); err != nil { // what is read has memory of its own
		return err
	}
	lines, err := ndjson.Read(body, m.contentType, in.now())
	if err != nil {
		in.dropFor(project, logCategory, err, ndjson.Count(body))
		return err
	}
	sent := in.newEvents(project)
	answer := takenEvents{Events: []takenEvent{}}
	var failure error
	for _, line := range lines {
		taken := takenEvent{Status: http.StatusCreated}
		if line.Err != nil {
			e := serve.Explain(r, line.Err)
			taken = takenEvent{serve.Status(e.Code), e.Message}
			answer.Errors, failure = true, cmp.Or(failure, line.Err)
			in.dropFor(project, logCategory, line.Err, 1)
		} else {
			sent.add(ndjson.Noted(line.Event, m.notes), line.Bytes)
		}
		answer.Events = append(answer.Events, taken)
	}
	if sent.count == 0 && failure != nil {
		return failure
	}
	if err := in.submitEvents(sent); err != nil {
		return err
	}
	in.forwardReport(r, project, requestKey(r), m.contentType, body, 0)
	in.memories.giveBack(m)
	return serve.WriteJSON(w, http.StatusCreated, answer)
}
