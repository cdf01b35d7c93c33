package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"sett/internal/base/about"
	"sett/internal/base/dial"
	"sett/internal/base/loop"
	"sett/internal/monitor/agent"
	"sett/internal/monitor/probe"
	"sett/internal/monitor/prober"
	"sett/internal/monitor/watch"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/forward"
	"sett/internal/sett/scrub"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/releasedb"
)

// watching are the loops of the clockwork.
func (a *App) watching() []*loop.Loop {
	checkIns := watch.NewCheckIns(a.checkInOptions())
	volumes := watch.NewVolumes(watch.VolumeOptions{Intake: a.store.Intake, Now: a.now, Log: a.log})
	pages := watch.NewStatusPages(watch.StatusPageOptions{DB: a.store.DB, Status: a.store.Status, Now: a.now, Log: a.log})
	faults := watch.NewFaults(watch.FaultOptions{DB: a.store.DB, Faults: a.store.Faults, Now: a.now, Log: a.log})
	retention := watch.NewRetention(a.upkeep())
	work := watch.NewWork(a.upkeep())
	erasures := watch.NewErasures(a.upkeep())
	alarms := watch.NewAlarms(watch.AlarmOptions{Alarms: a.store.Alarms, Insights: a.store.Insights, Sees: checkIns.Sees, Now: a.now, Log: a.log})
	maintenance := watch.NewMaintenance(watch.MaintenanceOptions{DB: a.store.DB, Deliveries: a.store.Deliveries, Now: a.now, Log: a.log})
	return slices.Concat(checkIns.Loops(), maintenance.Loops(), alarms.Loops(), volumes.Loops(), faults.Loops(), work.Loops(), retention.Loops(), erasures.Loops(), a.compaction.Loops(), a.movingBlocks(), a.sites.Loops(), pages.Loops(), a.domains(), a.waitingFeedback(), a.imports(), a.repositories())
}

// waitingFeedback is the loop that looks for the events that feedback is about.
func (a *App) waitingFeedback() []*loop.Loop {
	waits, _ := a.store.Sleep(faultdb.FeedbackWaits)
	return []*loop.Loop{{
		Name: "feedback", Does: "Adds feedback of users to its error when its event comes later, and makes an event of it if none comes.",
		Every: 5 * time.Second, Jitter: 0.2, Wake: waits, Log: a.log, Work: a.reports.SettleFeedback,
	}}
}

// checkInOptions are what check-ins are watched with. With PostgreSQL there may be pings in the spool of another server, whatever this one has.
func (a *App) checkInOptions() watch.CheckInOptions {
	return watch.CheckInOptions{Uptime: a.store.Uptime, Now: a.now, Spools: !a.store.SQLite(), Log: a.log}
}

// noLocation is the location of a server that checks no sites itself.
const noLocation = "none"

// ownLocation returns the location that the server checks sites from; "" for none.
func (c Config) ownLocation() checks.Location {
	if c.Location == noLocation {
		return ""
	}
	return checks.Location(c.Location)
}

// newSites is what checks sites from here and listens to agents.
func (a *App) newSites() *watch.Sites {
	return watch.NewSites(watch.SiteOptions{
		DB: a.store.DB, Uptime: a.store.Uptime, Location: a.cfg.ownLocation(), Node: a.node(),
		Probe: probing(a.outbound(a.cfg.egress()), a.cfg.BaseURL, a.now), Marked: a.marked, Canaries: a.cfg.Canaries,
		Keep: time.Duration(a.cfg.CheckDays) * 24 * time.Hour, Now: a.now, Log: a.log,
	})
}

// node names this process among those that share the database. A file has one process at a time, and so the next one
// need not wait until the leases of the last have run out.
func (a *App) node() string {
	if a.store.Engine() == "sqlite" {
		return "server"
	}
	return "server " + sett.RandomString(8)
}

// probing checks sites through a dialer; contact identifies the sender of requests to the owners of sites.
func probing(dialer *dial.Dialer, contact string, now func() time.Time) prober.Probe {
	return prober.Probe(probe.New(probe.Options{
		Dialer: dialer, UserAgent: probe.UserAgent(about.Current().Version, contact), HTTP2: dial.SafeHTTP2(), Now: now,
	}))
}

// RunAgent checks sites for a server from here until ctx ends, or the server says that the token is for another location.
func RunAgent(ctx context.Context, cfg Config, log *slog.Logger) error {
	if cfg.Location == noLocation {
		return errors.New("--location (SETT_LOCATION) must be the location of the agent, not none")
	}
	if cfg.Agent.Token == "" {
		return errors.New("--token (SETT_TOKEN) is missing; create one with: sett agents add NAME")
	}
	a, err := agent.New(agent.Options{
		Server: cfg.Job.Server, Token: cfg.Agent.Token, Location: cfg.Location, Dir: cfg.Agent.Spool, Version: about.Current().Version,
		Probe: probing(dial.New(cfg.egress()), cfg.Job.Server, time.Now), Kinds: probe.Abilities(), Canaries: cfg.Canaries, Log: log,
	})
	if err != nil {
		return cfg.explainSpool(err)
	}
	log.Info("this agent has started", "server", cfg.Job.Server, "location", cfg.Location, "version", about.Current().Version)
	return a.Run(ctx)
}

// intakeCounts is the loop that saves how much was removed from events, and how much was not stored.
func (a *App) intakeCounts() *loop.Loop {
	return &loop.Loop{
		Name: "intake counts", Does: "Saves how many values were removed from events, how much was not stored, and how many reports were forwarded.", Every: 10 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.saveIntakeCounts(ctx) },
	}
}

func (a *App) saveIntakeCounts(ctx context.Context) error {
	return errors.Join(
		a.scrubbing.Save(func(all []scrub.Removed) error { return a.store.Intake.AddScrubbed(ctx, all) }),
		a.discards.Save(func(all []stats.Discard) error { return a.store.Intake.AddDiscards(ctx, all) }),
		a.events.SaveRefusals(func(all []insightdb.Refusal) error { return a.store.Insights.NoteRefusals(ctx, all) }),
		a.relay.Save(func(days []forward.Day, problems []forward.Problem) error {
			return a.store.Accounts.AddForwarded(ctx, days, problems)
		}),
		a.discards.SaveCheckIns(func(all []stats.RefusedCheckIn) error { return a.store.Uptime.RefuseCheckIns(ctx, all) }),
	)
}

// sessionSums is the loop that saves sums of sessions.
func (a *App) sessionSums() *loop.Loop {
	return &loop.Loop{
		Name: "sessions", Does: "Saves how many sessions of each release there were in each hour.", Every: 5 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.saveSessions(ctx) },
	}
}

func (a *App) saveSessions(ctx context.Context) error {
	return a.sessions.Save(func(all []releasedb.Hour) error { return a.store.Releases.AddHours(ctx, a.now(), all) })
}

// sourceMapUse is the loop that saves which source maps are used.
func (a *App) sourceMapUse() *loop.Loop {
	return &loop.Loop{
		Name: "source map use", Does: "Saves which source maps are used, so that they are kept.", Every: 30 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.maps.SaveUse(ctx) },
	}
}

// upkeep is what the loops that tidy the store work with.
func (a *App) upkeep() watch.Upkeep {
	return watch.Upkeep{Store: a.store, Node: a.node(), Now: a.now, Log: a.log}
}
