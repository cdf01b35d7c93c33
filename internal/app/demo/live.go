package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/uptimedb"
)

// livePace is how many notices come in a second, on average.
const livePace = 2.0

// liveEvents is how many requests, jobs and log lines report a structured event in a second, on average.
const liveEvents = 1.0

// liveDeploys is how often there is a deploy, on average.
const liveDeploys = 15 * time.Minute

// longestStep is the maximum length of a gap that is filled with data.
const longestStep = time.Hour

// Live goes on with a history after it was made. It is used by one goroutine at a time.
type Live struct {
	*world
	dice dice
	upto time.Time
}

// NewLive returns what goes on with the history that Fill has made of the options, from a time on.
func NewLive(ctx context.Context, s *store.Store, o Options, made Summary, from time.Time) (*Live, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	w := newWorld(s, o)
	w.Summary, w.history.ended = made, from.AddDate(1000, 0, 0)
	l := &Live{w, w.dice("life after " + from.String()), from}
	for _, step := range []func(context.Context) error{l.findProjects, l.findSites, l.findCheckIns, l.findIntegrations} {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("go on with the demo: %w", err)
		}
	}
	return l, nil
}

func (l *Live) findProjects(context.Context) error {
	for i, plan := range projectPlans() {
		p := &project{id: l.ProjectIDs[i], name: plan.name, plan: plan, language: plan.of()}
		l.makeFaults(p, l.world.dice("faults of "+p.name))
		for _, f := range p.faults {
			f.id = -1 // who cares for it did so already
		}
		p.deploys = []*deploy{{at: l.from, revision: l.dice.hex(40), who: "tobias"}}
		l.projects = append(l.projects, p)
	}
	return nil
}

// findSites finds the sites as people have left them.
func (l *Live) findSites(ctx context.Context) error {
	for _, plan := range sitePlans() {
		found, _, err := l.store.Uptime.ListSites(ctx, l.projects[plan.project].id, sett.Page{Size: 100})
		if err != nil {
			return err
		}
		for _, s := range found {
			if s.URL == plan.url {
				cert := checks.ProbeCertificate{Fingerprint: l.dice.hex(64), NotAfter: l.to.AddDate(0, 0, plan.certDays), Subject: "CN=" + plan.name, Issuer: "CN=Acme CA,O=Acme Ltd"}
				l.sites = append(l.sites, &site{Site: s, plan: plan, cert: cert, slowFrom: l.from})
			}
		}
	}
	return nil
}

func (l *Live) findCheckIns(ctx context.Context) error {
	for _, plan := range l.checkInPlans() {
		found, _, err := l.store.Uptime.ListCheckIns(ctx, l.projects[plan.project].id, sett.Page{Size: 100})
		if err != nil {
			return err
		}
		for _, c := range found {
			if c.Slug == plan.slug && !plan.never {
				l.checkIns = append(l.checkIns, &checkIn{c, plan})
			}
		}
	}
	return nil
}

func (l *Live) findIntegrations(ctx context.Context) error {
	for _, plan := range integrationPlans() {
		found, err := l.store.Deliveries.ListIntegrations(ctx, l.projects[plan.project].id)
		if err != nil {
			return err
		}
		for _, i := range found {
			if i.Type == plan.kind {
				l.dispatcher.plans[i.ID] = plan
			}
		}
	}
	return nil
}

// Step makes happen what happens until now.
func (l *Live) Step(ctx context.Context, now time.Time) error {
	from := l.upto
	if now.Sub(from) > longestStep {
		from = now.Add(-longestStep)
	}
	l.upto = now
	if !now.After(from) {
		return nil
	}
	l.to = now
	for _, part := range []func(ctx context.Context, from, now time.Time) error{l.release, l.notices, l.structured, l.checks, l.pings} {
		if err := part(ctx, from, now); err != nil {
			return err
		}
	}
	return errors.Join(l.store.Intake.FlushDue(ctx, now), l.sweep(ctx, now), l.moveIncidents(ctx, now), l.dispatcher.closeFloods(ctx, now), l.store.Deliveries.SettleMaintenance(ctx, now), l.dispatcher.dispatch(ctx, now), l.packEvents(ctx, now))
}

// release deploys a project now and then.
func (l *Live) release(ctx context.Context, from, now time.Time) error {
	if !l.dice.chance(float64(now.Sub(from)) / float64(liveDeploys)) {
		return nil
	}
	p := pick(l.dice, l.projects)
	one := &deploy{at: now, revision: l.dice.hex(40), who: pick(l.dice, []string{"tobias", "ines", "priya"}), bad: l.dice.chance(0.2)}
	p.deploys = append(p.deploys, one)
	return l.recordDeploy(ctx, now, p, one, "production")
}

func (l *Live) notices(ctx context.Context, from, now time.Time) error {
	var all []occurred
	for _, p := range l.projects {
		p.look(now)
		for range l.dice.count(livePace * now.Sub(from).Seconds() * p.plan.notices * p.pace(now)) {
			all = append(all, l.notice(p, p.busy.any(l.dice), l.dice, now))
		}
	}
	return l.record(ctx, now, all)
}

func (l *Live) structured(ctx context.Context, from, now time.Time) error {
	return l.recordEvents(ctx, l.dice, from, now, liveEvents)
}

func (l *Live) checks(ctx context.Context, from, now time.Time) error {
	return l.look(ctx, l.dice, from, now)
}

func (l *Live) pings(ctx context.Context, from, now time.Time) error {
	var all []uptimedb.PingReport
	for _, c := range l.checkIns {
		for _, at := range c.runs(l.world, from, now) {
			all = append(all, uptimedb.PingReport{ID: c.ID, Ping: checks.Ping{At: now, Payload: c.ping(l.dice, at).Payload}})
		}
	}
	if len(all) == 0 {
		return nil
	}
	_, err := l.store.Uptime.RecordPings(ctx, all)
	return err
}
