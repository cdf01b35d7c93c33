package block

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

const nextRewritten = `-- block.nextRewritten
SELECT id FROM blocks WHERE rewrites AND id > $1 ORDER BY id LIMIT 1`

// NextRewritten returns the first block after an id that has deleted notices, or 0.
func (s *Store) NextRewritten(ctx context.Context, after int64) (int64, error) {
	ids, err := s.db.ListIDs(ctx, s.db.Read, nextRewritten, after)
	if err != nil || len(ids) == 0 {
		return 0, db.Wrap("find a block with deleted notices", err)
	}
	return ids[0], nil
}

const countRewritten = `-- block.countRewritten
SELECT count(*) FROM blocks WHERE rewrites`

// Rewrites returns how many blocks have deleted notices.
func (s *Store) Rewrites(ctx context.Context) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, countRewritten).Scan(&n)
	return n, db.Wrap("count blocks with deleted notices", err)
}

// Rewritten is a block without its deleted notices, which is not stored.
type Rewritten struct {
	*packed // nil if none is left
	id      int64
	project int64
	gone    []byte // the deleted notices that it is without
}

const readBlock = `-- block.readBlock
SELECT id, project_id, count, remote, gone, notices, marks IS NOT NULL FROM blocks WHERE id = $1`

const readBlockParts = `-- block.readBlockParts
SELECT number, body FROM block_parts WHERE block_id = $1`

const readFrames = `-- block.readFrames
SELECT number, body FROM block_payloads WHERE block_id = $1`

// Rewrite reads a block and packs it without its deleted notices. It returns nil if there is no such block any more.
func (c *Compactor) Rewrite(ctx context.Context, block int64) (r *Rewritten, err error) {
	err = c.s.db.Snapshot(ctx, "read a block", func(q db.Querier) error {
		b := held{}
		var notices []byte
		rows, err := q.QueryContext(ctx, c.s.db.Text(readBlock), block)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			return rows.Scan(&b.id, &b.project, &b.count, &b.remote, &b.gone, &notices, &b.known)
		})
		if err != nil || b.id == 0 {
			return err
		}
		if b.list, err = openList(notices, b.id); err != nil {
			return err
		}
		left, err := c.s.noticesOf(ctx, q, &b)
		if err != nil {
			return err
		}
		for i := range left {
			if b.known {
				left[i].Facets = column.Unstored(left[i].Facets)
			}
		}
		r = &Rewritten{id: b.id, project: b.project, gone: b.gone}
		if len(left) > 0 {
			r.packed, err = c.packer.pack(left)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("rewrite block %d: %w", block, err)
	}
	return r, nil
}

// noticesOf returns the notices of a block that are not deleted. Payloads that cannot be read in the database are empty; what cannot be read
// from object storage is an error.
func (s *Store) noticesOf(ctx context.Context, q db.Querier, b *held) (left []Notice, err error) {
	gone, err := column.ReadSet(b.gone, len(b.ids))
	if err != nil {
		return nil, err
	}
	notices := make([]Notice, len(b.ids))
	for _, r := range b.runs {
		for row := r.from; row < r.to; row++ {
			notices[row] = Notice{ID: b.ids[row], Fault: r.fault}
		}
	}
	parts, err := s.parts(ctx, q, b)
	if err != nil && !errors.Is(err, db.ErrLater) {
		return nil, err
	}
	frames, failed := s.frames(ctx, q, b)
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	if err := fillFacets(parts, notices); err != nil {
		return nil, err
	}
	for row, payload := range eachPayload(frames, len(notices)) {
		notices[row].Payload = payload // what cannot be read is shown as that before and after
	}
	for row, n := range notices {
		if n.Facets += "\n"; !gone.Has(row) {
			left = append(left, n)
		}
	}
	return left, nil
}

// fillFacets sets the facets of the notices of a block.
func fillFacets(parts []body, notices []Notice) error {
	for _, b := range parts {
		part, err := column.OpenPart(b.body, len(notices))
		if err != nil {
			return err
		}
		texts, err := part.Lines(part.Keys(), nil)
		if err != nil {
			return err
		}
		for row, text := range texts {
			notices[row].Facets += strings.TrimSuffix(text, "\n") // the next begins with one
		}
	}
	return nil
}

const goneOf = `-- block.goneOf
SELECT gone FROM blocks WHERE id = $1 {{for update}}`

// Replace replaces a block with what was rewritten of it. replaced is false if more of its notices were deleted meanwhile: then nothing has
// changed.
func (t Tx) Replace(ctx context.Context, r *Rewritten) (replaced bool, err error) {
	same := false
	rows, err := t.QueryContext(ctx, t.s.db.Text(goneOf), r.id)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var gone []byte
		err := rows.Scan(&gone)
		same = bytes.Equal(gone, r.gone)
		return err
	})
	if err != nil || !same {
		return false, db.Wrap("lock a block", err)
	}
	if err := t.drop(ctx, r.project, r.id); err != nil || r.packed == nil {
		return err == nil, err
	}
	return true, t.insert(ctx, r.project, r.packed)
}

const dropFilters = `-- block.dropFilters
DELETE FROM block_filters WHERE (project_id, number, block_id) IN
    (SELECT k.project_id, k.number, k.block_id FROM {{rows k(project_id bigint, number bigint, block_id bigint)}})`

const dropTallies = `-- block.dropTallies
DELETE FROM block_tallies WHERE (project_id, number, block_id) IN
    (SELECT k.project_id, k.number, k.block_id FROM {{rows k(project_id bigint, number bigint, block_id bigint)}})`

const dropBlockParts = `-- block.dropBlockParts
DELETE FROM block_parts WHERE block_id = $1`

const dropPayloads = `-- block.dropPayloads
DELETE FROM block_payloads WHERE block_id = $1`

const dropBlock = `-- block.dropBlock
DELETE FROM blocks WHERE id = $1`

// drop deletes a block of a project.
func (t Tx) drop(ctx context.Context, projectID, block int64) error {
	numbers := make([]int64, tallies)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	for _, statement := range []string{dropFilters, dropTallies} {
		if err := t.Each(ctx, statement, db.Repeated(projectID, len(numbers)), numbers, db.Repeated(block, len(numbers))); err != nil {
			return fmt.Errorf("drop filters or counts of a block: %w", err)
		}
	}
	for _, statement := range []string{forgetObject, dropObject, dropBlockParts, dropPayloads, dropBlock} {
		if _, err := t.Exec(ctx, statement, block); err != nil {
			return fmt.Errorf("drop a block: %w", err)
		}
	}
	return nil
}
