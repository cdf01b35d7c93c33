package intakedb

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Flush flushes everything that is derived from notices. It fails while a commit is in doubt: it is called until it succeeds, so that what
// was committed is counted even if no other batch follows.
func (s *Store) Flush(ctx context.Context) error {
	if err := s.leaveNoDoubt(ctx); err != nil {
		return err
	}
	return s.flushWhere(ctx, s.rollups.leastAhead(time.Now()), func(d *rollup) bool { return d.N > 0 })
}

// FlushDue flushes the rollups that are due by age or size. It is called repeatedly while notices arrive.
func (s *Store) FlushDue(ctx context.Context, now time.Time) error {
	return s.flushWhere(ctx, mostAhead, func(d *rollup) bool { return d.due(now) })
}

// flushWhere flushes some rollups, and saves the position of the others if so many notices were recorded since it was last saved.
func (s *Store) flushWhere(ctx context.Context, least int, wanted func(*rollup) bool) error {
	err := s.flushEach(ctx, wanted)
	if err != nil && !errors.Is(err, db.ErrHeld) {
		return err
	}
	return errors.Join(err, s.advance(ctx, least))
}

// flushEach flushes some rollups. The error is db.ErrHeld if all were flushed but those that write rows that others hold.
func (s *Store) flushEach(ctx context.Context, wanted func(*rollup) bool) error {
	s.rollups.Settled()
	if !s.rollups.anyToFlush(wanted) { // so that flushLight need not give way to a flush of nothing
		s.rollups.noteFlush(time.Now(), nil)
		return nil
	}
	s.rollups.flushing.Lock()
	defer s.rollups.flushing.Unlock()
	var held error
	for _, d := range s.rollups.Each {
		err := s.flushOne(ctx, d, wanted)
		if errors.Is(err, db.ErrHeld) { // by a transaction that changes one project; the other rollups need not wait
			held = err
			continue
		}
		if err != nil {
			return err
		}
	}
	s.rollups.noteFlush(time.Now(), held)
	return held
}

// Settle flushes everything and saves the position of all rollups: then no notice would be read again after a crash.
func (s *Store) Settle(ctx context.Context) error {
	return errors.Join(s.Flush(ctx), s.advance(ctx, 1))
}

// flushOne flushes what failed before and then what is wanted.
func (s *Store) flushOne(ctx context.Context, d *rollup, wanted func(*rollup) bool) error {
	for range 2 {
		num, holder := s.node.Current()
		sum, upto := s.rollups.Take(d, wanted)
		if sum == nil {
			return nil
		}
		err := s.inTx(ctx, "fold counts", func(t Tx) error { return t.follow(ctx, num, holder, sumsOf(d, sum), upto) })
		if errors.Is(err, errFenced) {
			return s.renewNode(ctx, holder)
		}
		if err != nil {
			return err
		}
		s.rollups.done(sumsOf(d, sum))
	}
	return nil
}

func sumsOf(d *rollup, s sum) map[*rollup]sum { return map[*rollup]sum{d: s} }

// flushLight flushes the counts of a small batch that was just stored, so that its clients find their notices counted; it does so only if
// nothing else is pending and no other flush is running. If it meets locks of another node, or fails, a later flush does the work.
func (s *Store) flushLight(ctx context.Context, b *batch) {
	busy := busyNode
	if s.db.SQLite() {
		busy = busyBatch
	}
	if len(b.notes) == 0 || len(b.notes) >= busy || !s.rollups.flushing.TryLock() {
		return
	}
	defer s.rollups.flushing.Unlock()
	s.rollups.Settled()
	sums := s.rollups.takeOf(b)
	if len(sums) == 0 {
		return
	}
	err := s.tryIntakeTx(ctx, func(t Tx) error {
		if err := t.WaitForLocks(ctx, lightLockWait); err != nil {
			return err
		}
		return t.follow(ctx, b.node, b.Holder, sums, b.last())
	})
	if err == nil {
		s.rollups.done(sums)
	}
}

// lightLockWait is how long a flush beside intake waits for rows that another transaction holds.
const lightLockWait = 30 * time.Millisecond

// takeOf returns what is to be flushed, if all of it comes from the last batch.
func (d *rollups) takeOf(b *batch) map[*rollup]sum {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, part := range d.Each {
		if part.flushing != nil || part.N > len(b.Live) {
			return nil
		}
	}
	sums := map[*rollup]sum{}
	for _, part := range d.Each {
		if part.N > 0 {
			part.take()
			sums[part] = part.flushing
		}
	}
	return sums
}

// done drops sums that are written.
func (d *rollups) done(sums map[*rollup]sum) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for part := range sums {
		part.flushing, part.saved = nil, max(part.saved, part.flushingUpto)
	}
}

// anyToFlush reports whether a rollup holds what is wanted, or what failed before.
func (d *rollups) anyToFlush(wanted func(*rollup) bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.Each, func(part *rollup) bool { return part.flushing != nil || wanted(part) })
}

// Take returns what is to be flushed, starting with what failed before. The rollup keeps it until the flush is done.
func (d *rollups) Take(part *rollup, wanted func(*rollup) bool) (sum, sett.NoticeID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if part.flushing == nil && wanted(part) {
		part.take()
	}
	return part.flushing, part.flushingUpto
}

func (d *rollup) take() {
	d.flushing, d.flushingN, d.flushingUpto = d.sum, d.N, d.upto
	d.reset()
}

const setRollups = `-- intakedb.setRollups
INSERT INTO digests (node, id, upto) SELECT k.node, k.id, k.upto FROM {{rows k(node bigint, id bigint, upto bigint)}} WHERE true
ON CONFLICT (node, id) DO UPDATE SET upto = excluded.upto WHERE digests.upto < excluded.upto RETURNING id`

// follow is flush in a transaction of its own, by the holder of the number that the notices were stored under.
func (t Tx) follow(ctx context.Context, node int64, holder string, sums map[*rollup]sum, upto sett.NoticeID) error {
	t.KeepsCaches, t.Unsynced = true, true
	if _, err := t.holdNode(ctx, node, holder); err != nil {
		return err
	}
	return t.flush(ctx, node, sums, upto)
}

// flush adds sums to the tables of their rollups, which then include every notice of the node up to the given one. If they already include
// them – an earlier commit of the same flush went unanswered – it does nothing.
func (t Tx) flush(ctx context.Context, node int64, sums map[*rollup]sum, upto sett.NoticeID) error {
	all := db.Sorted(sums, func(a, b *rollup) int { return cmp.Compare(a.ID, b.ID) })
	all = slices.DeleteFunc(all, func(d *rollup) bool { return d.StoredAtOnce(t.s) })
	if len(all) == 0 {
		return nil
	}
	var ids []int64
	for _, d := range all {
		ids = append(ids, d.ID)
	}
	behind := map[int64]bool{}
	err := t.EachRow(ctx, setRollups, db.ScanID(func(id int64) { behind[id] = true }), db.Repeated(node, len(ids)), ids, db.Repeated(int64(upto), len(ids)))
	if err != nil {
		return err
	}
	for _, d := range all {
		if behind[d.ID] {
			if err := sums[d].write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}
