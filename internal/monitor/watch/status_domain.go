package watch

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"sett/internal/base/loop"
	"sett/internal/monitor/probe"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

const (
	domainsEvery   = 10 * time.Second // changes wake it
	domainLease    = time.Minute
	domainPatience = 15 * time.Second
	domainsAtOnce  = 8
)

// StatusDomainOptions are what StatusDomains work with.
type StatusDomainOptions struct {
	DB     *db.DB
	Status *statusdb.Store
	DNS    *net.Resolver
	Host   string // to which the domains of pages are to point
	Now    func() time.Time
	Log    *slog.Logger
}

// StatusDomains look in DNS whether the domains of status pages are theirs.
type StatusDomains struct{ StatusDomainOptions }

// NewStatusDomains returns StatusDomains. They do nothing before their Loops run.
func NewStatusDomains(o StatusDomainOptions) *StatusDomains { return &StatusDomains{o} }

// Loops returns the loop that looks for domains that are due.
func (d *StatusDomains) Loops() []*loop.Loop {
	woken, _ := d.DB.Sleep(statusdb.StatusDomainDue)
	return []*loop.Loop{{
		Name: "domains of status pages", Does: "Verifies the domains of status pages in DNS.",
		Every: domainsEvery, Jitter: 0.2, Wake: woken, Log: d.Log, Work: d.look,
	}}
}

// look looks for a few domains at once and records each as soon as it is found or missed.
func (d *StatusDomains) look(ctx context.Context) (more bool, err error) {
	claimed, err := d.Status.ClaimDomains(ctx, d.Now(), domainLease, domainsAtOnce)
	if err != nil {
		return false, err
	}
	errs := make([]error, len(claimed))
	var looks sync.WaitGroup
	for i, c := range claimed {
		looks.Go(func() { errs[i] = d.lookFor(ctx, c) })
	}
	looks.Wait()
	return len(claimed) == domainsAtOnce, errors.Join(errs...)
}

func (d *StatusDomains) lookFor(ctx context.Context, c statusdb.ClaimedDomain) error {
	patient, cancel := context.WithTimeout(ctx, domainPatience)
	defer cancel()
	found := probe.Domain(patient, d.DNS, c.StatusDomain, d.Host)
	if ctx.Err() != nil { // the server is stopping, which is not a failure
		return ctx.Err()
	}
	return d.Status.RecordDomainLook(ctx, d.Now(), c, found)
}
