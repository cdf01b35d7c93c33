package app

import (
	"context"
	"net/http"
	"sync"
	"time"

	"sett/internal/base/about"
	"sett/internal/notify/relay"
	"sett/internal/sett/forward"
)

// The bounds of requests to services that projects move from.
const (
	forwardTimeout = 15 * time.Second
	forwardIdle    = 30 * time.Second // how long a connection waits for the next report
	forwardDrain   = 2 * time.Second  // how long a stop waits for what is left
)

// newRelay returns what forwards reports. Its client is made for the first: the address of the server, which marks its requests, is known by then.
func (a *App) newRelay() *relay.Relay {
	do := sync.OnceValue(func() relay.Doer { return a.outbound(a.cfg.egress()).Reusing(forwardTimeout, forwardIdle).Do })
	read := a.store.Accounts.Forwarding
	if a.demo != nil { // it sends nothing
		read = func(context.Context, int64) (f forward.Forwarding, err error) { return f, nil }
	}
	return relay.New(relay.Options{
		Do:   func(r *http.Request) (*http.Response, error) { return do()(r) },
		Read: read, Now: a.now, Agent: "sett/" + about.Current().Version,
	})
}

// stopForwarding sends what is left for a moment, and counts the rest as dropped.
func (a *App) stopForwarding(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, forwardDrain)
	defer cancel()
	a.relay.Close(ctx)
}
