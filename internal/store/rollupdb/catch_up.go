package rollupdb

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// BeginFile gives each rollup of a new file a position, so that nothing takes one that was never flushed for one that has nothing to count.
func (s *Store) BeginFile(ctx context.Context) error {
	return s.inTx(ctx, "begin to count", func(t tx) error {
		t.KeepsCaches = true
		return t.flush(ctx, sett.FileNode, s.allAt(0))
	})
}

// Begin implements nodedb.Counter.
func (s *Store) Begin(ctx context.Context, t *db.Tx, num int64, start sett.NoticeID) error {
	return s.in(t).flush(ctx, num, s.allAt(start))
}

// Forget implements nodedb.Counter.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.each {
		d.reset()
		d.flushing = nil
	}
}

// Rejoin assigns another number to this process if it was taken for dead. Nothing is flushed meanwhile, and nothing may be recorded.
func (s *Store) Rejoin(ctx context.Context) error {
	s.Settled()
	s.flushing.Lock()
	defer s.flushing.Unlock()
	if held, err := s.node.HoldsClaims(ctx); err != nil || held { // a recorder or a flush has noticed it already
		return err
	}
	_, holder := s.node.Current()
	return s.node.Renew(ctx, holder)
}

// CatchUp goes on from the position of each rollup: it counts what a node stored and did not count, and returns how many notices some rollup
// lacked. The node must not be storing any more. The error is nodedb.ErrFenced if the number does not belong to the holder, or no longer does.
func (s *Store) CatchUp(ctx context.Context, node int64, holder string) (counted int, err error) {
	left := fresh(s.db, s.node, s.fault, s.block, s.release)
	if err := left.readPositions(ctx, node); err != nil {
		return 0, err
	}
	for {
		n, more, err := left.recount(ctx, node, holder)
		if counted += n; err != nil || !more {
			return counted, err
		}
	}
}

const readPositions = `-- rollupdb.readPositions
SELECT id, upto FROM digests WHERE node = $1`

// readPositions sets the rollups to where a node left them. Nodes of PostgreSQL do not divide rollups, and store tokens with their notices.
func (s *Store) readPositions(ctx context.Context, node int64) error {
	upto := map[int64]sett.NoticeID{}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(readPositions), node)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var at sett.NoticeID
		err := rows.Scan(&id, &at)
		upto[id] = at
		return err
	})
	for _, part := range s.each {
		at, known := upto[part.ID]
		switch {
		case node != sett.FileNode && part.kind == TokenRollup:
			part.upto = math.MaxInt64
		case node == sett.FileNode || known:
			part.upto = at
		default:
			part.upto = upto[rollupID(part.kind, 0)]
		}
	}
	return db.Wrap("find last counted notices", err)
}

// recount flushes the next notices of a node into the rollups that lack them. It returns how many notices some rollup lacked, and whether
// there may be more. A notice whose fault was deleted meanwhile is deleted too.
func (s *Store) recount(ctx context.Context, node int64, holder string) (n int, more bool, err error) {
	from := slices.MinFunc(s.each, func(a, b *rollup) int { return cmp.Compare(a.upto, b.upto) }).upto
	all, err := s.readNotices(ctx, from, node)
	if err != nil || len(all) == 0 {
		return 0, false, err
	}
	var gone []int64
	for i := range all {
		if all[i].Project == 0 {
			gone = append(gone, int64(all[i].ID))
		} else if s.add(&all[i], time.Time{}) {
			n++
		}
	}
	var steps []step
	last := all[len(all)-1].ID
	for _, part := range s.each {
		if !part.StoredAtOnce(s) {
			steps = append(steps, step{part, part.sum, last})
		}
		part.reset()
	}
	s.reach(last)
	return n, true, s.inTx(ctx, "count notices again", func(t tx) error {
		if _, err := s.node.Hold(ctx, t.Tx, node, holder); err != nil {
			return err
		}
		if err := t.fault().DeleteNotices(ctx, gone); err != nil {
			return err
		}
		return t.flush(ctx, node, steps)
	})
}
