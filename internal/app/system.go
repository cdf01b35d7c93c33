package app

import (
	"context"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

// Readiness is the answer of /readyz: "ok" or what is wrong, check by check.
type Readiness struct {
	Ready  bool              `json:"ready"`
	Checks map[string]string `json:"checks"`
}

// systemRoutes tell operators how the server is.
func (a *App) systemRoutes() []serve.Route {
	return []serve.Route{
		{
			Method: "GET", Path: "/healthz", Name: "health", Tag: "System", Permission: sett.Public, Quiet: true,
			Doc: "Answers as long as the process runs.", Result: map[string]string{}, Status: http.StatusOK, Handle: a.health,
		},
		{
			Method: "GET", Path: "/readyz", Name: "readiness", Tag: "System", Permission: sett.Public, Quiet: true,
			Doc:    "Answers 200 when requests can be served, 503 when not: the database answers, its schema is current, the server is not stopping.",
			Result: Readiness{}, Status: http.StatusOK, Also: []int{http.StatusServiceUnavailable}, Handle: a.readiness,
		},
		a.metricsRoute(),
	}
}

func (a *App) health(w http.ResponseWriter, _ *http.Request) error {
	return serve.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

func (a *App) readiness(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	checks := map[string]string{"database": "ok", "schema": "ok", "serving": "ok"}
	if err := a.store.Ping(ctx); err != nil {
		checks["database"] = "does not answer"
	}
	switch current, err := a.store.Current(ctx); {
	case err != nil:
		checks["schema"] = "cannot be read"
	case !current:
		checks["schema"] = "is not the one of this version; run sett migrate"
	}
	if a.draining.Load() {
		checks["serving"] = "is stopping"
	}
	status, ready := http.StatusOK, true
	for _, state := range checks {
		if state != "ok" {
			status, ready = http.StatusServiceUnavailable, false
		}
	}
	return serve.WriteJSON(w, status, Readiness{ready, checks})
}
