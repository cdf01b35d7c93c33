package ingest

import "sync"

// compiled keeps what settings of projects are compiled to, by their text as it is stored. The zero value is ready. It is safe for concurrent use.
type compiled[T any] struct {
	mu     sync.RWMutex
	byText map[string]*T
}

// mostCompiled is how many different settings are kept. Most projects have none of their own.
const mostCompiled = 10_000

// of returns what compile makes of a text.
func (c *compiled[T]) of(text string, compile func(string) *T) *T {
	c.mu.RLock()
	known := c.byText[text]
	c.mu.RUnlock()
	if known != nil {
		return known
	}
	known = compile(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byText) >= mostCompiled || c.byText == nil {
		c.byText = map[string]*T{}
	}
	c.byText[text] = known
	return known
}
