package block

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"sett/internal/column"
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
		if some.errs[i] == nil {
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
	set, err := c.matching(k)
	if err != nil || set.Len() == 0 {
		return nil, err
	}
	whole := f.wants(c)
	l := &k.list
	if k.text, err = l.open(c.notices, c.id, k.text, !whole || f.Times || f.Keep > 0); err != nil {
		return nil, err
	}
	if l.rows != c.rows {
		return nil, errBlock
	}
	if !whole {
		for row, id := range l.ids {
			if !f.within(id) {
				set.Remove(row)
			}
		}
	}
	for _, r := range l.runs {
		h := hit{fault: r.fault, n: set.CountIn(r.from, r.to)}
		if h.n == 0 {
			continue
		}
		for row := r.to - 1; row >= r.from && len(h.ids) < f.Keep; row-- {
			if set.Has(row) {
				h.ids = append(h.ids, l.ids[row])
			}
		}
		if f.Times {
			first, last := set.Bounds(r.from, r.to)
			h.first, h.last = l.ids[first], l.ids[last]
		}
		hits = append(hits, h)
	}
	return hits, nil
}

// wants reports whether all notices of a block are in the range of the search.
func (f *finder) wants(c *candidate) bool {
	return slices.ContainsFunc(f.Within, func(w Span) bool { return w.From <= c.id && c.last < w.To })
}

// matching returns the rows of the block that match all terms and are not deleted.
func (c *candidate) matching(k *counter) (column.Set, error) {
	set := column.All(c.rows)
	gone, err := column.ReadSet(c.gone, c.rows)
	if err != nil {
		return nil, err
	}
	set.Without(gone)
	opened := [column.Parts]*column.Part{}
	for _, t := range c.terms {
		if body := c.parts[t.Part]; opened[t.Part] == nil && body != nil {
			opened[t.Part] = &k.parts[t.Part]
			if err := opened[t.Part].Open(body, c.rows); err != nil {
				return nil, err
			}
		}
		rows, err := t.Rows(opened[t.Part], c.rows)
		if err != nil {
			return nil, err
		}
		set.And(rows)
	}
	return set, nil
}
