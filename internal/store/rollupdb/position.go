package rollupdb

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/nodedb"
)

// Each flush saves how far its rollup got. A rollup that has nothing to flush falls behind: its position is saved now and then.

// mostAhead is how many notices may be recorded before the rollups that had nothing to flush save their position. It bounds what has to
// be read again after a process dies.
const mostAhead = 2_000

// longestAhead is how long they may wait with it while little is recorded: until then the notices are not compacted.
const longestAhead = time.Minute

// leastAhead is how many notices have to be recorded before an idle server saves positions.
func (s *Store) leastAhead(now time.Time) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if now.Sub(s.advanced) > longestAhead {
		return 1
	}
	return mostAhead
}

// advance saves the positions of the rollups that have nothing to flush, if so many notices were recorded since it last did. Flushes go on
// meanwhile: the rows of what they flush are not among these, and a position never goes back.
func (s *Store) advance(ctx context.Context, least int) error {
	num, holder := s.node.Current()
	summed, behind := s.behind(least)
	if len(behind) == 0 {
		return nil
	}
	err := s.inTx(ctx, "advance digests", func(t tx) error { return t.follow(ctx, num, holder, behind) })
	if errors.Is(err, nodedb.ErrFenced) {
		return s.node.Renew(ctx, holder)
	}
	if err == nil {
		s.noteSaved(time.Now(), summed, behind)
	}
	return err
}

// behind returns the positions that are not saved, if so many notices were recorded since that was last done, and how many were summed by now.
func (s *Store) behind(least int) (summed int, behind []step) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.summed-s.saved < least {
		return 0, nil
	}
	for _, part := range s.each {
		if part.N == 0 && part.flushing == nil && part.upto > part.saved {
			behind = append(behind, step{part, nil, part.upto})
		}
	}
	return s.summed, behind
}

// allAt returns the positions of rollups that all got as far as one notice.
func (s *Store) allAt(upto sett.NoticeID) (all []step) {
	for _, part := range s.each {
		all = append(all, step{part, nil, upto})
	}
	return all
}

// noteSaved notes that positions are saved that were read when so many notices were summed.
func (s *Store) noteSaved(now time.Time, summed int, saved []step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range saved {
		p.part.saved = max(p.part.saved, p.upto)
	}
	s.saved = max(s.saved, summed)
	s.advanced = now
}
