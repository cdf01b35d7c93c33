package store

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
)

// Fold brings everything that follows notices up to date with them.
func (s *Store) Fold(ctx context.Context) error {
	return s.foldWhere(ctx, func(d *digest) bool { return d.n > 0 })
}

// FoldDue folds what has waited long enough, or is much. It is called again and again while notices come.
func (s *Store) FoldDue(ctx context.Context, now time.Time) error {
	return s.foldWhere(ctx, func(d *digest) bool { return d.due(now) })
}

func (s *Store) foldWhere(ctx context.Context, wanted func(*digest) bool) error {
	s.digests.folding.Lock()
	defer s.digests.folding.Unlock()
	for i, d := range s.digests.each {
		num, holder := s.node.current()
		var sums [digestCount]sum
		var upto sett.NoticeID
		if sums[i], upto = s.digests.take(d, wanted); sums[i] == nil {
			continue
		}
		err := s.inTx(ctx, "fold counts", func(t *tx) error {
			t.keepsFaults = true
			if err := t.holdNode(ctx, num, holder); err != nil {
				return err
			}
			return t.fold(ctx, num, sums, upto)
		})
		if errors.Is(err, errFenced) {
			return s.renewNode(ctx, holder)
		}
		if err != nil {
			return err
		}
		s.digests.mu.Lock()
		d.folding = nil
		s.digests.mu.Unlock()
	}
	return nil
}

// take returns what is to be folded: first what failed before. It stays the digest's until the fold is done.
func (d *digests) take(part *digest, wanted func(*digest) bool) (sum, sett.NoticeID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if part.folding == nil && wanted(part) {
		part.folding, part.foldingUpto = part.sum, part.upto
		part.reset()
	}
	return part.folding, part.foldingUpto
}

const setDigests = `-- store.setDigests
INSERT INTO digests (node, id, upto) SELECT k.node, k.id, k.upto FROM {{rows k(node bigint, id bigint, upto bigint)}} WHERE true
ON CONFLICT (node, id) DO UPDATE SET upto = excluded.upto WHERE digests.upto < excluded.upto RETURNING id`

// fold adds sums, of which some may be nil, to the tables of their digests, which then hold every notice of the node up to
// the given one. Where they hold them already – an earlier commit of the same fold was not answered – it does nothing.
func (t *tx) fold(ctx context.Context, node int64, sums [digestCount]sum, upto sett.NoticeID) error {
	var nodes, ids, uptos []int64
	behind := map[int64]bool{}
	for i, d := range t.s.digests.each {
		if sums[i] != nil {
			nodes, ids, uptos = append(nodes, node), append(ids, d.id), append(uptos, int64(upto))
		}
	}
	if err := t.eachRow(ctx, setDigests, scanID(func(id int64) { behind[id] = true }), nodes, ids, uptos); err != nil {
		return err
	}
	for i, d := range t.s.digests.each {
		if behind[d.id] {
			if err := sums[i].write(ctx, t); err != nil {
				return err
			}
		}
	}
	return nil
}
