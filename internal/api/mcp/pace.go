package mcp

import (
	"sync"
	"time"
)

// pace counts the requests of users to this process by the minute, so that an agent in a loop leaves the others their turn.
type pace struct {
	most int

	mu    sync.Mutex
	since time.Time
	used  map[int64]int
}

func newPace(most int) *pace { return &pace{most: most, used: map[int64]int{}} }

// take counts a request, and returns how long the minute still lasts.
func (p *pace) take(user int64, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if passed := now.Sub(p.since); passed < 0 || passed >= time.Minute {
		p.since, p.used = now, map[int64]int{}
	}
	p.used[user]++
	return p.since.Add(time.Minute).Sub(now)
}

// over reports whether a user has used up the minute.
func (p *pace) over(user int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used[user] > p.most
}
