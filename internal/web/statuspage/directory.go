package statuspage

import (
	"context"
	"slices"
	"time"

	"sett/internal/store/statusdb"
)

// index maps the addresses of pages. It is immutable and replaced when a page has moved.
type index struct {
	entries []statusdb.StatusEntry
	pages   []*cached // of the entries
	slugs   map[string]*cached
	domains map[string]*cached // that are verified
	places  map[string]int     // of entries, by id
}

// newIndex returns an index of the entries and keeps the cached pages of the last index.
func newIndex(entries []statusdb.StatusEntry, before *index) *index {
	x := &index{entries: entries, slugs: make(map[string]*cached, len(entries)), domains: map[string]*cached{}, places: make(map[string]int, len(entries))}
	for at, e := range entries {
		page := before.page(e.ID)
		if page == nil {
			page = newCached(e.ID)
		}
		x.places[e.ID] = at
		x.pages = append(x.pages, page)
		x.slugs[e.Slug] = page
		if e.Domain != "" {
			x.domains[e.Domain] = page
		}
	}
	return x
}

// page returns the page with an ID, or nil.
func (x *index) page(id string) *cached {
	if x == nil {
		return nil
	}
	if at, ok := x.places[id]; ok {
		return x.pages[at]
	}
	return nil
}

// merge returns the entries with the changes applied, and whether any page is new or has a new address.
func (x *index) merge(d statusdb.StatusDirectory) (entries []statusdb.StatusEntry, moved bool) {
	if d.Whole || x == nil {
		return d.Entries, true
	}
	entries = x.entries
	for _, e := range d.Entries {
		at, known := x.places[e.ID]
		if known && entries[at].Slug == e.Slug && entries[at].Domain == e.Domain {
			continue
		}
		if !moved {
			entries, moved = slices.Clone(entries), true
		}
		if known {
			entries[at] = e
		} else {
			entries = append(entries, e)
		}
	}
	return entries, moved
}

// learn applies changes of the directory. It stores the revision last: a request that reads this revision finds its index.
func (p *Pages) learn(d statusdb.StatusDirectory) {
	defer p.learnt.Store(d.Revision)
	before := p.index.Load()
	if len(d.Entries) == 0 && !d.Whole && before != nil {
		return
	}
	now := before
	if entries, moved := before.merge(d); moved {
		now = newIndex(entries, before)
	}
	for _, e := range d.Entries {
		now.page(e.ID).revision.Store(e.Revision)
	}
	p.index.Store(now)
	if before == nil {
		close(p.ready)
	} else if d.Whole {
		p.forget(before, now)
	}
}

// forget drops the renderings of deleted pages.
func (p *Pages) forget(before, now *index) {
	for _, e := range before.entries {
		if now.page(e.ID) == nil {
			p.cache.drop(before.page(e.ID))
		}
	}
}

// firstRound is how long a request waits until the directory was first read.
const firstRound = 2 * time.Second

// known returns the index, or an empty one if the directory was not read yet.
func (p *Pages) known(ctx context.Context) *index {
	if x := p.index.Load(); x != nil {
		return x
	}
	select {
	case <-p.ready:
		return p.index.Load()
	case <-ctx.Done():
	case <-time.After(firstRound):
	}
	return &index{}
}
