package watch

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"sett/internal/base/loop"
	"sett/internal/monitor/prober"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/uptimedb"
)

const (
	occupyEvery = 5 * time.Second
	occupyFor   = 15 * time.Second // after which another node checks from here
	feedEvery   = 10 * time.Second // changes wake it; what was missed is found so
	tidyEvery   = 10 * time.Minute
	lapseEvery  = 15 * time.Second
	lapseAtOnce = 200 // sites in one transaction
)

// SiteOptions are what Sites work with; all are required but Marked and Canaries.
type SiteOptions struct {
	DB       *db.DB
	Uptime   *uptimedb.Store
	Location checks.Location // where this server stands; "": it leaves checks to agents
	Node     string          // names this process among those that share the database
	Probe    prober.Probe
	Marked   func(checks.ProbeRequest) checks.ProbeRequest // returns a check as it is sent; nil: as it is
	Canaries []string
	Keep     time.Duration // for which single checks are kept
	Now      func() time.Time
	Log      *slog.Logger
}

// Sites checks sites from where the server stands, unless another node does, and stores what it and agents have found.
type Sites struct {
	SiteOptions
	prober   *prober.Prober
	recorder *recorder
	clocks   agentClocks
	draining chan struct{}
	drain    sync.Once

	ends  context.CancelFunc // of what runs beside the loops
	parts sync.WaitGroup

	occupied bool  // by this process; used by one loop alone
	revision int64 // of what the prober knows, likewise
}

// NewSites returns a Sites that does nothing before its Loops run.
func NewSites(o SiteOptions) *Sites {
	s := &Sites{SiteOptions: o, recorder: newRecorder(o.DB, o.Uptime, o.Now, o.Log), draining: make(chan struct{})}
	s.prober = prober.New(prober.Options{
		Location: string(o.Location), Probe: o.Probe, Canaries: o.Canaries,
		Report: func(r prober.Report) { s.recorder.take(reported(r, o.Location)) },
	})
	return s
}

// Stats returns what the server's own location has done since the start.
func (s *Sites) Stats() prober.Stats { return s.prober.Stats() }

// Unstored returns how many results of checks wait to be stored.
func (s *Sites) Unstored() int { return len(s.recorder.found) }

// Lost returns how many results of checks this process could not store.
func (s *Sites) Lost() int64 { return s.recorder.lost.Load() }

// reported is a report of a prober as the store takes it.
func reported(r prober.Report, l checks.Location) checks.CheckReport {
	return checks.CheckReport{SiteID: r.SiteID, Location: l, Revision: r.Revision, Result: r.Result}
}

// Start begins to check and to record; Stop ends it.
func (s *Sites) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.ends = cancel
	var recording sync.WaitGroup
	recorded, stop := context.WithCancel(context.Background())
	recording.Go(func() { s.recorder.run(recorded) })
	s.parts.Go(func() {
		s.prober.Run(ctx)
		stop() // nothing more is found
		recording.Wait()
	})
}

// Stop ends checks and returns when what was found is stored, or ctx has ended.
func (s *Sites) Stop(ctx context.Context) error {
	s.Drain()
	s.ends()
	ended := make(chan struct{})
	go func() { defer close(ended); s.parts.Wait() }()
	select {
	case <-ended:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if err := s.DB.DropLease(ctx, s.Location.Lease(), s.Node); err != nil {
		s.Log.Warn("this server could not hand over its site checks, so they pause for a moment", "location", s.Location, "error", err, "hint", "another server takes over by itself") // as on a full disk
	}
	return nil
}

// Drain responds to agents that wait for orders, so that a stopping server need not wait for them.
func (s *Sites) Drain() { s.drain.Do(func() { close(s.draining) }) }

// Loops returns the loops that keep the location occupied and the targets of the prober as people have set them.
func (s *Sites) Loops() []*loop.Loop {
	loops := []*loop.Loop{{
		Name: "history of checks", Does: "Computes the uptime of past days, and deletes old checks.",
		Every: tidyEvery, Jitter: 0.2, Log: s.Log, Work: s.tidy,
	}, {
		Name: "unchecked sites", Does: "Marks sites as pending that no location has checked in time.", Every: lapseEvery, Log: s.Log, Work: s.lapse,
	}}
	if s.Location != "" {
		changed, _ := s.DB.Sleep(uptimedb.SitesChanged)
		loops = append(loops, &loop.Loop{
			Name: "location", Does: "Renews the location lease of this server, and loads the sites to check.",
			Every: occupyEvery, Wake: changed, Log: s.Log, Work: s.follow,
		})
	}
	return loops
}

func (s *Sites) lapse(ctx context.Context) (more bool, err error) {
	return s.Uptime.LapseSites(ctx, s.Now(), lapseAtOnce)
}

// tidy computes the totals of past days, and deletes what is no longer needed.
func (s *Sites) tidy(ctx context.Context) (more bool, err error) {
	now := s.Now()
	if err := s.Uptime.RollUpChecks(ctx, now); err != nil {
		return false, err
	}
	old := accounts.Day(now.Add(-s.Keep)) // a day at a time: otherwise every round would write to every site
	return false, errors.Join(s.Uptime.PruneChecks(ctx, old), s.Uptime.ForgetSites(ctx, now), s.Uptime.ForgetStreams(ctx, now))
}

// follow has the prober check the sites of this location while this process occupies it, and none otherwise.
func (s *Sites) follow(ctx context.Context) (more bool, err error) {
	occupied, err := s.Uptime.Occupy(ctx, s.Now(), s.Location, s.Node, s.prober.Degraded(), occupyFor)
	if err != nil {
		return false, err // checks continue: another node has the same problem
	}
	if occupied != s.occupied {
		s.occupied, s.revision = occupied, 0
		if occupied {
			s.Log.Info("site checks run on this server", "location", s.Location)
		} else {
			s.Log.Info("site checks run on another server", "location", s.Location)
			return false, s.prober.Apply(ctx, prober.Changes{All: true})
		}
	}
	if !occupied {
		return false, nil
	}
	return false, s.feed(ctx)
}

// feed hands over what has changed since the last time.
func (s *Sites) feed(ctx context.Context) error {
	changes, err := s.changesFor(ctx, s.Location, s.revision)
	if err != nil || changes.Revision == s.revision && !changes.All {
		return err
	}
	if err := s.prober.Apply(ctx, changes); err != nil {
		return err
	}
	s.revision = changes.Revision
	return nil
}

// changesFor returns what has changed for a location since a revision.
func (s *Sites) changesFor(ctx context.Context, l checks.Location, revision int64) (c prober.Changes, err error) {
	feed, err := s.Uptime.SitesSince(ctx, l, revision)
	if err != nil {
		return c, err
	}
	c = prober.Changes{Revision: feed.Revision, All: feed.Whole, Gone: feed.Gone}
	for _, site := range feed.Sites {
		target := targetOf(site, l)
		if s.Marked != nil {
			target.Request = s.Marked(target.Request)
		}
		c.Targets = append(c.Targets, target)
	}
	return c, nil
}

// targetOf is a site as a prober checks it. Who asked the others need not look again.
func targetOf(s checks.Site, l checks.Location) prober.Target {
	asked := s.AskedAt
	if s.AskedBy == l {
		asked = time.Time{}
	}
	return prober.Target{
		ID: s.ID, Revision: s.TargetRevision, Frequency: s.Interval(), AskedAt: asked, CheckedAt: s.LastCheckedAt, Request: s.ProbeRequest,
	}
}
