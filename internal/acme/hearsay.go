package acme

import (
	"sync"
	"time"
)

// hearsayLasts is how long an answer to a challenge is taken for the store's: anybody may ask for one, as often as they
// like, and a node has to ask the store because another may have made the order.
const hearsayLasts = 100 * time.Millisecond

// hearsay is what the store last said of the answers to challenges. The names are those of domains that are served.
type hearsay struct {
	now func() time.Time

	mu   sync.Mutex
	last map[string]heard
}

type heard struct {
	content []byte
	err     error
	at      time.Time
}

// load returns what was heard, or asks, one at a time.
func (h *hearsay) load(key string, ask func() ([]byte, error)) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last, ok := h.last[key]
	if now := h.now(); !ok || now.Sub(last.at) >= hearsayLasts || now.Before(last.at) {
		for other, old := range h.last {
			if now.Sub(old.at) >= hearsayLasts {
				delete(h.last, other)
			}
		}
		last.content, last.err = ask()
		last.at = h.now()
		h.last[key] = last
	}
	return last.content, last.err
}
