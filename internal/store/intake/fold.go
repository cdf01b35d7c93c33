package intake

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Fold brings everything that follows notices up to date with them.
func (s *Store) Fold(ctx context.Context) error {
	return s.foldWhere(ctx, func(d *digest) bool { return d.N > 0 })
}

// FoldDue folds what has waited long enough, or is much. It is called again and again while notices come.
func (s *Store) FoldDue(ctx context.Context, now time.Time) error {
	return s.foldWhere(ctx, func(d *digest) bool { return d.due(now) })
}

func (s *Store) foldWhere(ctx context.Context, wanted func(*digest) bool) error {
	s.digests.Settled()
	s.digests.folding.Lock()
	defer s.digests.folding.Unlock()
	var held error
	for _, d := range s.digests.Each {
		err := s.foldOne(ctx, d, wanted)
		if errors.Is(err, db.ErrHeld) { // by a transaction that changes one project; the other digests need not wait
			held = err
			continue
		}
		if err != nil {
			return err
		}
	}
	s.digests.noteFold(time.Now(), held)
	return errors.Join(held, s.advance(ctx))
}

// foldOne folds what failed before and then what is wanted.
func (s *Store) foldOne(ctx context.Context, d *digest, wanted func(*digest) bool) error {
	for range 2 {
		num, holder := s.node.Current()
		sum, upto := s.digests.Take(d, wanted)
		if sum == nil {
			return nil
		}
		err := s.inTx(ctx, "fold counts", func(t Tx) error {
			t.KeepsCaches, t.Unsynced = true, true
			if _, err := t.holdNode(ctx, num, holder); err != nil {
				return err
			}
			return t.fold(ctx, num, sumsOf(d, sum), upto)
		})
		if errors.Is(err, errFenced) {
			return s.renewNode(ctx, holder)
		}
		if err != nil {
			return err
		}
		s.digests.done(sumsOf(d, sum))
	}
	return nil
}

func sumsOf(d *digest, s sum) map[*digest]sum { return map[*digest]sum{d: s} }

// mostAhead is how many notices may be recorded before the digests that had nothing to fold are told how far they are, so
// that a process that dies leaves little to be looked at again.
const mostAhead = 2_000

// advance tells them.
func (s *Store) advance(ctx context.Context) error {
	num, holder := s.node.Current()
	var ids, uptos []int64
	s.digests.mu.RLock()
	ahead := s.digests.ahead
	for _, d := range s.digests.Each {
		if ahead >= mostAhead && d.N == 0 && d.folding == nil {
			ids, uptos = append(ids, d.ID), append(uptos, int64(d.upto))
		}
	}
	s.digests.mu.RUnlock()
	if len(ids) == 0 {
		return nil
	}
	err := s.inTx(ctx, "advance digests", func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		if _, err := t.holdNode(ctx, num, holder); err != nil {
			return err
		}
		return t.Each(ctx, setDigests, db.Repeated(num, len(ids)), ids, uptos)
	})
	if err == nil {
		s.digests.mu.Lock()
		s.digests.ahead -= ahead
		s.digests.mu.Unlock()
	}
	if errors.Is(err, errFenced) {
		return s.renewNode(ctx, holder)
	}
	return err
}

// foldLight brings up to date what follows the notices of a batch that has just been stored, so that its clients find them
// counted, if nothing else is under way. Where it meets another node it leaves that to a later fold, and so it does when it
// fails. It is for PostgreSQL, while nothing is being recorded.
func (s *Store) foldLight(ctx context.Context, b *batch) {
	if len(b.Live) == 0 || len(b.Live) >= busyNode {
		return
	}
	s.digests.Settled()
	if !s.digests.folding.TryLock() {
		return
	}
	defer s.digests.folding.Unlock()
	sums := s.digests.takeOf(b)
	if len(sums) == 0 {
		return
	}
	err := s.tryIntakeTx(ctx, func(t Tx) error {
		t.KeepsCaches = true
		if err := t.WaitForLocks(ctx, lightLockWait); err != nil {
			return err
		}
		if _, err := t.holdNode(ctx, b.node, b.Holder); err != nil {
			return err
		}
		return t.fold(ctx, b.node, sums, b.last())
	})
	if err == nil {
		s.digests.done(sums)
	}
}

// lightLockWait is how long a fold beside intake waits for rows that another transaction holds.
const lightLockWait = 30 * time.Millisecond

// takeOf returns what is to be folded, if all of it is of the last batch.
func (d *digests) takeOf(b *batch) map[*digest]sum {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, part := range d.Each {
		if part.folding != nil || part.N > len(b.Live) {
			return nil
		}
	}
	sums := map[*digest]sum{}
	for _, part := range d.Each {
		if part.N > 0 {
			part.folding, part.foldingN, part.foldingUpto = part.sum, part.N, part.upto
			part.reset()
			sums[part] = part.folding
		}
	}
	return sums
}

// done forgets sums that are written.
func (d *digests) done(sums map[*digest]sum) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for part := range sums {
		part.folding = nil
	}
}

// Take returns what is to be folded: first what failed before. It stays the digest's until the fold is done.
func (d *digests) Take(part *digest, wanted func(*digest) bool) (sum, sett.NoticeID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if part.folding == nil && wanted(part) {
		part.folding, part.foldingN, part.foldingUpto = part.sum, part.N, part.upto
		part.reset()
	}
	return part.folding, part.foldingUpto
}

const setDigests = `-- store.setDigests
INSERT INTO digests (node, id, upto) SELECT k.node, k.id, k.upto FROM {{rows k(node bigint, id bigint, upto bigint)}} WHERE true
ON CONFLICT (node, id) DO UPDATE SET upto = excluded.upto WHERE digests.upto < excluded.upto RETURNING id`

// fold adds sums to the tables of their digests, which then hold every notice of the node up to the given one. Where they
// hold them already – an earlier commit of the same fold was not answered – it does nothing.
func (t Tx) fold(ctx context.Context, node int64, sums map[*digest]sum, upto sett.NoticeID) error {
	var ids, uptos []int64
	behind := map[int64]bool{}
	for _, d := range t.s.digests.Each {
		if sums[d] != nil && !d.StoredAtOnce(t.s) {
			ids, uptos = append(ids, d.ID), append(uptos, int64(upto))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	err := t.EachRow(ctx, setDigests, db.ScanID(func(id int64) { behind[id] = true }), db.Repeated(node, len(ids)), ids, uptos)
	if err != nil {
		return err
	}
	for _, d := range t.s.digests.Each {
		if behind[d.ID] {
			if err := sums[d].write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}
