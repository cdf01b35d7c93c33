package ingest

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/ingest/sentry"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/releasedb"
)

// Sessions sums up sessions in memory until Save is called. What was not saved when a process is killed is lost. The zero value is ready.
// It is safe for concurrent use.
type Sessions struct {
	mu   sync.Mutex
	sums map[sessionHour]release.SessionSums

	hour time.Time             // in which names are counted
	rows map[sessionHour]bool  // that sessions of this hour made
	made map[int64]int         // how many, by project
	seen [2]map[uint64]counted // sessions, the newer and the older half
	seed maphash.Seed
}

// sessionHour identifies a sum of sessions.
type sessionHour struct {
	releasedb.Key
	environment string
	at          time.Time
}

// counted is as what a session was counted.
type counted struct{ total, errored, ended bool }

// The bounds of sessions.
const (
	mostSessionRows  = 500            // rows of sums that a project makes in an hour; others are collected under release.Other
	mostSeenSessions = 100_000        // sessions in each half of those that are remembered
	oldestSession    = 24 * time.Hour // those that began before count in the current hour
)

// add counts what an item says about sessions of a project. Sessions without a release are left out.
func (s *Sessions) add(project int64, now time.Time, n sentry.Session) {
	version, environment := event.Name(n.Version), event.Name(n.Environment, payload.DefaultEnvironment)
	if !release.IsVersion(version) {
		return
	}
	if n.Started.After(now) || n.Started.Before(now.Add(-oldestSession)) {
		n.Started = now
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin(now)
	k := sessionHour{releasedb.Key{ProjectID: project, Version: version}, environment, n.Started.UTC().Truncate(time.Hour)}
	if n.ID != "" {
		n.SessionSums = s.changes(project, n)
	}
	if n.SessionSums == (release.SessionSums{}) {
		return
	}
	k = s.roomFor(k)
	s.sums[k] = s.sums[k].Plus(n.SessionSums)
}

// begin prepares the maps, and forgets the rows of an earlier hour.
func (s *Sessions) begin(now time.Time) {
	if s.sums == nil {
		s.sums = map[sessionHour]release.SessionSums{}
	}
	if s.seen[0] == nil {
		s.seed = maphash.MakeSeed()
		s.seen[0] = map[uint64]counted{}
	}
	if hour := now.Truncate(time.Hour); !hour.Equal(s.hour) {
		s.hour, s.rows, s.made = hour, map[sessionHour]bool{}, map[int64]int{}
	}
}

// roomFor returns the row that sessions count in: their own, unless their project has made too many.
func (s *Sessions) roomFor(k sessionHour) sessionHour {
	if s.rows[k] {
		return k
	}
	if s.made[k.ProjectID] >= mostSessionRows {
		return sessionHour{releasedb.Key{ProjectID: k.ProjectID, Version: release.Other}, faults.OtherEnvironment, s.hour.UTC()}
	}
	s.rows[k] = true
	s.made[k.ProjectID]++
	return k
}

// changes returns what the state of one session adds to the sums: the first item of a session counts in the total, and each state once. A crash
// takes back that the session had only errors.
func (s *Sessions) changes(project int64, n sentry.Session) (sums release.SessionSums) {
	id := maphash.Comparable(s.seed, struct {
		project int64
		id      string
	}{project, strings.TrimSpace(n.ID)})
	c, ok := s.seen[0][id]
	if !ok {
		c = s.seen[1][id]
	}
	if n.Init && !c.total {
		c.total, sums.Total = true, 1
	}
	switch {
	case c.ended:
	case n.Crashed+n.Abnormal > 0:
		sums.Crashed, sums.Abnormal, c.ended = n.Crashed, n.Abnormal, true
		if c.errored {
			sums.Errored = -1
		}
	case n.Errored > 0 && !c.errored:
		sums.Errored, c.errored = 1, true
	}
	if len(s.seen[0]) >= mostSeenSessions && !ok {
		s.seen[0], s.seen[1] = map[uint64]counted{}, s.seen[0]
	}
	s.seen[0][id] = c
	return sums
}

// Save calls store with the sums since it was last called, if there are any. What store fails to keep is in the next call.
func (s *Sessions) Save(store func([]releasedb.Hour) error) error {
	s.mu.Lock()
	taken := s.sums
	s.sums = nil
	s.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	var all []releasedb.Hour
	for k, sums := range taken {
		all = append(all, releasedb.Hour{Key: k.Key, Environment: k.environment, At: k.at, SessionSums: sums})
	}
	err := store(all)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sums == nil {
			s.sums = map[sessionHour]release.SessionSums{}
		}
		for k, sums := range taken {
			s.sums[k] = s.sums[k].Plus(sums)
		}
	}
	return err
}

// addSessions counts sessions, whose releases and environments are scrubbed as those of events.
func (in *Ingest) addSessions(p accounts.KeyedProject, all []sentry.Session) {
	for _, n := range all {
		n.Version, n.Environment = in.cleanText(p, n.Version), in.cleanText(p, n.Environment)
		in.sessions.add(p.ProjectID, in.now(), n)
	}
}
