package statuspage

import (
	"cmp"
	"slices"
	"sync"
)

// What is kept of pages at most: so many, of so many bytes in all.
const (
	mostPages = 5000
	mostBytes = 256 << 20
)

// crowd is the pages of which a drawing is kept. When it grows too large, the drawings that nobody asked for the longest
// are dropped.
type crowd struct {
	mu    sync.Mutex
	sizes map[*cached]int
	bytes int
}

// keep notes that a drawing of the page is kept.
func (c *crowd) keep(page *cached, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sizes == nil {
		c.sizes = map[*cached]int{}
	}
	c.bytes += size - c.sizes[page]
	c.sizes[page] = size
	if len(c.sizes) > mostPages || c.bytes > mostBytes {
		c.shrink(page)
	}
}

// grow notes that more is kept of the page, if anything is.
func (c *crowd) grow(page *cached, by int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, kept := c.sizes[page]; !kept {
		return
	}
	c.bytes += by
	c.sizes[page] += by
	if c.bytes > mostBytes {
		c.shrink(page)
	}
}

// drop notes that none is kept any more.
func (c *crowd) drop(page *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes -= c.sizes[page]
	delete(c.sizes, page)
}

// count returns of how many pages a drawing is kept.
func (c *crowd) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sizes)
}

// shrink drops drawings, but the newest, until a tenth of the room is free, so that it is not called for every page.
func (c *crowd) shrink(newest *cached) {
	pages := make([]*cached, 0, len(c.sizes))
	for page := range c.sizes {
		if page != newest {
			pages = append(pages, page)
		}
	}
	slices.SortFunc(pages, func(a, b *cached) int { return cmp.Compare(a.asked.Load(), b.asked.Load()) })
	for _, page := range pages {
		if len(c.sizes) <= mostPages*9/10 && c.bytes <= mostBytes*9/10 {
			return
		}
		page.drawn.Store(nil)
		c.bytes -= c.sizes[page]
		delete(c.sizes, page)
	}
}
