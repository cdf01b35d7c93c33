// Package agent checks sites from another location than the server's. It polls the server for what to check, and uploads batches of
// results. It keeps each batch until the server has it, across restarts and while the server is away. It opens no port, holds no more than
// its spool, and never decides what a result means.
package agent

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"sett/internal/monitor/prober"
	"sett/internal/sett"
)

const (
	gather      = time.Second // reports go together into a batch for so long
	mostInBatch = 256         // reports
	firstRetry  = time.Second // after a failure; doubles up to lastRetry
	lastRetry   = 30 * time.Second
	pollEvery   = time.Second // at most, however quick the server answers
	revokedWait = time.Minute // between tries with a token that is not accepted
)

const polling = "poll"

// Options are what an Agent works with; all are required but Kinds, Canaries and Transport.
type Options struct {
	Server   string // address
	Token    string
	Location string
	Dir      string // of the spool
	Version  string // of the program
	Probe    prober.Probe
	Kinds    []string // of checks that Probe can make; none: "http" alone
	Canaries []string
	Log      *slog.Logger

	Transport http.RoundTripper // to the server; nil: connections through package dial
}

// Agent is one location. Make it with New.
type Agent struct {
	o      Options
	client *client
	lock   *flock.Flock // of the spool's directory
	spool  *spool
	prober *prober.Prober
	found  chan prober.Report
}

