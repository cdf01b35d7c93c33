package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Value is what FindExact looks for.
type Value = column.Exact

// NewValue returns a value, in any case, under some keys of facets, or under any if there are none.
func NewValue(value string, keys ...string) *Value { return column.NewExact(value, keys...) }

// Exact is a search for the notices of a project that have a value.
type Exact struct {
	Project int64
	Before  int64 // an id: only earlier notices are searched
	Value   *Value
	Add     func(fault, id int64) error                                          // is called with each notice, maybe twice, and the fault under which it is stored
	Having  func(ctx context.Context, notices []int64) (some []int64, err error) // returns those in which the value was sent, of some whose facets do not say
	Rest    func() error                                                         // is called from time to time, if it is not nil
}

// FindExact finds notices that have a value. It reads some blocks at a time, so that no snapshot is held for long. Blocks are read last, because
// notices move there: so it misses none that moves meanwhile. whole is false if a block was rewritten in between: then the caller has to look again.
func (s *Store) FindExact(ctx context.Context, search Exact) (whole bool, err error) {
	x := &exactFinder{s: s, Exact: search, marks: map[int64]sql.NullString{}}
	if err := errors.Join(x.old(ctx), x.prove(ctx)); err != nil {
		return false, fmt.Errorf("find a value in notices of earlier versions: %w", err)
	}
	if err := errors.Join(x.loose(ctx), x.prove(ctx)); err != nil {
		return false, fmt.Errorf("find a value in bundles: %w", err)
	}
	whole, err = x.blocks(ctx)
	return whole, db.Wrap("find a value in blocks", err)
}

// exactFinder is a running FindExact.
type exactFinder struct {
	s *Store
	Exact
	unsure []Member                 // whose facets do not say whether they have the value
	marks  map[int64]sql.NullString // of blocks
}

// judge adds a notice if it has the value, as far as that is known.
func (x *exactFinder) judge(has column.Truth, fault, id int64) error {
	switch has {
	case column.Yes:
		return x.Add(fault, id)
	case column.Maybe:
		x.unsure = append(x.unsure, Member{ID: id, Fault: fault})
	case column.No:
	}
	return nil
}

// provedAtOnce is of how many notices what was sent is read at once. They are neighbours in their block.
const provedAtOnce = 64

// prove adds those of the unsure notices in which the value was sent.
func (x *exactFinder) prove(ctx context.Context) error {
	unsure := x.unsure
	x.unsure = nil
	for some := range slices.Chunk(unsure, provedAtOnce) {
		faults := map[int64]int64{}
		for _, m := range some {
			faults[m.ID] = m.Fault
		}
		having, err := x.Having(ctx, slices.Collect(maps.Keys(faults)))
		if err != nil {
			return err
		}
		for _, id := range having {
			if err := x.Add(faults[id], id); err != nil {
				return err
			}
		}
		if x.Rest != nil {
			if err := x.Rest(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exactFinder) old(ctx context.Context) error {
	upto, last, err := x.s.Old(ctx, x.s.db.Read)
	if err != nil || last == 0 {
		return err
	}
	rows, err := x.s.db.Read.QueryContext(ctx, x.s.db.Text(oldFacets), x.Project, upto, min(last, x.Before-1))
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, fault int64
		var facets string
		if err := rows.Scan(&id, &fault, &facets); err != nil {
			return err
		}
		return x.judge(x.Value.Match(facets), fault, id)
	})
}

func (x *exactFinder) loose(ctx context.Context) error {
	read := func(members []Member, facets [][]byte) error {
		for _, m := range members {
			if m.Slot >= len(facets) || len(facets[m.Slot]) == 0 || m.ID >= x.Before {
				continue
			}
			if err := x.judge(x.Value.Match(string(facets[m.Slot])), m.Fault, m.ID); err != nil {
				return err
			}
		}
		return nil
	}
	unread := func(bundle int64, err error) error { return fmt.Errorf("bundle %d: %w", bundle, err) }
	return x.s.eachLoose(ctx, x.s.db.Read, x.Project, bundleReader{read, unread})
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
		if err == nil {
			err = x.prove(ctx)
		}
		if err == nil && x.Rest != nil {
			err = x.Rest()
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
		rows, err := q.QueryContext(ctx, x.s.db.Text(marksOfProject), x.Project, x.Before, 0)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id, last int64
			var marks sql.NullString
			err := rows.Scan(&id, &last, &marks)
			ids, x.marks[id] = append(ids, id), marks
			return err
		})
		if err != nil || len(x.Value.Filters()) == 0 {
			return err
		}
		may := map[int64]bool{}
		for _, number := range x.Value.Filters() {
			if err := x.ask(ctx, q, number, may); err != nil {
				return err
			}
		}
		ids = slices.DeleteFunc(ids, func(id int64) bool { return !may[id] && !x.leavesOut(id) })
		return nil
	})
	return ids, err
}

