package app

import (
	"context"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Readiness is the answer of /readyz: "ok" or what is wrong, check by check.
type Readiness struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"`
}

// notReadyFor is when to look again at a server that is not ready.
const notReadyFor = 5 * time.Second

// systemRoutes show operators the state of the server.
func (a *App) systemRoutes(proxies serve.Proxies, metrics serve.Route) []serve.Route {
	return append(a.securityRoutes(), []serve.Route{
		{
			Method: "GET", Path: "/healthz", Name: "health", Tag: "System", Permission: accounts.Public, Quiet: true,
			Doc: "Returns 200 while the process is running. The field proxy reports a proxy that is not trusted.", Result: map[string]string{}, Status: http.StatusOK, Handle: health(proxies),
		},
		{
			Method: "GET", Path: "/readyz", Name: "readiness", Tag: "System", Permission: accounts.Public, Quiet: true,
			Doc:    "Returns 200 when the server can handle requests: the database responds and accepts writes, its schema is current, and the server is not stopping. Returns 503 otherwise.",
			Result: Readiness{}, Status: http.StatusOK, Also: []int{http.StatusServiceUnavailable}, Handle: a.readiness,
		},
		{
			Method: "GET", Path: "/readyz/reports", Name: "reportReadiness", Tag: "System", Permission: accounts.Public, Quiet: true,
			Doc:    "Returns 200 when the server accepts reports of errors, deploys and check-ins, also while it keeps them in its spool because PostgreSQL does not respond. For load balancers that pass on reports.",
			Result: Readiness{}, Status: http.StatusOK, Also: []int{http.StatusServiceUnavailable}, Handle: a.intakeReadiness,
		},
		metrics,
	}...)
}

func health(proxies serve.Proxies) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		answer := map[string]string{"status": "ok"}
		if proxies.Unknown(r) {
			answer["proxy"] = serve.UnknownProxy
		}
		return serve.WriteJSON(w, http.StatusOK, answer)
	}
}

func (a *App) readiness(w http.ResponseWriter, r *http.Request) error {
	checks, ready := a.checks(r.Context())
	return answerReadiness(w, Readiness{ready, checks})
}

// checks returns the state of everything that requests need, and whether they can be handled.
func (a *App) checks(ctx context.Context) (checks map[string]string, ready bool) {
	checks, ready = map[string]string{"serving": "ok"}, true
	for check, err := range a.readinessProbe.see(ctx) {
		checks[check], ready = stateOf(a.store.Explain(err)), ready && err == nil
	}
	if on, _, err := a.heartbeat.state(); on {
		checks["heartbeat"] = stateOf(err) // requests are handled all the same
	}
	if state, ok := a.spool.State(); ok {
		checks["spool"] = spoolText(state)
		ready = ready && !(state.Holding && state.Full) // then reports are refused, whatever the database does
	}
	if a.draining.Load() {
		checks["serving"], ready = "is stopping", false
	}
	return checks, ready
}

func answerReadiness(w http.ResponseWriter, found Readiness) error {
	if found.Ready {
		return serve.WriteJSON(w, http.StatusOK, found)
	}
	serve.SetRetryAfter(w.Header(), &sett.Error{Code: sett.Unavailable, RetryAfter: notReadyFor})
	return serve.WriteJSON(w, http.StatusServiceUnavailable, found)
}
