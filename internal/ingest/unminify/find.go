package unminify

import (
	"context"
	"strings"
	"time"

	"sett/internal/store/sourcemapdb"
)

// question is what a map is looked for by.
type question struct {
	project                int64
	debugID, revision, url string
}

// answer is the map that was found at a time; it is not believed for long.
type answer struct {
	found sourcemapdb.Found
	ok    bool
	until time.Time
}

// find returns the map of a file. It notes that the map is used.
func (s *Maps) find(ctx context.Context, q question) (sourcemapdb.Found, bool, error) {
	now := s.now()
	s.mu.Lock()
	known, ok := s.answers[q]
	s.mu.Unlock()
	if ok && now.Before(known.until) {
		return known.found, known.ok, nil
	}
	found, ok, err := s.store.Find(ctx, q.project, q.debugID, q.revision, q.url)
	if err != nil {
		return found, false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.answers) >= mostAnswers {
		clear(s.answers)
	}
	q.url = strings.Clone(q.url) // it may be a part of a body, whose memory is used again
	s.answers[q] = answer{found, ok, now.Add(answerTime)}
	if ok {
		s.use(q.project, found)
	}
	return found, ok, nil
}

// Forget drops all findings, so that what was uploaded or deleted in this process counts at once.
func (s *Maps) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.answers)
}

// use is a map that was used.
type use struct {
	project int64
	found   sourcemapdb.Found
}

// use notes that a map is used.
func (s *Maps) use(project int64, found sourcemapdb.Found) {
	if len(s.uses) < mostUses {
		s.uses[found.ID] = use{project, found}
	}
}

// SaveUse stores which maps were used since it was last called, so that they are kept. A use that could not be stored is noted again the
// next time that the map is used.
func (s *Maps) SaveUse(ctx context.Context) error {
	s.mu.Lock()
	uses := s.uses
	s.uses = map[int64]use{}
	s.mu.Unlock()
	for _, u := range uses {
		if err := s.store.Touch(ctx, s.now(), u.project, u.found); err != nil {
			return err
		}
	}
	return nil
}
