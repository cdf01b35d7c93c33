package intakedb

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// seen is a write cache: it remembers what this process knows to be in the database, so that a batch need not write it again. It holds
// distinct backtraces, names of environments, and the projects whose first notice is recorded. What is not in it is written again, which
// changes nothing. It is emptied when any of its maps exceeds mostSeen.
type seen struct {
	mu           sync.Mutex
	backtraces   map[traceKey]seenTrace
	environments map[accountdb.EnvironmentKey]seenEnvironment
	projects     map[int64]bool
	messages     map[int64]*partMessages // by part
	said         int                     // messages in all of them
}

const mostSeen = 100_000

type traceKey struct {
	project int64
	hash    [16]byte
}

type seenTrace struct {
	id, day int64 // day: the last day on which the database recorded that it is in use
}

// seenEnvironment is the cached state of an environment.
type seenEnvironment struct {
	minute int64 // when the database was last read
	full   bool  // the project has no room for it: see faults.OtherEnvironment
}

func (s *seen) init() {
	s.backtraces = map[traceKey]seenTrace{}
	s.environments = map[accountdb.EnvironmentKey]seenEnvironment{}
	s.projects = map[int64]bool{}
	s.messages, s.said = map[int64]*partMessages{}, 0
}

func (s *seen) trace(k traceKey, day int64) (id int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.backtraces[k]
	return t.id, ok && t.day == day
}

// environment returns an environment's cached state if it is from the given minute: before, another node may have deleted this
// environment or others.
func (s *seen) environment(k accountdb.EnvironmentKey, minute int64) (e seenEnvironment, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok = s.environments[k]
	return e, ok && e.minute == minute
}

func (s *seen) project(id int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.projects[id]
}

// forgetMessages drops what is cached of the messages of a part.
func (s *seen) forgetMessages(part int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.messages[part]; m != nil {
		s.said -= len(m.written)
	}
	delete(s.messages, part)
}

// add caches what a batch wrote; it is called once the batch has committed.
func (s *seen) add(b *batch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.backtraces) > mostSeen || len(s.environments) > mostSeen || len(s.projects) > mostSeen || len(s.messages)+s.said > 2*mostSeen {
		s.init()
	}
	for k, t := range b.seen.backtraces {
		s.backtraces[k] = t
	}
	for k, e := range b.seen.environments {
		s.environments[k] = e
	}
	for p := range b.seen.projects {
		s.projects[p] = true
	}
	for part, m := range b.messages {
		if before := s.messages[part]; before != nil {
			s.said -= len(before.written)
		}
		s.messages[part] = m
		s.said += len(m.written)
	}
}

// messagesOf returns what is cached of the messages of a part, if it was read lately.
func (s *seen) messagesOf(part int64, now time.Time) *partMessages {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[part]
	if m == nil || now.Sub(m.readAt) > rereadMessages || now.Before(m.readAt) {
		return nil
	}
	return m
}

// forget drops everything about a project that is about to be deleted or has lost an environment.
func (s *seen) forget(project int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.projects, project)
	for k := range s.environments {
		if k.Project == project {
			delete(s.environments, k)
		}
	}
	for k := range s.backtraces {
		if k.project == project {
			delete(s.backtraces, k)
		}
	}
}

// newlySeen is what one batch wrote.
type newlySeen struct {
	backtraces   map[traceKey]seenTrace
	environments map[accountdb.EnvironmentKey]seenEnvironment
	projects     map[int64]bool
}

// backtraceOf returns the id of a report's backtrace, or 0 if the report has none.
func (n *newlySeen) backtraceOf(s *Store, r *faultdb.Packed) int64 {
	if r.Backtrace == nil {
		return 0
	}
	k := traceKey{r.ProjectID, r.Hash}
	if t, ok := n.backtraces[k]; ok {
		return t.id
	}
	s.seen.mu.Lock()
	defer s.seen.mu.Unlock()
	return s.seen.backtraces[k].id
}

const upsertBacktraces = `-- intakedb.upsertBacktraces
INSERT INTO backtraces (project_id, hash, seen_on, body)
SELECT k.project_id, k.hash, k.day, k.body FROM {{rows k(project_id bigint, hash bytea, day bigint, body bytea)}} WHERE true
ON CONFLICT (project_id, hash) DO UPDATE SET seen_on = CASE WHEN backtraces.seen_on > excluded.seen_on THEN backtraces.seen_on ELSE excluded.seen_on END
RETURNING id, project_id, hash`

// writeBacktraces stores the backtraces that are not known to be stored today. The day is that of the notices' ids, which may be ahead of
// a clock that was set back: a backtrace is kept as long as its notices.
func (b *batch) writeBacktraces(ctx context.Context) error {
	if len(b.Live) == 0 {
		return nil
	}
	day := db.Micros(accounts.Day(b.last().Time()))
	b.seen.backtraces = map[traceKey]seenTrace{}
	var projects, days []int64
	var hashes, bodies [][]byte
	for _, i := range b.Live {
		r := b.in.Reports[i]
		k := traceKey{r.ProjectID, r.Hash}
		if _, now := b.seen.backtraces[k]; now || r.Backtrace == nil {
			continue
		}
		if _, known := b.S.seen.trace(k, day); known {
			continue
		}
		b.seen.backtraces[k] = seenTrace{day: day}
		projects, days = append(projects, k.project), append(days, day)
		hashes, bodies = append(hashes, r.Hash[:]), append(bodies, faultdb.PackBacktrace(r.Backtrace))
	}
	scan := func(rows *sql.Rows) error {
		var k traceKey
		var id int64
		var hash []byte
		err := rows.Scan(&id, &k.project, &hash)
		copy(k.hash[:], hash)
		b.seen.backtraces[k] = seenTrace{id: id, day: day}
		return err
	}
	if err := b.t.EachRow(ctx, upsertBacktraces, scan, projects, hashes, days, bodies); err != nil {
		return fmt.Errorf("write backtraces: %w", err)
	}
	return nil
}

// ForgetSeen drops the cached state of a project, and what a committed batch is about to add to it.
func (s *Store) ForgetSeen(projectID int64) {
	s.rollups.Settled()
	s.seen.forget(projectID)
}
