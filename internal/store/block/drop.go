package block

import (
	"context"
	"database/sql"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Aged is a block whose notices are all kept no longer.
type Aged struct {
	id, project int64
	Notices     []AgedNotice // without those that are deleted
}

// AgedNotice is a notice that is kept no longer.
type AgedNotice struct {
	ID, Fault int64
	User      string // the affected one, "" if there is none
}

const oldestBlock = `-- block.oldestBlock
SELECT id, project_id, count, remote, gone, notices FROM blocks WHERE project_id = $1 AND id < $2 AND last_id < $2 ORDER BY id LIMIT 1`

// Oldest returns the first block of a project whose notices are all before an id, or nil.
func (s *Store) Oldest(ctx context.Context, projectID, before int64) (aged *Aged, err error) {
	err = s.db.Snapshot(ctx, "read the oldest block", func(q db.Querier) error {
		b := held{}
		var notices []byte
		rows, err := q.QueryContext(ctx, s.db.Text(oldestBlock), projectID, before)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			return rows.Scan(&b.id, &b.project, &b.count, &b.remote, &b.gone, &notices)
		})
		if err != nil || b.id == 0 {
			return err
		}
		aged = &Aged{id: b.id, project: b.project}
		if b.list, err = openList(notices, b.id); err != nil {
			return nil //nolint:nilerr // what cannot be read is dropped; its rows go like those that are in no block
		}
		aged.Notices, err = s.agedNotices(ctx, q, &b)
		return err
	})
	return aged, err
}

// agedNotices returns the notices of a block that are not deleted.
func (s *Store) agedNotices(ctx context.Context, q db.Querier, b *held) (left []AgedNotice, err error) {
	gone, err := column.ReadSet(b.gone, len(b.ids))
	if err != nil {
		return nil, err
	}
	users, err := s.usersOf(ctx, q, b)
	if err != nil {
		return nil, err
	}
	for _, r := range b.runs {
		for row := r.from; row < r.to; row++ {
			if !gone.Has(row) {
				left = append(left, AgedNotice{b.ids[row], r.fault, users[row]})
			}
		}
	}
	return left, nil
}

// MarkAged marks notices of a block that are being deleted, so that nothing returns them until the block is dropped.
func (t Tx) MarkAged(ctx context.Context, a *Aged, ids []int64) error {
	return t.markOf(ctx, a.project, ids)
}

// DropAged drops a block. Its notices have to be deleted with it.
func (t Tx) DropAged(ctx context.Context, a *Aged) error { return t.drop(ctx, a.project, a.id) }

const firstBlock = `-- block.firstBlock
SELECT id FROM blocks WHERE project_id = $1 ORDER BY id LIMIT 1`

// DropOne drops a block of a project, and reports whether there was one.
func (t Tx) DropOne(ctx context.Context, projectID int64) (bool, error) {
	ids, err := t.s.db.ListIDs(ctx, t, firstBlock, projectID)
	if err != nil || len(ids) == 0 {
		return false, db.Wrap("find a block", err)
	}
	return true, t.drop(ctx, projectID, ids[0])
}
