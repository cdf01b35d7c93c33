package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/base/progress"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// compactionLease is the name of the lease of the node that compacts notices.
const compactionLease = "compaction"

// smallBlockAfter is how long notices wait for more of their project before they make a small block.
const smallBlockAfter = 24 * time.Hour

// How many notices of an earlier version are moved in one transaction, and by one Compact.
const (
	oldAtOnce  = 256
	oldInRound = 8192
)

// Compacted says what Compact has done.
type Compacted struct {
	Blocks  int64 // made of notices
	Old     int64 // notices of earlier versions that were moved
	OldUpto int64 // the last one that was moved, as an id
	OldLast int64 // the last one that is to be moved; 0: none are left
}

// Compact moves notices into blocks, in small pieces: projects that have enough for one, and some notices of earlier versions. Of several nodes
// only one does it at a time. If it is interrupted, the next call continues: a notice is in a bundle or in a block at any moment.
func (s *Store) Compact(ctx context.Context, o Purge) (done Compacted, err error) {
	upto, last, err := s.Blocks.Old(ctx, s.Read)
	if err != nil {
		return done, s.Explain(err)
	}
	before := faultdb.NoticeIDAt(o.Now().Add(-smallBlockAfter))
	due, err := s.Blocks.Due(ctx, before)
	if err != nil || last == 0 && len(due) == 0 {
		return done, s.Explain(err)
	}
	done.OldUpto, done.OldLast = upto, last
	err = s.purging(ctx, compactionLease, o, func(p *purge) error {
		c := s.Blocks.Compactor()
		if err := p.compact(ctx, c, due, before, &done); err != nil || last == 0 {
			return err
		}
		return p.moveOld(ctx, c, &done)
	})
	return done, s.Explain(err)
}

// compact makes blocks of the notices of some projects. A project for which that fails does not stop the others.
func (p *purge) compact(ctx context.Context, c *block.Compactor, projects []int64, before int64, done *Compacted) error {
	var failed []error
	for _, project := range projects {
		made, err := true, error(nil)
		for made && err == nil {
			if made, err = p.compactOne(ctx, c, project, before); made {
				done.Blocks++
			}
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("project %d: %w", project, err))
		}
		if errors.Is(err, errNotOurs) || ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// compactOne makes one block of the oldest notices of a project, if it has enough.
func (p *purge) compactOne(ctx context.Context, c *block.Compactor, project, before int64) (made bool, err error) {
	next, err := c.Gather(ctx, project, before)
	if err != nil || next == nil {
		return false, err
	}
	err = p.piece(ctx, "store a block", func(t *tx) error {
		made, err = t.block.Store(ctx, next)
		return err
	})
	return made, err
}

// moveOld moves the next notices of earlier versions to bundles of their projects, and makes blocks of them where there are enough.
func (p *purge) moveOld(ctx context.Context, c *block.Compactor, done *Compacted) error {
	for done.Old < oldInRound {
		var n int
		err := p.piece(ctx, "move notices of earlier versions", func(t *tx) (err error) {
			n, err = t.block.MoveOld(ctx, oldAtOnce)
			return err
		})
		if err != nil {
			return err
		}
		if done.Old += int64(n); n == 0 {
			break
		}
	}
	due, err := p.Blocks.Due(ctx, 0)
	if err != nil {
		return err
	}
	if err := p.compact(ctx, c, due, 0, done); err != nil {
		return err
	}
	done.OldUpto, done.OldLast, err = p.Blocks.Old(ctx, p.Read)
	return err
}

// RewriteBlocks removes deleted notices from the blocks that they were in, and returns how many blocks it rewrote. A damaged block does not
// stop the others.
func (s *Store) RewriteBlocks(ctx context.Context, o Purge) (n int64, err error) {
	id, err := s.Blocks.NextRewritten(ctx, 0)
	if err != nil || id == 0 {
		return 0, s.Explain(err)
	}
	all, err := s.Blocks.Rewrites(ctx)
	if err != nil {
		return 0, s.Explain(err)
	}
	step := progress.Begin(ctx, "rewriting blocks of events", progress.Blocks, all)
	defer step.End()
	err = s.purging(ctx, compactionLease, o, func(p *purge) error {
		c := s.Blocks.Compactor()
		var failed []error
		for id != 0 && ctx.Err() == nil {
			replaced, err := p.rewriteOne(ctx, c, id)
			if replaced {
				n++
			}
			step.Add(1)
			if errors.Is(err, errNotOurs) {
				return err
			}
			failed = append(failed, db.Wrap(fmt.Sprintf("rewrite block %d", id), err))
			if id, err = s.Blocks.NextRewritten(ctx, id); err != nil {
				return errors.Join(append(failed, err)...)
			}
		}
		return errors.Join(append(failed, ctx.Err())...)
	})
	return n, s.Explain(err)
}

// rewriteOne removes deleted notices from a block.
func (p *purge) rewriteOne(ctx context.Context, c *block.Compactor, id int64) (replaced bool, err error) {
	r, err := c.Rewrite(ctx, id)
	if err != nil || r == nil {
		return false, err
	}
	err = p.piece(ctx, "rewrite a block", func(t *tx) error {
		replaced, err = t.block.Replace(ctx, r)
		return err
	})
	return replaced, err
}

// blocks drops the blocks of which all notices are older than their project keeps, with everything that only exists because of them.
func (p *purge) blocks(ctx context.Context, all []keeping) (n int64, err error) {
	for _, k := range all {
		for {
			b, err := p.Blocks.Oldest(ctx, k.project, faultdb.NoticeIDAt(db.FromMicros(k.from)))
			if err != nil {
				return n, err
			}
			if b == nil {
				break
			}
			gone, err := p.dropBlock(ctx, b)
			if n += gone; err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// sweepBlocks drops the blocks of a project that is being deleted.
func (s *Store) sweepBlocks(ctx context.Context, projectID int64) error {
	for {
		dropped := false
		err := s.inTx(ctx, "drop a block", func(t *tx) (err error) {
			dropped, err = t.block.DropOne(ctx, projectID)
			return err
		})
		if err != nil || !dropped {
			return err
		}
	}
}