// leavesOut reports whether the facets of notices of a block may leave the value out.
func (x *exactFinder) leavesOut(block int64) bool {
	marks := x.marks[block]
	return !marks.Valid || x.Value.MayBeMarked(marks.String)
}

// ask asks the filter with that number of all blocks of the project, and notes those that may have the value.
func (x *exactFinder) ask(ctx context.Context, q db.Querier, number int, may map[int64]bool) error {
	rows, err := q.QueryContext(ctx, x.s.db.Text(filtersOfProject), x.Project, number, 0, math.MaxInt64)
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
		may[id] = may[id] || x.Value.MayHave(number, filter)
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
	found := map[int64]*exactRows{}
	for id, b := range byID {
		found[id] = &exactRows{column.NewSet(len(b.ids)), column.NewSet(len(b.ids))}
		if !x.marks[id].Valid { // an earlier version stored it
			found[id].unsure = column.All(len(b.ids))
		}
	}
	var later error
	for _, number := range x.Value.In() {
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
func (x *exactFinder) look(ctx context.Context, q db.Querier, number int, blocks map[int64]*held, found map[int64]*exactRows) error {
	parts, err := x.s.partOfEach(ctx, q, number, blocks)
	if err != nil {
		return err
	}
	for _, id := range db.Sorted(parts, cmp.Compare) {
		if err := x.lookIn(number, parts[id], blocks[id], found[id]); err != nil {
			return fmt.Errorf("block %d: %w", id, err)
		}
	}
	return nil
}

// exactRows are the rows of a block that have the value, and those that may have it.
type exactRows struct{ sure, unsure column.Set }

// lookIn finds the rows that have the value in a part of a block.
func (x *exactFinder) lookIn(number int, body []byte, b *held, found *exactRows) error {
	n := len(b.ids)
	part, err := column.OpenPart(body, n)
	if err != nil {
		return err
	}
	has, err := x.Value.Rows(part, n)
	if err != nil {
		return err
	}
	if x.Value.MayBeCut() {
		found.unsure.Or(has)
	} else {
		found.sure.Or(has)
	}
	if number != column.MarksPart {
		return nil
	}
	marked, err := x.Value.Marked(part, n)
	if err == nil {
		found.unsure.Or(marked)
	}
	return err
}

// addAll judges the notices in the rows of a block that are not deleted.
func (x *exactFinder) addAll(b *held, found *exactRows) error {
	gone, err := column.ReadSet(b.gone, len(b.ids))
	if err != nil {
		return err
	}
	for _, r := range b.runs {
		for row := r.from; row < r.to; row++ {
			has := column.No
			switch {
			case gone.Has(row) || b.ids[row] >= x.Before:
			case found.sure.Has(row):
				has = column.Yes
			case found.unsure.Has(row):
				has = column.Maybe
			}
			if err := x.judge(has, r.fault, b.ids[row]); err != nil {
				return err
			}
		}
	}
	return nil
}
