package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sett/internal/sett"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/rollupdb"
)

// notices deletes old notices. Their ids are times: what is older than any project keeps is the start of the table. Notices of projects
// that keep less are found by their faults.
func (p *purge) notices(ctx context.Context, all []keeping) (n int64, err error) {
	longest := longestKept(all)
	p.size = leastInPiece
	if n, err = p.blocks(ctx, all); err != nil {
		return n, err
	}
	old, err := p.oldest(ctx, faultdb.NoticeIDAt(db.FromMicros(longest)))
	if n += old; err != nil {
		return n, err
	}
	var due []dueFault
	for _, k := range all {
		if k.from > longest {
			some, err := p.dueFaults(ctx, k)
			if err != nil {
				return n, err
			}
			due = append(due, some...)
		}
	}
	more, err := p.byFaults(ctx, due)
	return n + more, err
}

const oldestNotices = `-- store.oldestNotices
SELECT id FROM notices WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3`

// oldest deletes all notices before an id.
func (p *purge) oldest(ctx context.Context, before int64) (n int64, err error) {
	for after := int64(0); ; {
		ids, err := p.ListIDs(ctx, p.Read, oldestNotices, after, before, p.size)
		if err != nil || len(ids) == 0 {
			return n, db.Wrap("find old notices", err)
		}
		after = ids[len(ids)-1]
		gone, err := p.drop(ctx, ids)
		if n += gone; err != nil {
			return n, err
		}
	}
}

// drop deletes notices in pieces, in the order of their ids, so that those of a bundle are deleted together.
func (p *purge) drop(ctx context.Context, ids []int64) (n int64, err error) {
	for len(ids) > 0 {
		some := ids[:min(int64(len(ids)), p.size)]
		ids = ids[len(some):]
		var gone int64
		err := p.piece(ctx, "purge notices", func(t *tx) (err error) {
			gone, err = t.purgeNotices(ctx, some)
			return err
		})
		if n += gone; err != nil {
			return n, err
		}
	}
	return n, nil
}

// dueFault is a fault, or a part of one, with old notices.
type dueFault struct {
	id     int64
	oldest int64 // its notices are not older than this id
	before int64 // notices before this id are to be deleted
}

// A fault whose last notice was before the last purge of its project has no old notices left. Notices of nodes that died long ago may be
// added later, and are deleted when they are older than any project keeps.
const oldestOfFaults = `-- store.oldestOfFaults
SELECT c.fault_id, coalesce((SELECT min(n.id) FROM fault_notices n WHERE n.fault_id = c.fault_id), 0)
FROM fault_counts c WHERE c.project_id = $1 AND c.last_notice_at >= $2
UNION ALL SELECT m.id, coalesce((SELECT min(n.id) FROM fault_notices n WHERE n.fault_id = m.id), 0)
FROM merged_faults m WHERE m.project_id = $1 AND m.last_notice_at >= $2`

func (p *purge) dueFaults(ctx context.Context, k keeping) (due []dueFault, err error) {
	before := faultdb.NoticeIDAt(db.FromMicros(k.from))
	rows, err := p.Read.QueryContext(ctx, p.Text(oldestOfFaults), k.project, k.purged)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f := dueFault{before: before}
		err := rows.Scan(&f.id, &f.oldest)
		if f.oldest > 0 && f.oldest < before {
			due = append(due, f)
		}
		return err
	})
	return due, db.Wrap("find faults with old notices", err)
}

// The stretches of time from which notices are gathered at once: each is made longer or shorter depending on the number of notices in the
// previous one.
const (
	firstStretch   = 600_000_000 * sett.MaxNodes // ten minutes, as a difference of ids
	longestStretch = 1_000 * 24 * 6 * firstStretch
	fewGathered    = 4_000
	manyGathered   = 16_000
)

