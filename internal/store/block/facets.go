package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Placed is a notice, with what its row says of where its facets are unless it is in a block.
type Placed struct{ ID, Bundle, Slot int64 }

// FacetsInBundles is how many notices the bundles have in all that Facets opens at most.
const FacetsInBundles = 2048

const facetsOfBundles = `-- block.facetsOfBundles
SELECT bundle_id, count, facets FROM bundle_facets WHERE bundle_id IN `

// Facets returns the facets of notices of a project, as those of a Report, in no order; of those in blocks only the ones with some keys. It leaves
// out damaged bundles, and blocks in object storage that does not respond. So that it takes no longer where the notices lie far apart, it opens some bundles and blocks at most, the newest.
func (s *Store) Facets(ctx context.Context, q db.Querier, projectID int64, notices []Placed, keys []string, blocks int) (facets []string, err error) {
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
	more, err := s.facetsInBlocks(ctx, q, projectID, left, keys, blocks)
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
			if n.Slot >= 0 && n.Slot < int64(len(texts)) {
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

// facetsInBlocks opens the newest of the blocks that notices are in.
func (s *Store) facetsInBlocks(ctx context.Context, q db.Querier, projectID int64, notices []int64, keys []string, most int) (facets []string, err error) {
	others := map[int64]column.Set{} // by block, the rows that are not asked for
	blocks := map[int64]*held{}
	err = s.inBlocks(ctx, q, blockOf, projectID, notices, func(b *held, row int, _ int64) bool {
		if others[b.id] == nil {
			if len(others) == most {
				return false
			}
			others[b.id], blocks[b.id] = column.All(len(b.ids)), b
		}
		others[b.id].Remove(row)
		return true
	})
	if err != nil {
		return nil, err
	}
	var later error
	for _, id := range db.Sorted(others, cmp.Compare) {
		some, err := s.facetsInBlock(ctx, q, blocks[id], others[id], keys)
		if errors.Is(err, db.ErrLater) {
			later = err
		}
		if errors.Is(err, db.ErrLater) || isAway(err) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read facets of block %d: %w", id, err)
		}
		facets = append(facets, some...)
	}
	return facets, later
}

const partOfBlock = `-- block.partOfBlock
SELECT body FROM block_parts WHERE block_id = $1 AND number = $2`

// facetsInBlock returns the facets of the rows of a block that are not left out.
func (s *Store) facetsInBlock(ctx context.Context, q db.Querier, b *held, without column.Set, keys []string) (facets []string, err error) {
	texts := make([]string, len(b.ids))
	var later error
	for number, keys := range column.ByPart(keys) {
		body, err := s.part(ctx, q, b, number)
		if errors.Is(err, db.ErrLater) {
			later = err
			continue
		}
		if err != nil {
			return nil, err
		}
		if body == nil {
			continue
		}
		p, err := column.OpenPart(body, len(b.ids))
		if err != nil {
			return nil, err
		}
		some, err := p.Lines(keys, without)
		if err != nil {
			return nil, err
		}
		for row, text := range some {
			texts[row] += text
		}
	}
	for row, text := range texts {
		if !without.Has(row) {
			facets = append(facets, text)
		}
	}
	return facets, later
}
