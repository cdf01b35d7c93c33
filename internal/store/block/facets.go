package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sett/internal/column"
	"sett/internal/store/db"
)

// Placed is a notice, with what its row says of where its facets are unless it is in a block.
type Placed struct{ ID, Bundle, Slot int64 }

// How much Facets opens at most, so that it takes no longer where the notices lie far apart: bundles with so many notices in all, and blocks.
const (
	FacetsInBundles = 2048
	FacetsInBlocks  = 16
)

const facetsOfBundles = `-- store.facetsOfBundles
SELECT bundle_id, count, facets FROM bundle_facets WHERE bundle_id IN `

// Facets returns the facets of notices of a project, as those of a Report, in no order; of those in blocks only the ones with some keys. It leaves
// out what is damaged, and older notices if it would have to open too much for them.
func (s *Store) Facets(ctx context.Context, q db.Querier, projectID int64, notices []Placed, keys []string) (facets []string, err error) {
	in := map[int64][]Placed{}
	for _, n := range notices {
		in[n.Bundle] = append(in[n.Bundle], n)
	}
	if facets, err = s.facetsInBundles(ctx, q, in); err != nil {
		return nil, db.Wrap("read facets of bundles", err)
	}
	var left []int64
	for _, some := range in {
		for _, n := range some {
			left = append(left, n.ID)
		}
	}
	more, err := s.facetsInBlocks(ctx, q, projectID, left, keys)
	return append(facets, more...), err
}

// facetsInBundles opens the newest of some bundles, each once, and leaves those that are not there: their notices are in blocks.
func (s *Store) facetsInBundles(ctx context.Context, q db.Querier, in map[int64][]Placed) (facets []string, err error) {
	opened := int64(0)
	read := func(rows *sql.Rows) error {
		var id, count int64
		var body sql.RawBytes
		if err := rows.Scan(&id, &count, &body); err != nil {
			return err
		}
		texts, _ := OpenBundle(body) // a damaged one has none
		for _, n := range in[id] {
			if n.Slot < int64(len(texts)) {
				facets = append(facets, string(texts[n.Slot]))
			}
		}
		delete(in, id)
		opened += count
		return nil
	}
	for some := range slices.Chunk(db.Sorted(in, func(a, b int64) int { return cmp.Compare(b, a) }), looseAtOnce) {
		if opened >= FacetsInBundles {
			for _, id := range some {
				delete(in, id)
			}
			continue
		}
		list, ids := db.In(s.db, 1, some)
		rows, err := q.QueryContext(ctx, s.db.Text(facetsOfBundles+list), ids...)
		if err := db.ScanAll(rows, err, read); err != nil {
			return nil, err
		}
	}
	return facets, nil
}

const partOfBlock = `-- store.partOfBlock
SELECT body FROM block_parts WHERE block_id = $1 AND number = $2`

// facetsInBlocks opens the newest of the blocks that notices are in.
func (s *Store) facetsInBlocks(ctx context.Context, q db.Querier, projectID int64, notices []int64, keys []string) (facets []string, err error) {
	rows := map[int64][]int{} // by block
	counts := map[int64]int{}
	err = s.inBlocks(ctx, q, blockOf, projectID, notices, func(b *held, row int, _ int64) bool {
		if rows[b.id] == nil && len(rows) == FacetsInBlocks {
			return false
		}
		rows[b.id], counts[b.id] = append(rows[b.id], row), len(b.ids)
		return true
	})
	if err != nil {
		return nil, err
	}
	for _, id := range db.Sorted(rows, cmp.Compare) {
		texts := make([]string, counts[id])
		for part, keys := range column.ByPart(keys) {
			var body []byte
			err := q.QueryRowContext(ctx, s.db.Text(partOfBlock), id, part).Scan(&body)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read facets of block %d: %w", id, err)
			}
			p, err := column.OpenPart(body, counts[id])
			if err != nil {
				return nil, fmt.Errorf("block %d: %w", id, err)
			}
			some, err := p.Lines(keys)
			if err != nil {
				return nil, fmt.Errorf("block %d: %w", id, err)
			}
			for row, text := range some {
				texts[row] += text
			}
		}
		for _, row := range rows[id] {
			facets = append(facets, texts[row])
		}
	}
	return facets, nil
}