// byFaults deletes the old notices of faults, oldest first.
func (p *purge) byFaults(ctx context.Context, due []dueFault) (n int64, err error) {
	for stretch := int64(firstStretch); len(due) > 0; {
		to := slices.MinFunc(due, func(a, b dueFault) int { return cmp.Compare(a.oldest, b.oldest) }).oldest + stretch
		ids, err := p.gather(ctx, due, to)
		if err != nil {
			return n, err
		}
		gone, err := p.drop(ctx, ids)
		if n += gone; err != nil {
			return n, err
		}
		due = since(due, to)
		switch {
		case len(ids) < fewGathered:
			stretch = min(2*stretch, longestStretch)
		case len(ids) > manyGathered:
			stretch = max(stretch/2, 1)
		}
	}
	return n, nil
}

// since returns the faults that may have old notices from an id on.
func since(due []dueFault, from int64) (left []dueFault) {
	for _, f := range due {
		if f.oldest = max(f.oldest, from); f.oldest < f.before {
			left = append(left, f)
		}
	}
	return left
}

const noticesOfFaults = `-- store.noticesOfFaults
SELECT n.id FROM {{rows k(fault_id bigint, before bigint)}} JOIN fault_notices n ON n.fault_id = k.fault_id AND n.id < k.before`

// gather returns the old notices of faults before an id, in order.
func (p *purge) gather(ctx context.Context, due []dueFault, to int64) (ids []int64, err error) {
	var faults, before []int64
	for _, f := range due {
		if f.oldest < to {
			faults, before = append(faults, f.id), append(before, min(f.before, to))
		}
	}
	err = p.ReadRows(ctx, p.Read, noticesOfFaults, db.ScanID(func(id int64) { ids = append(ids, id) }), faults, before)
	slices.Sort(ids)
	return ids, db.Wrap("find old notices of faults", err)
}

// purgeNotices skips notices that a node has stored and not counted yet.
var purgeNotices = fmt.Sprintf(`-- store.purgeNotices
DELETE FROM notices WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) AND NOT EXISTS (
    SELECT 1 FROM digests d WHERE d.node = notices.id %% %d AND d.upto < notices.id AND d.id < %d)
RETURNING id, fault_id, token, bundle_id, slot`, sett.MaxNodes, 100*rollupdb.TokenRollup)

const dropFaultNotices = `-- store.dropFaultNotices
DELETE FROM fault_notices WHERE (fault_id, id) IN (SELECT k.fault_id, k.id FROM {{rows k(fault_id bigint, id bigint)}})`

// purged holds deleted rows of table notices, column by column.
type purged struct {
	ids, faults []int64
	tokens      [][]byte
	tokenIDs    []int64
	gone        block.Gone
}

func (g *purged) scan(rows *sql.Rows) error {
	var id, fault, bundle, slot int64
	var token []byte
	if err := rows.Scan(&id, &fault, &token, &bundle, &slot); err != nil {
		return err
	}
	g.ids, g.faults = append(g.ids, id), append(g.faults, fault)
	if token != nil {
		g.tokens, g.tokenIDs = append(g.tokens, token), append(g.tokenIDs, id)
	}
	g.gone.Add(id, fault, bundle, slot)
	return nil
}

// purgeNotices deletes notices with everything that only exists because of them, and returns their number.
func (t *tx) purgeNotices(ctx context.Context, ids []int64) (int64, error) {
	gone := &purged{gone: block.Gone{}}
	if err := t.EachRow(ctx, purgeNotices, gone.scan, ids); err != nil {
		return 0, fmt.Errorf("delete notices: %w", err)
	}
	users := rollupdb.Users{}
	if err := t.block.Remove(ctx, gone.gone, users.Add); err != nil {
		return 0, err
	}
	return t.dropPurged(ctx, gone, users)
}