// New returns an Agent that has read its spool, and has it for itself until Run returns. The error is Conflict when
// another agent has it.
func New(o Options) (*Agent, error) {
	lock, err := lockSpool(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := openSpool(o.Dir, o.Location, time.Now)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	for location, batches := range s.foreign {
		o.Log.Warn("the spool contains results from another location, which are not uploaded", "location", location, "batches", batches, "directory", o.Dir,
			"hint", "within a day, start an agent with that --location, its token and this --spool")
	}
	a := &Agent{o: o, client: newClient(o), lock: lock, spool: s, found: make(chan prober.Report, mostInBatch)}
	a.prober = prober.New(prober.Options{Location: o.Location, Probe: o.Probe, Report: a.report, Canaries: o.Canaries})
	return a, nil
}

func (a *Agent) report(r prober.Report) { a.found <- r }

// Run checks and reports until ctx ends; what the server has not got by then stays in the spool. The error is Forbidden
// when the token is for another location, where no other try is of use.
func (a *Agent) Run(ctx context.Context) error {
	ctx, end := context.WithCancelCause(ctx)
	var parts sync.WaitGroup
	parts.Go(func() { end(a.poll(ctx)) })
	parts.Go(func() { end(a.upload(ctx)) })
	gathered := make(chan struct{})
	go func() { defer close(gathered); a.gather() }()
	a.prober.Run(ctx)
	close(a.found) // no more reports arrive
	<-gathered
	parts.Wait()
	if err := a.lock.Close(); err != nil {
		a.o.Log.Error("the spool stays locked until this process ends", "directory", a.o.Dir, "error", err, "hint", "end this process before you start another agent")
	}
	if err := context.Cause(ctx); sett.CodeOf(err) == sett.Forbidden {
		return err
	}
	return nil
}

// gather writes what is found to the spool, batch by batch, until found is closed.
func (a *Agent) gather() {
	unwritten := losses{log: a.o.Log}
	defer unwritten.end("the agent is stopping, and could not write its last results", hintSpool)
	for r := range a.found {
		batch := []prober.Report{r}
		full := time.After(gather)
		for open := true; open && len(batch) < mostInBatch; {
			select {
			case r, ok := <-a.found:
				if ok {
					batch = append(batch, r)
				}
				open = ok
			case <-full:
				open = false
			}
		}
		if lost, err := a.spool.put(batch); err != nil {
			unwritten.add("the spool is not writable, so results are only kept in memory", hintSpool, lost, err)
		} else {
			unwritten.end("the spool is writable again", "compare lost: so many results are missing")
		}
	}
}

// poll keeps the prober's targets as the server wants them. It returns as until does.
func (a *Agent) poll(ctx context.Context) error {
	var revision int64
	var asked time.Time
	logged, standby := false, false
	return a.until(ctx, polling, func() error {
		sleep(ctx, time.Until(asked.Add(pollEvery)))
		asked = time.Now()
		orders, err := a.ask(ctx, revision)
		if err == nil && (!logged || orders.Standby != standby) {
			logged, standby = true, orders.Standby
			a.o.Log.Info(map[bool]string{false: "this agent checks the sites of its location", true: "another agent checks the sites of this location, so this one waits"}[standby],
				"location", a.o.Location)
		}
		if errors.Is(err, errRevoked) || err == nil && orders.Standby {
			revision = 0
			orders.Changes = prober.Changes{All: true}
		} else if err != nil {
			return err // the sites are checked as before
		}
		if err := a.prober.Apply(ctx, orders.Changes); err != nil {
			return err
		}
		revision = orders.Changes.Revision
		return err
	})
}

func (a *Agent) ask(ctx context.Context, revision int64) (orders prober.Orders, err error) {
	err = a.client.post(ctx, prober.PollPath, prober.Poll{
		Protocol: prober.Protocol, Version: a.o.Version, Kinds: a.o.Kinds, Location: a.o.Location, Revision: revision,
		Degraded: a.prober.Degraded(), Sent: time.Now(),
	}, &orders)
	return orders, err
}

// upload sends batch after batch, in their order. It returns as until does.
func (a *Agent) upload(ctx context.Context) error {
	refused := losses{log: a.o.Log}
	defer refused.end("the agent is stopping, and the server rejected its results", hintRefused)
	return a.until(ctx, "upload", func() error {
		b, u, ok := a.spool.oldest()
		if !ok {
			select {
			case <-a.spool.more:
			case <-ctx.Done():
			}
			return nil
		}
		u.Sent = time.Now()
		var receipt prober.Receipt
		err := a.client.post(ctx, prober.UploadPath, u, &receipt)
		switch {
		case errors.Is(err, errRefused):
			refused.add("the server rejects results, so they are lost", hintRefused, a.spool.drop(b), err)
		case err != nil:
			return err
		default:
			a.spool.sent(b)
			refused.end("the server accepts results again", "compare lost: so many results are missing")
		}
		return nil
	})
}

// until does something again and again until ctx ends, after a pause that grows with every failure in a row. Of those
// that are the same only the first is logged. It returns what no other try is of use against.
func (a *Agent) until(ctx context.Context, what string, do func() error) error {
	said := ""
	for failures := 0; ctx.Err() == nil; {
		err := do()
		if err == nil || ctx.Err() != nil {
			if failures > 0 && err == nil {
				a.o.Log.Info("the server responds again", "request", what, "failures", failures)
			}
			failures = 0
			continue
		}
		if sett.CodeOf(err) == sett.Forbidden {
			return err
		}
		if failures++; failures == 1 || err.Error() != said {
			said = err.Error()
			a.complain(what, err)
		}
		wait := min(firstRetry<<min(failures-1, 6), lastRetry)
		if errors.Is(err, errRevoked) {
			wait = revokedWait
		}
		sleep(ctx, wait-time.Duration(rand.Float64()*0.2*float64(wait)))
	}
	return nil
}

// complain logs a failure. That the token is not accepted is said once, though uploads find out as well.
func (a *Agent) complain(what string, err error) {
	switch {
	case !errors.Is(err, errRevoked):
		a.o.Log.Error("the server cannot be reached and is asked again", "request", what, "server", a.o.Server, "waiting", a.spool.waiting(), "error", err,
			"hint", "sites are checked meanwhile; check the server and the network")
	case what == polling:
		a.o.Log.Error("the server does not accept the token of this agent, so it checks no sites", "server", a.o.Server, "location", a.o.Location,
			"hint", "if the token was revoked, create another with: sett agents add NAME")
	}
}

// What operators can do, in the log.
const (
	hintSpool   = "free space on the disk of --spool, or correct its permissions; a stop loses these results"
	hintRefused = "give the agent and the server the same version"
)

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
