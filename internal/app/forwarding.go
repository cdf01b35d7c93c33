package app

import (
	"context"
	"net/http"
	"time"

	"sett/internal/base/about"
	"sett/internal/notify/relay"
	"sett/internal/serve"
)

// The bounds of requests to services that projects move from.
const (
	forwardTimeout = 15 * time.Second
	forwardIdle    = 30 * time.Second // how long a connection waits for the next report
	forwardDrain   = 2 * time.Second  // how long a stop waits for what is left
)

// newRelay returns what forwards reports. Its connections are used for many requests: they go where each of them has to go anyway.
func (a *App) newRelay() *relay.Relay {
	transport := a.outbound(a.cfg.egress()).Transport()
	transport.DisableKeepAlives, transport.IdleConnTimeout, transport.MaxIdleConnsPerHost = false, forwardIdle, 4
	client := &http.Client{
		Transport: transport, Timeout: forwardTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return relay.New(relay.Options{
		Do: client.Do, Read: a.store.Accounts.Forwarding, Now: a.now, Agent: "sett/" + about.Current().Version,
		Mark: func() string { return serve.OutboundMark(a.cfg.BaseURL) },
	})
}

// stopForwarding sends what is left for a moment, and counts the rest as dropped.
func (a *App) stopForwarding(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, forwardDrain)
	defer cancel()
	a.relay.Close(ctx)
}