// dropBlock deletes a block in pieces, with everything that only exists because of its notices, and returns their number. Until the last piece, notices
// that are gone are marked in the block.
func (p *purge) dropBlock(ctx context.Context, b *block.Aged) (n int64, err error) {
	for left := b.Notices; ; {
		some := left[:min(int64(len(left)), p.size)]
		left = left[len(some):]
		if err := p.warm(ctx, some); err != nil {
			return n, err
		}
		var gone int64
		err := p.piece(ctx, "drop a block", func(t *tx) (err error) {
			gone, err = t.dropOfBlock(ctx, b, some, len(left) == 0)
			return err
		})
		if n += gone; err != nil || len(left) == 0 {
			return n, err
		}
	}
}

const warmNotices = `-- store.warmNotices
SELECT count(n.id) + count(f.id) + count(t.notice_id) FROM {{rows k(id bigint, fault_id bigint)}} JOIN notices n ON n.id = k.id
LEFT JOIN fault_notices f ON f.fault_id = k.fault_id AND f.id = k.id LEFT JOIN notice_tokens t ON t.token = n.token`

const warmUsers = `-- store.warmUsers
SELECT count(u.count) FROM {{rows k(fault_id bigint, name text)}} JOIN fault_users u ON u.fault_id = k.fault_id AND u.name = k.name`

// warm reads what a piece deletes. Tokens and users are spread over their tables, so that each may be on a page of its own, and in an SQLite
// file nothing else can write while a transaction waits for the disk.
func (p *purge) warm(ctx context.Context, notices []block.AgedNotice) error {
	if !p.SQLite() {
		return nil
	}
	ids, faults, users := make([]int64, len(notices)), make([]int64, len(notices)), make([]string, len(notices))
	for i, n := range notices {
		ids[i], faults[i], users[i] = n.ID, n.Fault, n.User
	}
	skip := db.ScanID(func(int64) {})
	return db.Wrap("read what is to be deleted", cmp.Or(
		p.ReadRows(ctx, p.Read, warmNotices, skip, ids, faults),
		p.ReadRows(ctx, p.Read, warmUsers, skip, faults, users)))
}

// purgeBlock needs not ask which notices are counted: all in blocks are.
const purgeBlock = `-- store.purgeBlock
DELETE FROM notices WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}}) RETURNING id, fault_id, token, bundle_id, slot`

// dropOfBlock deletes some notices of a block, and the block with the last ones.
func (t *tx) dropOfBlock(ctx context.Context, b *block.Aged, notices []block.AgedNotice, last bool) (int64, error) {
	gone := &purged{gone: block.Gone{}}
	ids := make([]int64, len(notices))
	for i, n := range notices {
		ids[i] = n.ID
	}
	if err := t.EachRow(ctx, purgeBlock, gone.scan, ids); err != nil {
		return 0, fmt.Errorf("delete notices of a block: %w", err)
	}
	deleted := make(map[int64]bool, len(gone.ids))
	for _, id := range gone.ids {
		deleted[id] = true
	}
	users := rollupdb.Users{}
	for _, n := range notices {
		if deleted[n.ID] {
			users.Add(n.Fault, n.User)
		}
	}
	if err := t.block.MarkAged(ctx, b, ids); err != nil { // also the last ones: without those before, the block may have been rewritten as another
		return 0, err
	}
	if last {
		if err := t.block.DropAged(ctx, b); err != nil {
			return 0, err
		}
	}
	return t.dropPurged(ctx, gone, users)
}

// dropPurged deletes what belongs to deleted notices, and returns their number.
func (t *tx) dropPurged(ctx context.Context, gone *purged, users rollupdb.Users) (int64, error) {
	if err := t.Each(ctx, dropFaultNotices, gone.faults, gone.ids); err != nil {
		return 0, fmt.Errorf("delete notices of faults: %w", err)
	}
	if err := t.Each(ctx, faultdb.ReleaseTokens, gone.tokens, gone.tokenIDs); err != nil {
		return 0, fmt.Errorf("release tokens: %w", err)
	}
	return int64(len(gone.ids)), users.Lower(ctx, t.Tx)
}
