package intakedb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Recover prepares the store for recording: it counts the notices that earlier processes stored and did not count before they died, and
// returns how many there were. It is called once, after Migrate and before anything is recorded.
func (s *Store) Recover(ctx context.Context) (counted int, err error) {
	if !s.db.SQLite() {
		if err := s.takeNode(ctx); err != nil {
			return 0, err
		}
		return s.TakeOver(ctx)
	}
	if err := s.db.RecordAlone(ctx); err != nil { // first: until then another process may assign ids
		return 0, err
	}
	if err := s.skipIDs(ctx); err != nil {
		return 0, err
	}
	if counted, err = s.catchUp(ctx, sett.FileNode, ""); err != nil {
		return counted, err
	}
	s.fillTokenFilter()
	return counted, s.beginRollups(ctx)
}

// beginRollups gives each rollup of a new file a position, so that nothing takes one that was never flushed for one that has nothing to count.
func (s *Store) beginRollups(ctx context.Context) error {
	return s.inTx(ctx, "begin to count", func(t Tx) error {
		t.KeepsCaches = true
		return t.savePositions(ctx, sett.FileNode, s.rollups.allAt(0))
	})
}

// lastID is the greatest id that may have been assigned. The notice that was counted last may have been deleted since.
const lastID = `-- intakedb.lastID
SELECT coalesce(max(k.id), 0) FROM (SELECT max(id) AS id FROM notices UNION ALL SELECT max(upto) FROM digests) k`

// skipIDs makes ids continue after the last one that was assigned: the clock may have been set back since.
func (s *Store) skipIDs(ctx context.Context) error {
	var last sett.NoticeID
	if err := s.db.Read.QueryRowContext(ctx, lastID).Scan(&last); err != nil {
		return s.db.Explain(fmt.Errorf("find last id: %w", err))
	}
	s.ids.Skip(last)
	return nil
}

const readPositions = `-- intakedb.readPositions
SELECT id, upto FROM digests WHERE node = $1`

// catchUp goes on from the position of each rollup: it counts what a node stored and did not count, and returns how many notices some rollup
// lacked. The node must not be storing any more. The error is errFenced if the number does not belong to the holder, or no longer does.
func (s *Store) catchUp(ctx context.Context, node int64, holder string) (counted int, err error) {
	var left rollups
	left.init(s)
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

// readPositions sets the rollups to where a node left them. Nodes of PostgreSQL do not divide rollups, and store tokens with their notices.
func (d *rollups) readPositions(ctx context.Context, node int64) error {
	upto := map[int64]sett.NoticeID{}
	rows, err := d.s.db.Read.QueryContext(ctx, d.s.db.Text(readPositions), node)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var at sett.NoticeID
		err := rows.Scan(&id, &at)
		upto[id] = at
		return err
	})
	for _, part := range d.Each {
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
func (d *rollups) recount(ctx context.Context, node int64, holder string) (n int, more bool, err error) {
	from := slices.MinFunc(d.Each, func(a, b *rollup) int { return cmp.Compare(a.upto, b.upto) }).upto
	all, err := d.s.readNoted(ctx, from, node)
	if err != nil || len(all) == 0 {
		return 0, false, err
	}
	var gone []int64
	for i := range all {
		if all[i].owner.project == 0 {
			gone = append(gone, int64(all[i].id))
		} else if d.add(&all[i], time.Time{}) {
			n++
		}
	}
	sums, last := map[*rollup]sum{}, all[len(all)-1].id
	for _, part := range d.Each {
		sums[part] = part.sum
		part.reset()
	}
	d.reach(last)
	return n, true, d.s.inTx(ctx, "count notices again", func(t Tx) error {
		if _, err := t.holdNode(ctx, node, holder); err != nil {
			return err
		}
		if err := t.fault().DeleteNotices(ctx, gone); err != nil {
			return err
		}
		return t.flush(ctx, node, sums, last)
	})
}
