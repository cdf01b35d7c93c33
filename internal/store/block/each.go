package block

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Kept is a notice, and the fault under which it is stored.
type Kept struct{ ID, Fault int64 }

const looseInRange = `-- block.looseInRange
SELECT bundle_id, slots, members FROM bundle_facets WHERE project_id = $1 AND last_id >= $2 ORDER BY bundle_id DESC`

const blocksInRange = `-- block.blocksInRange
SELECT id FROM blocks WHERE project_id = $1 AND id < $2 AND last_id >= $3 ORDER BY id DESC`

const noticesOfBlock = `-- block.noticesOfBlock
SELECT gone, notices FROM blocks WHERE id = $1`

// EachNotice calls yield with the notices of a project in a range of ids, in the order of their ids: first with those that are in no block yet,
// then with those of each block, the newest first. It reads nothing that was sent with them, and leaves out damaged bundles and blocks, and what
// an earlier version stored and is not moved yet. q must be a snapshot, and yield may use it.
func (s *Store) EachNotice(ctx context.Context, q db.Querier, projectID int64, in Span, yield func([]Kept) error) error {
	some := func(all []Kept) error {
		all = slices.DeleteFunc(all, func(n Kept) bool { return n.ID < in.From || n.ID >= in.To })
		if len(all) == 0 {
			return nil
		}
		slices.SortFunc(all, func(a, b Kept) int { return cmp.Compare(a.ID, b.ID) })
		return yield(all)
	}
	loose, err := s.loose(ctx, q, projectID, in.From)
	if err != nil {
		return db.Wrap("list notices of bundles", err)
	}
	if err := some(loose); err != nil {
		return err
	}
	var blocks []int64
	rows, err := q.QueryContext(ctx, s.db.Text(blocksInRange), projectID, in.To, in.From)
	if err = db.ScanAll(rows, err, db.ScanID(func(id int64) { blocks = append(blocks, id) })); err != nil {
		return db.Wrap("list blocks", err)
	}
	for _, id := range blocks {
		var gone, notices []byte
		if err := q.QueryRowContext(ctx, s.db.Text(noticesOfBlock), id).Scan(&gone, &notices); err != nil {
			return db.Wrap("list notices of a block", err)
		}
		if err := some(keptIn(id, gone, notices)); err != nil {
			return err
		}
	}
	return nil
}

// loose returns the notices of a project from an id on that are in no block yet, and some that are before it.
func (s *Store) loose(ctx context.Context, q db.Querier, projectID, from int64) (all []Kept, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(looseInRange), projectID, from)
	return all, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, slots int64
		var text sql.RawBytes
		if err := rows.Scan(&id, &slots, &text); err != nil {
			return err
		}
		members, _ := readMembers(text, id, slots) // a damaged list has none
		for _, m := range members {
			all = append(all, Kept{m.ID, m.Fault})
		}
		return nil
	})
}

// keptIn returns the notices of a block that are not deleted; none of one that is damaged.
func keptIn(block int64, gone, notices []byte) (all []Kept) {
	l, err := openList(notices, block)
	if err != nil {
		return nil
	}
	deleted, err := column.ReadSet(gone, len(l.ids))
	if err != nil {
		return nil
	}
	for _, r := range l.runs {
		for row := r.from; row < r.to; row++ {
			if !deleted.Has(row) {
				all = append(all, Kept{l.ids[row], r.fault})
			}
		}
	}
	return all
}
