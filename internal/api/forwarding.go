package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/forward"
)

const forwardingPath = "/v2/projects/{project_id}/forwarding"

func (a *API) forwardingRoutes() []serve.Route {
	const tag = "Forwarding"
	return []serve.Route{
		{
			Method: "GET", Path: forwardingPath, Name: "getForwarding", Tag: tag, Permission: accounts.ReadProject,
			Result: forwardingResult{}, Handle: a.getForwarding,
			Doc: "Get where a project forwards its reports to, and how many were accepted there on each day. 404 if it does not forward.",
		},
		{
			Method: "PUT", Path: forwardingPath, Name: "setForwarding", Tag: tag, Permission: accounts.ManageProject,
			Body: forwardingBody{}, Status: http.StatusNoContent, Handle: a.setForwarding,
			Doc: "Forward what the project receives to the service that it moves from, for some weeks. Reports go on in the protocol that they came in, once they are stored. It replaces what was set before.",
		},
		{
			Method: "DELETE", Path: forwardingPath, Name: "stopForwarding", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.stopForwarding,
			Doc: "Stop forwarding.",
		},
	}
}

// forwardingResult is the body of a response.
type forwardingResult struct {
	Forwarding Forwarding `json:"forwarding"`
}

// Forwarding is where a project forwards its reports to, and how it goes.
type Forwarding struct {
	Service   forward.Service `json:"service" enum:"sentry,honeybadger" doc:"The protocol of the reports that are forwarded."`
	Address   string          `json:"address" doc:"Where they go, without the key."`
	Active    bool            `json:"active" doc:"Whether it has not ended yet."`
	StartedAt time.Time       `json:"started_at"`
	EndsAt    time.Time       `json:"ends_at" doc:"When it ends by itself."`
	Problem   *string         `json:"problem" doc:"Why the last report that was not accepted was not; null if all were."`
	ProblemAt *time.Time      `json:"problem_at"`
	Days      []ForwardDay    `json:"days" doc:"The newest first, at most 90."`
}

// ForwardDay is what became of the reports of a day.
type ForwardDay struct {
	Day       string `json:"day" doc:"Day (UTC), such as 2026-11-25."`
	Stored    int64  `json:"stored_errors" doc:"Events of errors that sett stored."`
	Forwarded int64  `json:"forwarded_errors" doc:"Events of errors in the requests that the other service accepted."`
	Sent      int64  `json:"accepted" doc:"Requests that the other service accepted: errors, structured events, deploys and pings."`
	Refused   int64  `json:"refused" doc:"Requests that it refused, for example because of a quota."`
	Failed    int64  `json:"failed" doc:"Requests without a response, after three attempts."`
	Dropped   int64  `json:"dropped" doc:"Requests that were not sent because too many waited, because they were too large, or because the server was stopped."`
}

func (a *API) getForwarding(w http.ResponseWriter, r *http.Request) error {
	project := pathID(r, "project_id")
	f, err := a.Accounts.Forwarding(r.Context(), project)
	if err != nil {
		return err
	}
	days, err := a.Accounts.ForwardDays(r.Context(), a.Now(), project, f.Start)
	if err != nil {
		return err
	}
	shown := Forwarding{
		Service: f.Target.Service, Address: f.Target.Shown(), Active: f.Runs(a.Now()), StartedAt: f.Start, EndsAt: f.End,
		Days: viewAll(days, viewForwardDay),
	}
	if f.Problem.Text != "" {
		shown.Problem, shown.ProblemAt = &f.Problem.Text, nullTime(f.Problem.At)
	}
	return serve.WriteJSON(w, http.StatusOK, forwardingResult{shown})
}

func viewForwardDay(d forward.Day) ForwardDay {
	return ForwardDay{d.Day.Format("2006-01-02"), d.Received, d.Errors, d.Sent, d.Refused, d.Failed, d.Dropped}
}

// forwardingBody is the body of a change.
type forwardingBody struct {
	Forwarding sett.Optional[forward.ForwardingChange] `json:"forwarding" required:"true"`
}

func (a *API) setForwarding(w http.ResponseWriter, r *http.Request) error {
	var body forwardingBody
	change, err := readOwn(w, r, &body, &body.Forwarding, "forwarding", `{"address": "https://KEY@o0.ingest.sentry.io/42"}`, forward.ForwardingChange{})
	if err != nil {
		return err
	}
	to, end, err := change.Read(a.Now())
	if err != nil {
		return err
	}
	if err := a.Accounts.SetForwarding(r.Context(), a.Now(), pathID(r, "project_id"), to, end); err != nil {
		return err
	}
	a.Keys.Forget() // intake reads with the key that the project forwards
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) stopForwarding(w http.ResponseWriter, r *http.Request) error {
	if err := a.Accounts.StopForwarding(r.Context(), pathID(r, "project_id")); err != nil {
		return err
	}
	a.Keys.Forget()
	w.WriteHeader(http.StatusNoContent)
	return nil
}
