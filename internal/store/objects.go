package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/store/block"
	"sett/internal/store/db"
)

// objectLease is the name of the lease of the node that moves blocks to object storage, and deletes objects from it.
const objectLease = "object storage"

// MoveBlocks moves blocks to object storage, oldest first, and returns how many. It ends with the first that cannot be moved; the next call continues:
// until a block is moved, all of it is in the database. Of several nodes only one does it at a time.
func (s *Store) MoveBlocks(ctx context.Context, o Purge) (n int64, err error) {
	id, err := s.Blocks.NextLocal(ctx, 0)
	if err != nil || id == 0 {
		return 0, s.Explain(err)
	}
	err = s.purging(ctx, objectLease, o, func(p *purge) error {
		c := s.Blocks.Compactor()
		for id != 0 && ctx.Err() == nil {
			moved, err := p.moveOne(ctx, c, id)
			if err != nil {
				return err
			}
			if moved {
				n++
			}
			if id, err = s.Blocks.NextLocal(ctx, id); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return n, s.Explain(err)
}

// moveOne moves a block. Nothing is uploaded while a transaction runs.
func (p *purge) moveOne(ctx context.Context, c *block.Compactor, id int64) (moved bool, err error) {
	out, err := c.Outgoing(ctx, id, p.Now())
	if err != nil || out == nil {
		return false, err
	}
	if err := p.Blocks.Objects.Put(ctx, out.Key, out.Body); err != nil {
		return false, errors.Join(fmt.Errorf("upload block %d: %w", id, err), p.Blocks.Abandon(ctx, out))
	}
	err = p.piece(ctx, "note a moved block", func(t *tx) error {
		moved, err = t.block.Moved(ctx, out)
		return err
	})
	if !moved {
		err = errors.Join(err, p.Blocks.Abandon(ctx, out))
	}
	return moved, err
}

// DeleteObjects deletes objects that belong to no block from object storage, and returns how many. It ends with the first that cannot be deleted, which is
// tried again later.
func (s *Store) DeleteObjects(ctx context.Context, o Purge) (n int64, err error) {
	if has, err := s.Blocks.HasDeadObjects(ctx, o.Now()); err != nil || !has {
		return 0, s.Explain(err)
	}
	err = s.purging(ctx, objectLease, o, func(p *purge) error {
		for ctx.Err() == nil {
			some, err := p.deleteSome(ctx)
			if n += some; err != nil || some == 0 {
				return err
			}
		}
		return ctx.Err()
	})
	return n, s.Explain(err)
}

func (p *purge) deleteSome(ctx context.Context) (n int64, err error) {
	var due []block.DeadObject
	err = p.inTx(ctx, "claim objects to delete", func(t *tx) error { // synced, and with it what made them dead: nothing can bring an object back
		if err := t.holdPurge(ctx, p.lease, p.Purge); err != nil {
			return err
		}
		due, err = t.block.ClaimDeadObjects(ctx, p.Now())
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, dead := range due {
		if err := p.deleteOne(ctx, dead); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (p *purge) deleteOne(ctx context.Context, dead block.DeadObject) error {
	failed := block.ErrNoObjects
	if p.Blocks.Objects != nil {
		failed = p.Blocks.Objects.Delete(ctx, dead.Key)
	}
	err := p.piece(ctx, "note a deleted object", func(t *tx) error {
		if failed != nil {
			return t.block.RetryObject(ctx, dead, p.Now())
		}
		return t.block.DeletedObject(ctx, dead.Key)
	})
	return errors.Join(db.Wrap("delete object "+dead.Key, failed), err)
}

// BringHome moves all blocks from object storage back to the database, and returns how many. The objects are deleted later, unless the database is a
// copy of the one that they belong to: then it forgets them.
func (s *Store) BringHome(ctx context.Context, o Purge, isCopy bool) (n int64, err error) {
	err = s.purging(ctx, objectLease, o, func(p *purge) error {
		for id := int64(0); ; {
			if id, err = s.Blocks.NextRemote(ctx, id); err != nil || id == 0 {
				break
			}
			in, err := s.Blocks.Incoming(ctx, id)
			if err != nil {
				return err
			}
			if in == nil {
				continue
			}
			err = p.piece(ctx, "note a block that came back", func(t *tx) error {
				back, err := t.block.CameBack(ctx, in, isCopy)
				if back {
					n++
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if err != nil || !isCopy {
			return err
		}
		return p.piece(ctx, "forget objects", func(t *tx) error { return t.block.ForgetObjects(ctx) })
	})
	return n, s.Explain(err)
}

// holdFor is how long one call of Hold lasts.
const holdFor = 5 * time.Minute

// HoldObjects prevents that objects are deleted until release is called, because a backup reads them, or until this process has died.
func (s *Store) HoldObjects(ctx context.Context, now func() time.Time) (release func() error, err error) {
	if err := s.Blocks.HoldObjects(ctx, now().Add(holdFor)); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(holdFor / 5)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = s.Blocks.HoldObjects(ctx, now().Add(holdFor)) // the next one may succeed
			}
		}
	}()
	return func() error {
		cancel()
		<-done
		return s.Blocks.HoldObjects(context.WithoutCancel(ctx), time.Time{})
	}, nil
}
