package statuspage

import (
	"cmp"
	"slices"
	"sync"
)

// Limits of the page cache: number of pages and total bytes.
const (
	mostPages = 5000
	mostBytes = 256 << 20
)

// pageCache tracks the pages whose rendering is kept in memory. When it is too large, it drops the least recently requested
// renderings.
type pageCache struct {
	mu    sync.Mutex
	sizes map[*cached]int
	bytes int
}

// keep records that a rendering of the page is kept.
func (c *pageCache) keep(page *cached, size int) {
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

// grow records that the rendering of the page has grown, if one is kept.
func (c *pageCache) grow(page *cached, by int) {
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

// drop records that the rendering of the page is no longer kept.
func (c *pageCache) drop(page *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes -= c.sizes[page]
	delete(c.sizes, page)
}

// count returns how many renderings are kept.
func (c *pageCache) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sizes)
}

// shrink drops renderings, except the newest, until a tenth of the limit is free, so that it does not run for every page.
func (c *pageCache) shrink(newest *cached) {
	pages := make([]*cached, 0, len(c.sizes))
	for page := range c.sizes {
		if page != newest {
			pages = append(pages, page)
		}
	}
	slices.SortFunc(pages, func(a, b *cached) int { return cmp.Compare(a.viewed.Load(), b.viewed.Load()) })
	for _, page := range pages {
		if len(c.sizes) <= mostPages*9/10 && c.bytes <= mostBytes*9/10 {
			return
		}
		page.rendered.Store(nil)
		c.bytes -= c.sizes[page]
		delete(c.sizes, page)
	}
}
