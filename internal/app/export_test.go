package app

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sett/internal/serve"
)

// SendThrough has everything that channels and subscribers are sent go through a transport in place of the network, for
// tests of services that have one address for all.
func (a *App) SendThrough(t http.RoundTripper) {
	a.dispatcher.Tools.HTTP, a.statusNotifier.Tools.HTTP = &http.Client{Transport: t}, &http.Client{Transport: t}
}

// Beat sends one heartbeat to a URL unless a check has found a problem.
func Beat(ctx context.Context, url string, found map[string]error) error {
	h := heartbeat{url: url}
	return h.beat(ctx, time.Now(), found)
}

// SpoolsMayHoldPings reports whether check-ins are watched as if pings may be in a spool.
func (a *App) SpoolsMayHoldPings() bool { return a.checkInOptions().Spools }

// SystemRoutes are the routes for operators and of the documents, of a server with a security contact.
func SystemRoutes() []serve.Route {
	a := &App{cfg: Config{SecurityContact: "security@example.org"}}
	return append(a.systemRoutes(serve.Proxies{}, a.serveMetrics(serve.Proxies{}, prometheus.NewRegistry())), a.documentRoutes(nil)...)
}
