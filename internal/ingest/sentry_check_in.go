package ingest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/ingest/sentry"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/store/uptimedb"
)

// The category of what is dropped of reports about jobs.
const monitorCategory = "monitor"

// refuseCheckIn counts a report about a job that was refused, and keeps why for the page of check-ins. It returns the error.
func (in *Ingest) refuseCheckIn(p accounts.KeyedProject, slug string, err error) error {
	reason := stats.DroppedFor(err)
	if reason == "" || p.ProjectID == 0 {
		return err
	}
	in.dropFor(p, monitorCategory, err, 1)
	if slug = event.Name(in.cleanText(p, slug)); slug != "" {
		now := in.now()
		in.discards.addCheckIn(stats.RefusedCheckIn{ProjectID: p.ProjectID, Slug: slug, Reason: reason, Why: in.sentenceOf(p, err), Count: 1, FirstAt: now, LastAt: now})
	}
	return err
}

// noCheckIn is the error for a report about a job that has no check-in, and no schedule with which one could be created.
func noCheckIn(slug string) error {
	return sett.Errorf(sett.NotFound, "This project has no check-in with the slug %.60s. Create it, or send monitor_config with a schedule.", slug)
}

// recordCheckIn stores a report about a job, and reports whether its check-in exists. The first report with a schedule creates the check-in;
// an end without one is kept for a moment if there is none: the SDK for Node.js sends both reports of a run at once, and the schedule only
// with the first.
func (in *Ingest) recordCheckIn(ctx context.Context, q sentryRequest, c sentry.CheckIn) (found bool, err error) {
	if err := q.project.Scope.RefuseMore("report check-ins"); err != nil {
		return false, err
	}
	c.Environment, c.Release = event.Name(in.cleanText(q.project, c.Environment)), event.Name(in.cleanText(q.project, c.Release))
	refused := in.putCheckIn(ctx, q.project.ProjectID, c, false)
	reported := scheduleKey(q.project.ProjectID, c.Slug)
	pings := []checks.Ping{c.Ping()}
	if c.Settings != nil && refused == nil {
		if early, ok := in.schedules.takeEarly(reported, in.now()); ok {
			pings = append(pings, early)
		}
	}
	for _, ping := range pings {
		if found, err = in.pingSlug(q, c.Slug, ping); err != nil {
			return false, err
		}
		if !found && refused == nil && c.Settings != nil { // it was deleted
			if refused = in.putCheckIn(ctx, q.project.ProjectID, c, true); refused == nil {
				found, err = in.pingSlug(q, c.Slug, ping)
			}
		}
	}
	if !found && c.Settings == nil {
		in.dropOrKeep(q.project, c.Slug, pings[0])
	}
	return found, cmp.Or(err, refused)
}

// dropOrKeep keeps an end of a run without a check-in for a moment, and drops and counts a start, and the ends that were kept in vain.
func (in *Ingest) dropOrKeep(p accounts.KeyedProject, slug string, ping checks.Ping) {
	if ping.Run.Started {
		_ = in.refuseCheckIn(p, slug, noCheckIn(slug)) // an envelope is not refused for it
		return
	}
	for _, lost := range in.schedules.addEarly(scheduleKey(p.ProjectID, slug), earlyPing{p, strings.Clone(slug), ping, in.now().Add(longestEarly)}, in.now()) {
		_ = in.refuseCheckIn(lost.project, lost.slug, noCheckIn(lost.slug))
	}
}

// scheduleKey identifies the job that a report is about.
func scheduleKey(projectID int64, slug string) string { return fmt.Sprint(projectID, " ", slug) }

func (in *Ingest) pingSlug(q sentryRequest, slug string, ping checks.Ping) (found bool, err error) {
	ping.At, ping.Source = in.now(), checks.NewPingSource(q.from.Sender, in.cleanText(q.project, q.agent))
	return in.pings.record(uptimedb.PingReport{Key: q.key, Slug: slug, Ping: ping})
}

// plainCheckIn takes a report about a job without an envelope: the status of the job is in the query, or in a body of JSON.
func (in *Ingest) plainCheckIn(w http.ResponseWriter, r *http.Request) error {
	m := in.memories.take()
	q, err := in.admitSentry(w, r, m)
	if err != nil {
		return err
	}
	c, _, err := readAgain(m, q.body, func(body []byte) (sentry.CheckIn, error) {
		return sentry.ReadPlainCheckIn(r.PathValue("slug"), r.URL.Query(), body)
	}, nil)
	if err != nil {
		return in.refuseCheckIn(q.project, r.PathValue("slug"), err)
	}
	found, err := in.recordCheckIn(r.Context(), q, c)
	if err != nil {
		return in.refuseCheckIn(q.project, c.Slug, err)
	}
	if !found {
		return noCheckIn(c.Slug) // counted when nothing creates it in a moment
	}
	in.forwardSentry(r, q, "/cron/"+r.PathValue("slug")+"/"+q.key+"/", 0)
	in.memories.giveBack(m)
	return serve.WriteJSON(w, http.StatusAccepted, sentry.Accepted{ID: c.ID})
}

// putCheckIn makes the check-in of a report what the report says, unless this process did so a short while ago.
func (in *Ingest) putCheckIn(ctx context.Context, projectID int64, c sentry.CheckIn, again bool) error {
	if c.Settings == nil {
		return nil
	}
	key, settings := scheduleKey(projectID, c.Slug), fmt.Sprint(*c.Settings)
	if !again && in.schedules.has(key, settings, in.now()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := in.uptime.PutCheckIn(ctx, in.now(), projectID, *c.Settings); err != nil {
		in.schedules.forget(key) // the next one that is taken ends what is shown of this one
		return in.db.Explain(err)
	}
	in.discards.forgetCheckIn(projectID, c.Slug)
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
	project accounts.KeyedProject
	slug    string
	ping    checks.Ping
	until   time.Time
}

// The bounds of early pings.
const (
	mostEarlyPings = 1_000
	longestEarly   = 10 * time.Second
)

// addEarly keeps a ping, and returns those that are kept no longer.
func (s *schedules) addEarly(reported string, p earlyPing, now time.Time) (lost []earlyPing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.early == nil {
		s.early = map[string]earlyPing{}
	}
	for key, before := range s.early {
		if key == reported || !now.Before(before.until) {
			delete(s.early, key)
			lost = append(lost, before)
		}
	}
	if len(s.early) >= mostEarlyPings {
		return append(lost, p)
	}
	s.early[reported] = p
	return lost
}

// takeEarly returns the ping that came before its check-in was created, and whether there is one.
func (s *schedules) takeEarly(reported string, now time.Time) (checks.Ping, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, ok := s.early[reported]
	if ok = ok && now.Before(p.until); ok {
		delete(s.early, reported)
	}
	return p.ping, ok
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

func (s *schedules) forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.known, key)
}

func (s *schedules) add(key, settings string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= mostSchedules {
		s.known = map[string]knownSchedule{}
	}
	s.known[key] = knownSchedule{settings, now.Add(longestSchedule)}
}
