package mcp

import (
	"sync"
	"time"
)

// pace counts the requests of each token to this process by the minute, so that an agent in a loop leaves the others their turn.
type pace struct {
	most int

	mu    sync.Mutex
	since time.Time
	used  map[int64]int
}

func newPace(most int) *pace { return &pace{most: most, used: map[int64]int{}} }

// take counts a request, and returns how long to wait if it is one too many; 0 if it is not.
func (p *pace) take(token int64, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if passed := now.Sub(p.since); passed < 0 || passed >= time.Minute {
		p.since, p.used = now, map[int64]int{}
	}
	if p.used[token]++; p.used[token] <= p.most {
		return 0
	}
	return p.since.Add(time.Minute).Sub(now)
}
