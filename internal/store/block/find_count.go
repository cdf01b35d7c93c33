package block

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// counted are blocks whose matches are counted while the next ones are read.
type counted struct {
	blocks []*candidate
	hits   [][]hit
	errs   []error
	done   chan struct{}
}

// openAll reads blocks and counts what matches in them, until it runs out of time.
func (f *finder) openAll(ctx context.Context, all []*candidate) (err error) {
	if all, err = f.addKept(ctx, all); err != nil {
		return err
	}
	var running []*counted
	defer func() {
		for _, c := range running {
			<-c.done
		}
	}()
	add := func() error { // the results, in the order of the blocks
		next := running[0]
		<-next.done
		running = running[1:]
		return f.addCounted(next)
	}
	for some := range slices.Chunk(all, blocksAtOnce) {
		if f.outOfTime() || db.Lacks(f.q) {
			break
		}
		if err := f.read(ctx, some); err != nil {
			return err
		}
		next := &counted{some, make([][]hit, len(some)), make([]error, len(some)), make(chan struct{})}
		for i, c := range some {
			if c.apart() {
				next.hits[i], next.errs[i] = f.countRemote(ctx, c)
			}
		}
		go f.countAll(next)
		if running = append(running, next); len(running) > runtime.GOMAXPROCS(0) {
			if err := add(); err != nil {
				return err
			}
		}
	}
	for len(running) > 0 {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// addCounted adds the matches of some blocks to what is found.
func (f *finder) addCounted(some *counted) error {
	for i, c := range some.blocks {
		if errors.Is(some.errs[i], db.ErrLater) || errors.Is(some.errs[i], errNotFetched) {
			f.cut = true
			continue
		}
		if some.errs[i] != nil {
			if err := f.unread(c, some.errs[i]); err != nil {
				return err
			}
		}
		if some.errs[i] == nil && !hasUnsure(some.hits[i]) {
			f.keepHits(c, some.hits[i])
		}
		for _, h := range some.hits[i] {
			if err := f.add(h); err != nil {
				return err
			}
		}
		c.searched = true
	}
	return nil
}

func hasUnsure(hits []hit) bool {
	return slices.ContainsFunc(hits, func(h hit) bool { return len(h.unsure) > 0 })
}

// counter has the memory that counting in one block after another takes.
type counter struct {
	parts [column.Parts]column.Part
	list  list
	text  []byte
}

var counters = sync.Pool{New: func() any { return &counter{} }}

func (f *finder) countAll(some *counted) {
	defer close(some.done)
	k := counters.Get().(*counter)
	defer counters.Put(k)
	for i, c := range some.blocks {
		if !c.apart() {
			some.hits[i], some.errs[i] = f.count(c, k)
		}
		c.parts, c.gone, c.notices = nil, nil, nil
	}
}

// count returns the notices of a block that match, by fault. It is called for several blocks at a time.
func (f *finder) count(c *candidate, k *counter) (hits []hit, err error) {
	set, unsure, err := c.matching(k)
	if err != nil || set.Len()+unsure.Len() == 0 {
		return nil, err
	}
	whole := f.wants(c)
	l := &k.list
	if k.text, err = l.open(c.notices, c.id, k.text, !whole || f.Times || f.Keep > 0 || unsure.Len() > 0); err != nil {
		return nil, err
	}
	if l.rows != c.rows {
		return nil, errBlock
	}
	if !whole {
		for row, id := range l.ids {
			if !f.within(id) {
				set.Remove(row)
				unsure.Remove(row)
			}
		}
	}
	for _, r := range l.runs {
		if h := f.hitOf(l, r, set, unsure); h.n > 0 || len(h.unsure) > 0 {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// hitOf returns what of one fault matches: of the rows of a run, those that are in a set, and those of which that is not sure.
func (f *finder) hitOf(l *list, r run, set, unsure column.Set) hit {
	h := hit{fault: r.fault, n: set.CountIn(r.from, r.to)}
	for row := r.from; row < r.to && unsure.CountIn(row, r.to) > 0; row++ {
		if unsure.Has(row) {
			h.unsure = append(h.unsure, l.ids[row])
		}
	}
	for row := r.to - 1; row >= r.from && len(h.ids) < f.Keep; row-- {
		if set.Has(row) {
			h.ids = append(h.ids, l.ids[row])
		}
	}
	if f.Times && h.n > 0 {
		first, last := set.Bounds(r.from, r.to)
		h.first, h.last = l.ids[first], l.ids[last]
	}
	return h
}

// wants reports whether all notices of a block are in the range of the search.
func (f *finder) wants(c *candidate) bool {
	return slices.ContainsFunc(f.Within, func(w Span) bool { return w.From <= c.id && c.last < w.To })
}

// matching returns the rows of the block that match all terms and are not deleted, and those of which that is not sure.
func (c *candidate) matching(k *counter) (sure, unsure column.Set, err error) {
	gone, err := column.ReadSet(c.gone, c.rows)
	if err != nil {
		return nil, nil, err
	}
	sure, unsure = column.All(c.rows), column.All(c.rows)
	sure.Without(gone)
	unsure.Without(gone)
	for _, number := range c.neededParts() {
		if body := c.parts[number]; body != nil {
			if err := k.parts[number].Open(body, c.rows); err != nil {
				return nil, nil, err
			}
		}
	}
	part := func(number int) *column.Part {
		if c.parts[number] == nil {
			return nil
		}
		return &k.parts[number]
	}
	for _, t := range c.terms {
		marked := column.All(c.rows)
		if !c.unmarked {
			if marked, err = t.Marked(part(column.MarksPart), c.rows); err != nil {
				return nil, nil, err
			}
		}
		yes, maybe, err := t.Rows(part(t.Part), c.rows, marked)
		if err != nil {
			return nil, nil, err
		}
		sure.And(yes)
		maybe.Or(yes)
		unsure.And(maybe)
	}
	unsure.Without(sure)
	return sure, unsure, nil
}
