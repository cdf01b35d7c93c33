package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"sett/internal/column"
	"sett/internal/store/db"
)

// Value is what FindExact looks for.
type Value = column.Exact

// NewValue returns a value, in any case, under some keys of facets, or under any if there are none.
func NewValue(value string, keys ...string) *Value { return column.NewExact(value, keys...) }

// FindExact calls add with each notice of a project before an id that has a value, and with the fault under which the notice is stored; it
// may name a notice twice. It reads some blocks at a time, so that no snapshot is held for long. Blocks are read last, because notices move
// there: so it misses none that moves meanwhile. It calls rest, if there is one, between them. whole is false if a block was rewritten in
// between: then the caller has to look again.
func (s *Store) FindExact(ctx context.Context, projectID, before int64, e *Value, add func(fault, id int64) error, rest func() error) (whole bool, err error) {
	x := &exactFinder{s, projectID, before, e, add, rest}
	if err := x.old(ctx); err != nil {
		return false, fmt.Errorf("find a value in notices of earlier versions: %w", err)
	}
	if err := x.loose(ctx); err != nil {
		return false, fmt.Errorf("find a value in bundles: %w", err)
	}
	whole, err = x.blocks(ctx)
	return whole, db.Wrap("find a value in blocks", err)
}

// exactFinder is a running FindExact.
type exactFinder struct {
	s       *Store
	project int64
	before  int64
	*Value
	add  func(fault, id int64) error
	rest func() error
}

func (x *exactFinder) old(ctx context.Context) error {
	upto, last, err := x.s.Old(ctx, x.s.db.Read)
	if err != nil || last == 0 {
		return err
	}
	rows, err := x.s.db.Read.QueryContext(ctx, x.s.db.Text(oldFacets), x.project, upto, min(last, x.before-1))
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, fault int64
		var facets string
		if err := rows.Scan(&id, &fault, &facets); err != nil || !x.Match(facets) {
			return err
		}
		return x.add(fault, id)
	})
}

func (x *exactFinder) loose(ctx context.Context) error {
	read := func(members []Member, facets [][]byte) error {
		for _, m := range members {
			if m.Slot < len(facets) && m.ID < x.before && x.Match(string(facets[m.Slot])) {
				if err := x.add(m.Fault, m.ID); err != nil {
					return err
				}
			}
		}
		return nil
	}
	unread := func(bundle int64, err error) error { return fmt.Errorf("bundle %d: %w", bundle, err) }
	return x.s.eachLoose(ctx, x.s.db.Read, x.project, bundleReader{read, unread})
}

// blocks reads the blocks that may have the value.
func (x *exactFinder) blocks(ctx context.Context) (whole bool, err error) {
	ids, err := x.candidates(ctx)
	if err != nil {
		return false, err
	}
	whole = true
	for some := range slices.Chunk(ids, blocksAtOnce) {
		all := false
		err := x.s.db.Snapshot(ctx, "find a value in blocks", func(q db.Querier) (err error) {
			all, err = x.open(ctx, q, some)
			return err
		})
		if err == nil && x.rest != nil {
			err = x.rest()
		}
		if err != nil {
			return false, err
		}
		whole = whole && all
	}
	return whole, nil
}

// candidates returns the blocks of the project that the filters leave.
func (x *exactFinder) candidates(ctx context.Context) (ids []int64, err error) {
	err = x.s.db.Snapshot(ctx, "find blocks", func(q db.Querier) error {
		ids = nil
		rows, err := q.QueryContext(ctx, x.s.db.Text(blocksOfProject), x.project, x.before, 0)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, last int64
			err := rows.Scan(&id, &last)
			ids = append(ids, id)
			return err
		})
		if err != nil || len(x.Filters()) == 0 {
			return err
		}
		may := map[int64]bool{}
		for _, number := range x.Filters() {
			if err := x.ask(ctx, q, number, may); err != nil {
				return err
			}
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return !may[id] })
		return nil
	})
	return ids, err
}

// ask asks the filter with that number of all blocks of the project, and notes those that may have the value.
func (x *exactFinder) ask(ctx context.Context, q db.Querier, number int, may map[int64]bool) error {
	rows, err := q.QueryContext(ctx, x.s.db.Text(filtersOfProject), x.project, number, 0, math.MaxInt64)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body sql.RawBytes
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		filter, err := column.OpenFilter(body)
		if err != nil {
			return fmt.Errorf("filter of block %d: %w", id, err)
		}
		may[id] = may[id] || x.MayHave(number, filter)
		return nil
	})
}

// open reads some blocks. all is false if one of them is not there any more.
func (x *exactFinder) open(ctx context.Context, q db.Querier, some []int64) (all bool, err error) {
	byID := map[int64]*held{}
	list, ids := db.In(x.s.db, 1, some)
	rows, err := q.QueryContext(ctx, x.s.db.Text(listsOfBlocks+list), ids...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		b := &held{}
		var notices []byte
		if err := rows.Scan(&b.id, &b.count, &b.remote, &b.gone, &notices); err != nil {
			return err
		}
		var err error
		if b.list, err = openList(notices, b.id); err != nil {
			return fmt.Errorf("block %d: %w", b.id, err)
		}
		byID[b.id] = b
		return nil
	})
	if err != nil || len(byID) == 0 {
		return false, err
	}
	found := map[int64]column.Set{}
	var later error
	for _, number := range x.In() {
		if err := x.look(ctx, q, number, byID, found); errors.Is(err, db.ErrLater) {
			later = err
		} else if err != nil {
			return false, err
		}
	}
	if later != nil {
		return false, later
	}
	for _, id := range db.Sorted(found, cmp.Compare) {
		if err := x.addAll(byID[id], found[id]); err != nil {
			return false, err
		}
	}
	return len(byID) == len(some), nil
}

// look finds the rows that have the value in the part with that number of some blocks.
func (x *exactFinder) look(ctx context.Context, q db.Querier, number int, blocks map[int64]*held, found map[int64]column.Set) error {
	parts, err := x.s.partOfEach(ctx, q, number, blocks)
	if err != nil {
		return err
	}
	for _, id := range db.Sorted(parts, cmp.Compare) {
		if err := x.lookIn(parts[id], blocks[id], found); err != nil {
			return fmt.Errorf("block %d: %w", id, err)
		}
	}
	return nil
}

// lookIn finds the rows that have the value in a part of a block.
func (x *exactFinder) lookIn(body []byte, b *held, found map[int64]column.Set) error {
	n := len(b.ids)
	part, err := column.OpenPart(body, n)
	if err != nil {
		return err
	}
	has, err := x.Rows(part, n)
	if err != nil {
		return err
	}
	if found[b.id] == nil {
		found[b.id] = column.NewSet(n)
	}
	found[b.id].Or(has)
	return nil
}

// addAll adds the notices in some rows of a block that are not deleted.
func (x *exactFinder) addAll(b *held, found column.Set) error {
	gone, err := column.ReadSet(b.gone, len(b.ids))
	if err != nil {
		return err
	}
	found.Without(gone)
	for _, r := range b.runs {
		for row := r.from; row < r.to; row++ {
			if found.Has(row) && b.ids[row] < x.before {
				if err := x.add(r.fault, b.ids[row]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
