package intakedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	var ids []int64
	for _, d := range s.rollups.Each {
		ids = append(ids, d.ID)
	}
	return s.inTx(ctx, "begin to count", func(t Tx) error {
		t.KeepsCaches = true
		return t.Each(ctx, setRollups, db.Repeated(sett.FileNode, len(ids)), ids, make([]int64, len(ids)))
	})
}

// lastID is the greatest id that may have been assigned. The notice that was counted last may have been deleted since.
const lastID = `-- store.lastID
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

const rollupUpto = `-- store.rollupUpto
SELECT upto FROM digests WHERE node = $1 AND id = $2`

// lag is the position of each rollup of a node.
type lag map[*rollup]sett.NoticeID

// catchUp brings all rollups up to the last notice that a node stored. The node must not be storing any more. The error is ErrFenced if
// the number does not belong to the holder, or no longer does.
func (s *Store) catchUp(ctx context.Context, node int64, holder string) (counted int, err error) {
	upto := lag{}
	for _, d := range s.rollups.Each {
		if d.StoredAtOnce(s) {
			continue
		}
		var id sett.NoticeID
		err := s.db.Read.QueryRowContext(ctx, s.db.Text(rollupUpto), node, d.ID).Scan(&id)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, fmt.Errorf("find last counted notice: %w", err)
		}
		upto[d] = id
	}
	for from := slices.Min(slices.Collect(maps.Values(upto))); ; {
		n, next, err := s.recount(ctx, node, holder, from, upto)
		if counted += n; err != nil || next == 0 {
			return counted, err
		}
		from = next
	}
}

const notRolledUp = `-- store.notRolledUp
` + notedColumns + `
WHERE n.id > $1 AND (CAST($2 AS bigint) = $3 OR n.id % $4 = $2) ORDER BY n.id LIMIT 2000`

// recount flushes the next notices of a node after from into the rollups that lack them. It returns how many notices some rollup lacked,
// and the last notice that it read, 0 for none. A notice whose fault was deleted meanwhile is deleted too.
func (s *Store) recount(ctx context.Context, node int64, holder string, from sett.NoticeID, upto lag) (n int, last sett.NoticeID, err error) {
	sums := map[*rollup]sum{}
	for d := range upto {
		sums[d] = d.fresh()
	}
	var gone []int64
	all, err := s.readNoted(ctx, notRolledUp, int64(from), node, int64(sett.FileNode), int64(sett.MaxNodes))
	if err != nil || len(all) == 0 {
		return 0, 0, err
	}
	for i := range all {
		found := &all[i]
		if last = found.id; found.owner.project == 0 {
			gone = append(gone, int64(found.id))
			continue
		}
		lacked := 0
		for _, d := range s.rollups.of(found) {
			if sums[d] != nil && found.id > upto[d] {
				sums[d].add(found)
				lacked = 1
			}
		}
		n += lacked
	}
	return n, last, s.inTx(ctx, "count notices again", func(t Tx) error {
		if _, err := t.holdNode(ctx, node, holder); err != nil {
			return err
		}
		if err := t.fault().DeleteNotices(ctx, gone); err != nil {
			return err
		}
		return t.flush(ctx, node, sums, last)
	})
}
