// Package prober checks sites from one location, each when it is due. It takes targets and their changes, and sends one report for each
// check. A failure is checked again before it counts, and while nothing at all can be reached from here, no failure is reported. The
// package stores nothing, never decides whether a site is down – other locations may see it differently – and never lets a slow target or a
// slow receiver of reports delay other checks.
package prober

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett/checks"
)

// retryAfter is how long after a failure the same location looks again, before the failure counts.
const retryAfter = 5 * time.Second

// Prober checks the targets of one location. Make it with New.
type Prober struct {
	o       Options
	changes chan Changes
	ended   chan *entry
	checks  sync.WaitGroup

	schedule *schedule
	hosts    hosts
	outlook  outlook

	counts struct{ done, failed, unseen, late, running, targets atomic.Int64 }
}

// Probe makes one attempt for a site. Its error is for attempts without a result for the site.
type Probe func(context.Context, checks.ProbeRequest) (checks.ProbeResult, error)

// Options are what a Prober works with. Location, Probe and Report are required.
type Options struct {
	Location string
	Probe    Probe
	Report   func(Report) // is called by many goroutines at a time, and should not wait for long
	Canaries []string     // addresses that answer when anything does; none: every failure counts
}

// New returns a Prober without targets.
func New(o Options) *Prober {
	p := &Prober{o: o, changes: make(chan Changes), ended: make(chan *entry, 64), schedule: newSchedule(o.Location)}
	p.outlook.canaries = newCanaries(o.Canaries, o.Probe)
	return p
}

// Apply hands over what happened to the targets. It returns once Run has taken it, or ctx has ended.
func (p *Prober) Apply(ctx context.Context, c Changes) error {
	select {
	case p.changes <- c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run checks whatever is due until ctx ends, and returns when the last check has.
func (p *Prober) Run(ctx context.Context) {
	defer p.checks.Wait()
	p.checks.Go(func() { p.outlook.canaries.watch(ctx) })
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-p.changes:
			p.schedule.apply(c, time.Now())
			p.counts.targets.Store(int64(len(p.schedule.sites)))
			if c.All || len(c.Gone) > 0 {
				p.outlook.keepOnly(p.schedule.sites)
			}
		case e := <-p.ended:
			p.end(ctx, e)
		case <-timer.C:
		}
		p.startDue(ctx)
		if at, ok := p.schedule.next(); ok {
			timer.Reset(time.Until(at))
		}
	}
}

func (p *Prober) startDue(ctx context.Context) {
	now := time.Now()
	for _, e := range p.schedule.take(now) {
		if late := now.Sub(e.due); late > time.Duration(p.counts.late.Load()) {
			p.counts.late.Store(int64(late))
		}
		if p.hosts.enter(e) {
			p.start(ctx, e)
		}
	}
}

func (p *Prober) start(ctx context.Context, e *entry) {
	target := e.Target // which may be replaced while the check runs
	p.counts.running.Add(1)
	p.checks.Go(func() {
		defer p.counts.running.Add(-1)
		p.check(ctx, target)
		select {
		case p.ended <- e:
		case <-ctx.Done():
		}
	})
}

// end makes room for the next check of the same host, and the site due again.
func (p *Prober) end(ctx context.Context, e *entry) {
	if next := p.hosts.leave(e); next != nil {
		p.start(ctx, next)
	}
	if e.removed { // while it was checked
		p.outlook.keepOnly(p.schedule.sites)
	}
	p.schedule.done(e, time.Now())
}

// check checks a site and reports the result. The result of a canceled check is discarded.
func (p *Prober) check(ctx context.Context, t Target) {
	r, err := p.look(ctx, t.Request)
	if ctx.Err() != nil {
		return
	}
	p.counts.done.Add(1)
	if err != nil || !r.Blocked && !p.outlook.counts(ctx, t.ID, r.Up) {
		p.counts.unseen.Add(1)
		return
	}
	if !r.Up {
		p.counts.failed.Add(1)
	}
	p.o.Report(Report{SiteID: t.ID, Revision: t.Revision, Result: r})
}

// look makes an attempt, and a second one if the site seems to be down.
func (p *Prober) look(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	first, err := p.o.Probe(ctx, r)
	if err != nil || first.Up || first.Blocked || !pause(ctx, retryAfter) {
		return first, err
	}
	again, err := p.o.Probe(ctx, r)
	if err == nil && !again.Up {
		again.At, again.Before = first.At, again.At.Sub(first.At) // it was down from the first failure on
	}
	return again, err
}

// pause waits, and reports whether ctx goes on after that.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Degraded reports whether nothing can be reached from here, so that failures say nothing of the sites.
func (p *Prober) Degraded() bool { return p.outlook.degraded.Load() }

// Stats are counts since the start.
type Stats struct {
	Targets int64         // that are checked from here
	Running int64         // checks, or waiting for another of the same host
	Done    int64         // checks
	Failed  int64         // of those, reported as failures
	Unseen  int64         // of those, not reported, because they said nothing of the site
	Late    time.Duration // the longest that a check began after it was due
}

// Stats returns what was done so far.
func (p *Prober) Stats() Stats {
	c := &p.counts
	return Stats{c.targets.Load(), c.running.Load(), c.done.Load(), c.failed.Load(), c.unseen.Load(), time.Duration(c.late.Load())}
}
