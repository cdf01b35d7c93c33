package app

import (
	"context"
	"net/http"
	"time"
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
