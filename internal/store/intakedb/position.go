package intakedb

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Each flush saves how far its rollup got. A rollup that has nothing to flush falls behind: its position is saved now and then.

// mostAhead is how many notices may be recorded before the rollups that had nothing to flush save their position. It bounds what has to
// be read again after a process dies.
const mostAhead = 2_000

// longestAhead is how long they may wait with it while little is recorded: until then the notices are not compacted.
const longestAhead = time.Minute

// leastAhead is how many notices have to be recorded before an idle server saves positions.
func (d *rollups) leastAhead(now time.Time) int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if now.Sub(d.advanced) > longestAhead {
		return 1
	}
	return mostAhead
}

// position is how far a rollup got.
type position struct {
	rollup *rollup
	upto   sett.NoticeID
}

// advance saves the positions of the rollups that have nothing to flush, if so many notices were recorded since it last did. Flushes go on
// meanwhile: the rows of what they flush are not among these, and a position never goes back.
func (s *Store) advance(ctx context.Context, least int) error {
	num, holder := s.node.Current()
	summed, behind := s.rollups.behind(least)
	if len(behind) == 0 {
		return nil
	}
	err := s.inTx(ctx, "advance digests", func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		if _, err := t.holdNode(ctx, num, holder); err != nil {
			return err
		}
		return t.savePositions(ctx, num, behind)
	})
	if errors.Is(err, errFenced) {
		return s.renewNode(ctx, holder)
	}
	if err == nil {
		s.rollups.noteSaved(time.Now(), summed, behind)
	}
	return err
}

// behind returns the positions that are not saved, if so many notices were recorded since that was last done, and how many were summed by now.
func (d *rollups) behind(least int) (summed int, behind []position) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if d.summed-d.saved < least {
		return 0, nil
	}
	for _, part := range d.Each {
		if part.N == 0 && part.flushing == nil && part.upto > part.saved {
			behind = append(behind, position{part, part.upto})
		}
	}
	return d.summed, behind
}

// allAt returns the positions of rollups that all got as far as one notice.
func (d *rollups) allAt(upto sett.NoticeID) (all []position) {
	for _, part := range d.Each {
		all = append(all, position{part, upto})
	}
	return all
}

// savePositions saves positions, of which none goes back.
func (t Tx) savePositions(ctx context.Context, node int64, all []position) error {
	var ids, uptos []int64
	for _, p := range all {
		ids, uptos = append(ids, p.rollup.ID), append(uptos, int64(p.upto))
	}
	return t.Each(ctx, setRollups, db.Repeated(node, len(ids)), ids, uptos)
}

// noteSaved notes that positions are saved that were read when so many notices were summed.
func (d *rollups) noteSaved(now time.Time, summed int, saved []position) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range saved {
		p.rollup.saved = max(p.rollup.saved, p.upto)
	}
	d.saved = max(d.saved, summed)
	d.advanced = now
}
