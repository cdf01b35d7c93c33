package acme

import (
	"sync"
	"time"
)

// challengeCacheFor is how long an answer of the store about a challenge is cached: anyone may request one, as often as they
// like, and a node has to ask the store because another node may have made the order.
const challengeCacheFor = 100 * time.Millisecond

// challengeCache caches what the store last returned for challenges. The names are those of served domains.
type challengeCache struct {
	now func() time.Time

	mu   sync.Mutex
	last map[string]cachedChallenge
}

type cachedChallenge struct {
	content []byte
	err     error
	at      time.Time
}

// load returns the cached answer, or asks the store, one request at a time.
func (h *challengeCache) load(key string, ask func() ([]byte, error)) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	last, ok := h.last[key]
	if now := h.now(); !ok || now.Sub(last.at) >= challengeCacheFor || now.Before(last.at) {
		for other, old := range h.last {
			if now.Sub(old.at) >= challengeCacheFor {
				delete(h.last, other)
			}
		}
		last.content, last.err = ask()
		last.at = h.now()
		h.last[key] = last
	}
	return last.content, last.err
}
