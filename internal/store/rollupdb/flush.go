package rollupdb

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/nodedb"
)

// FlushesWithin is the time within which a notice is counted, except those of a node that died.
const FlushesWithin = 30 * time.Second

// Flush flushes everything that is derived from notices.
func (s *Store) Flush(ctx context.Context) error {
	return s.flushWhere(ctx, s.leastAhead(time.Now()), isPending)
}

func isPending(d *rollup) bool { return d.N > 0 }

// FlushDue flushes the rollups that are due by age or size. It is called repeatedly while notices arrive.
func (s *Store) FlushDue(ctx context.Context, now time.Time) error {
	return s.flushWhere(ctx, mostAhead, func(d *rollup) bool { return d.due(now) })
}

// FlushProjects flushes the counts of projects.
func (s *Store) FlushProjects(ctx context.Context) error {
	return s.flushWhere(ctx, mostAhead, func(d *rollup) bool { return d.kind == projectRollup && d.N > 0 })
}

// Settle flushes everything and saves the position of all rollups: then no notice would be read again after a crash.
func (s *Store) Settle(ctx context.Context) error {
	return errors.Join(s.Flush(ctx), s.advance(ctx, 1))
}

// flushWhere flushes some rollups, and saves the position of the others if so many notices were recorded since it was last saved.
func (s *Store) flushWhere(ctx context.Context, least int, wanted func(*rollup) bool) error {
	err := s.flushEach(ctx, wanted)
	if err != nil && !errors.Is(err, db.ErrHeld) {
		return err
	}
	return errors.Join(err, s.advance(ctx, least))
}

// flushEach flushes some rollups, each in a transaction of its own, so that it holds the rows that all nodes share, or the one writer of an
// SQLite file, only for as long as it writes these. The error is db.ErrHeld if all were flushed but those that write rows that others hold.
func (s *Store) flushEach(ctx context.Context, wanted func(*rollup) bool) error {
	s.Settled()
	if !s.some(func(part *rollup) bool { return part.flushing != nil || wanted(part) }) { // so that FlushLight need not give way to a flush of nothing
		s.noteFlush(time.Now(), nil)
		return nil
	}
	s.flushing.Lock()
	defer s.flushing.Unlock()
	own := func(f func(*db.Tx) error) error { return s.db.InTx(ctx, "fold counts", f) }
	var held error
	for _, part := range s.each {
		err := s.write(ctx, own, nothing, part) // that is, only what failed before
		if err == nil {
			err = s.write(ctx, own, wanted, part)
		}
		if errors.Is(err, db.ErrHeld) { // by a transaction that changes one project; the other rollups need not wait
			held = err
			continue
		}
		if err != nil {
			return err
		}
	}
	s.noteFlush(time.Now(), held)
	return held
}

func nothing(*rollup) bool { return false }

// A batch of so many notices leaves the counts to a later flush. On PostgreSQL, where nodes wait for one another when they flush, busyNode
// notices are enough.
const (
	busyBatch = 24
	busyNode  = 4
)

// lightLockWait is how long a flush beside intake waits for rows that another transaction holds.
const lightLockWait = 30 * time.Millisecond

// FlushLight flushes the counts of a small batch that was just stored, so that its clients find their notices counted; it does so only if
// nothing else is pending and no other flush is running. If it meets locks of another node, or fails, a later flush does the work.
func (s *Store) FlushLight(ctx context.Context, b *Batch) {
	n, busy := len(b.Notices), busyNode
	if s.db.SQLite() {
		busy = busyBatch
	}
	if n == 0 || n >= busy || !s.flushing.TryLock() {
		return
	}
	defer s.flushing.Unlock()
	s.Settled()
	if s.some(func(part *rollup) bool { return part.flushing != nil || part.N > n }) {
		return
	}
	light := func(f func(*db.Tx) error) error {
		return s.db.TryIntakeTx(ctx, func(t *db.Tx) error {
			if err := t.WaitForLocks(ctx, lightLockWait); err != nil {
				return err
			}
			return f(t)
		})
	}
	_ = s.write(ctx, light, isPending, s.each...)
}

// step is what a flush writes of a rollup.
type step struct {
	part *rollup
	sum  sum           // nil: only the position
	upto sett.NoticeID // the rows then hold every notice of the node up to this one
}

// take returns what is to be flushed of some rollups: what failed before or, if nothing did, what is wanted. A rollup keeps it until it is
// written.
func (s *Store) take(wanted func(*rollup) bool, parts ...*rollup) (all []step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range parts {
		if d.flushing == nil && wanted(d) {
			d.flushing, d.flushingN, d.flushingUpto = d.sum, d.N, d.upto
			d.reset()
		}
		if d.flushing != nil {
			all = append(all, step{d, d.flushing, d.flushingUpto})
		}
	}
	return all
}

// write writes what is to be flushed of some rollups, in one transaction. If this node was taken for dead, it takes another number, and the
// node that took it for dead counts what was pending.
func (s *Store) write(ctx context.Context, in func(func(*db.Tx) error) error, wanted func(*rollup) bool, parts ...*rollup) error {
	num, holder := s.node.Current() // before the sums are taken: what was stored under this number must not be written under a later one
	all := s.take(wanted, parts...)
	if len(all) == 0 {
		return nil
	}
	err := in(func(t *db.Tx) error { return s.in(t).follow(ctx, num, holder, all) })
	if errors.Is(err, nodedb.ErrFenced) {
		return s.node.Renew(ctx, holder)
	}
	if err == nil {
		s.done(all)
	}
	return err
}

// done drops what is written.
func (s *Store) done(all []step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range all {
		w.part.flushing, w.part.saved = nil, max(w.part.saved, w.upto)
	}
}

const setRollups = `-- rollupdb.setRollups
INSERT INTO digests (node, id, upto) SELECT k.node, k.id, k.upto FROM {{rows k(node bigint, id bigint, upto bigint)}} WHERE true
ON CONFLICT (node, id) DO UPDATE SET upto = excluded.upto WHERE digests.upto < excluded.upto RETURNING id`

// follow is flush in a transaction of its own, by the holder of the number that the notices were stored under.
func (t tx) follow(ctx context.Context, node int64, holder string, all []step) error {
	t.KeepsCaches, t.Unsynced = true, true
	if _, err := t.s.node.Hold(ctx, t.Tx, node, holder); err != nil {
		return err
	}
	return t.flush(ctx, node, all)
}

// flush adds sums to the tables of their rollups, and saves how far they go: a position never goes back. If the tables already include
// a sum – an earlier commit of the same flush went unanswered – it is left out.
func (t tx) flush(ctx context.Context, node int64, all []step) error {
	var ids, uptos []int64
	for _, w := range all {
		ids, uptos = append(ids, w.part.ID), append(uptos, int64(w.upto))
	}
	behind := map[int64]bool{}
	err := t.EachRow(ctx, setRollups, db.ScanID(func(id int64) { behind[id] = true }), db.Repeated(node, len(ids)), ids, uptos)
	if err != nil {
		return err
	}
	for _, w := range all {
		if w.sum != nil && behind[w.part.ID] {
			if err := w.sum.write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}
