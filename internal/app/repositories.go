package app

import (
	"time"

	"sett/internal/base/loop"
	"sett/internal/monitor/host"
	"sett/internal/monitor/watch"
)

// The bounds of requests to hosts of source control.
const (
	hostTimeout = 20 * time.Second
	hostIdle    = 30 * time.Second // how long a connection waits for the next request
)

// repositories are the loops that compare deploys and errors with repositories.
func (a *App) repositories() []*loop.Loop {
	return watch.NewRepositories(watch.RepositoryOptions{
		Store: a.store, Hosts: host.NewMemory(a.outbound(a.cfg.egress()).Reusing(hostTimeout, hostIdle), a.now), BaseURL: a.cfg.BaseURL, Now: a.now, Log: a.log,
	}).Loops()
}
