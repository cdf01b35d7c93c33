package statuspage

import (
	"context"
	"maps"
	"time"

	"sett/internal/store"
)

// index says where each page of the server is found. It is made anew when one has changed, and never changed.
type index struct {
	entries []store.StatusEntry
	pages   []*cached // of the entries
	slugs   map[string]*cached
	domains map[string]*cached // that are verified
}

// newIndex makes the index of the entries; what is kept of pages goes with them.
func newIndex(entries []store.StatusEntry, before *index) *index {
	kept := map[string]*cached{}
	if before != nil {
		for i, page := range before.pages {
			kept[before.entries[i].ID] = page
		}
	}
	x := &index{entries: entries, slugs: make(map[string]*cached, len(entries)), domains: map[string]*cached{}}
	for _, e := range entries {
		page := kept[e.ID]
		if page == nil {
			page = newCached(e.ID)
		}
		page.revision.Store(e.Revision)
		x.pages = append(x.pages, page)
		x.slugs[e.Slug] = page
		if e.Domain != "" {
			x.domains[e.Domain] = page
		}
	}
	return x
}

// same reports whether another look at the directory has found what is in the index already, but for revisions, which it
// takes over.
func (x *index) same(entries []store.StatusEntry) bool {
	if x == nil || len(entries) != len(x.entries) {
		return false
	}
	for i, e := range entries {
		was := x.entries[i]
		if e.ID != was.ID || e.Slug != was.Slug || e.Domain != was.Domain {
			return false
		}
	}
	for i, e := range entries {
		x.pages[i].revision.Store(e.Revision)
	}
	return true
}

// learn takes over what a look at the directory has found.
func (p *Pages) learn(entries []store.StatusEntry) {
	before := p.index.Load()
	if before.same(entries) {
		return
	}
	now := newIndex(entries, before)
	p.index.Store(now)
	if before == nil {
		close(p.ready)
		return
	}
	gone := map[*cached]bool{}
	for _, page := range before.pages {
		gone[page] = true
	}
	for _, page := range now.pages {
		delete(gone, page)
	}
	for page := range maps.Keys(gone) {
		p.crowd.drop(page)
	}
}

// firstRound is how long a request waits for the first look at the directory.
const firstRound = 2 * time.Second

// known returns where pages are found; an empty index when nothing is known yet.
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
