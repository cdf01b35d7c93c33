package ingest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sett/internal/ingest/sentry"
	"sett/internal/sett"
	"sett/internal/store/uptime"
)

// takeCheckIn stores what a Sentry client reports about a job. The first report with a schedule creates the check-in; one without
// is dropped if there is no such check-in, and none is created shortly after: the SDK for Node.js sends both reports of a run at once, and
// the schedule only with the first.
func (in *Ingest) takeCheckIn(ctx context.Context, q sentryRequest, payload []byte) error {
	c, err := sentry.ReadCheckIn(payload)
	if err == nil {
		err = q.project.Scope.RefuseMore("report check-ins")
	}
	if err != nil {
		return err
	}
	refused := in.putCheckIn(ctx, q.project.ProjectID, c, false)
	ping, ended := c.Ping()
	run := fmt.Sprint(q.project.ProjectID, " ", c.Slug)
	if !ended && c.Settings != nil && refused == nil {
		ping, ended = in.schedules.takeEarly(run, in.now())
	}
	if ended {
		found, err := in.pingSlug(q, c.Slug, ping)
		if err == nil && !found && c.Settings == nil {
			in.schedules.addEarly(run, ping, in.now())
		}
		if err == nil && !found && refused == nil && c.Settings != nil { // it was deleted
			if refused = in.putCheckIn(ctx, q.project.ProjectID, c, true); refused == nil {
				_, err = in.pingSlug(q, c.Slug, ping)
			}
		}
		if err != nil {
			return err
		}
	}
	return refused
}

func (in *Ingest) pingSlug(q sentryRequest, slug string, payload *sett.PingPayload) (found bool, err error) {
	return in.pings.committer.do(uptime.PingReport{
		Key: q.key, Slug: slug,
		Ping: sett.Ping{At: in.now(), Payload: payload, Source: sett.NewPingSource(q.from.Sender, in.cleanText(q.project, q.agent))},
	})
}

// putCheckIn makes the check-in of a report what the report says, unless this process did so a short while ago.
func (in *Ingest) putCheckIn(ctx context.Context, projectID int64, c sentry.CheckIn, again bool) error {
	if c.Settings == nil {
		return nil
	}
	key, settings := fmt.Sprint(projectID, " ", c.Slug), fmt.Sprint(*c.Settings)
	if !again && in.schedules.has(key, settings, in.now()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := in.uptime.PutCheckIn(ctx, in.now(), projectID, *c.Settings); err != nil {
		return in.db.Explain(err)
	}
	in.schedules.add(key, settings, in.now())
	return nil
}

// The bounds of schedules.
const (
	mostSchedules   = 10_000
	longestSchedule = 10 * time.Minute // after which a change that people made is made undone by the next report
)

// schedules remembers the settings that jobs reported last, so that not each of their reports reads them. The zero value is ready.
type schedules struct {
	mu    sync.Mutex
	known map[string]knownSchedule
	early map[string]earlyPing // of check-ins that do not exist
}

// earlyPing is one that came before the report that creates its check-in.
type earlyPing struct {
	payload *sett.PingPayload
	until   time.Time
}

// The bounds of early pings.
const (
	mostEarlyPings = 1_000
	longestEarly   = 10 * time.Second
)

func (s *schedules) addEarly(run string, payload *sett.PingPayload, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.early == nil || len(s.early) >= mostEarlyPings {
		s.early = map[string]earlyPing{}
	}
	s.early[run] = earlyPing{payload, now.Add(longestEarly)}
}

// takeEarly returns the ping that came before its check-in was created, and whether there is one.
func (s *schedules) takeEarly(run string, now time.Time) (*sett.PingPayload, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.early[run]
	delete(s.early, run)
	return p.payload, ok && now.Before(p.until)
}

type knownSchedule struct {
	settings string
	until    time.Time
}

func (s *schedules) has(key, settings string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.known[key]
	return ok && k.settings == settings && now.Before(k.until)
}

func (s *schedules) add(key, settings string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSchedules {
		s.known = map[string]knownSchedule{}
	}
	s.known[key] = knownSchedule{settings, now.Add(longestSchedule)}
}
