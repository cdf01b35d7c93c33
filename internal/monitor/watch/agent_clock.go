package watch

import (
	"slices"
	"sync"
	"time"

	"sett/internal/sett/checks"
)

// messagesHeeded is how many of an agent's last messages determine its clock skew. A clock that was set back is accepted
// after that many.
const messagesHeeded = 8

// agentClocks knows how far the clocks of agents are ahead. A message that was long on its way, as after a partition, makes
// a clock seem slow and never fast; so of the last messages the one that says most is nearest to the truth.
type agentClocks struct {
	mu   sync.Mutex
	said map[int64][]time.Duration // by agent, the newest last
}

// skew returns how far an agent's clock is ahead, by a message that arrived just now and those before it.
func (c *agentClocks) skew(a checks.Agent, sent, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	said := c.said[a.ID]
	if said == nil && !a.HeardAt.IsZero() {
		said = append(said, a.Skew) // as another process knew it
	}
	said = append(said, checks.ClockSkew(sent, now))
	if c.said == nil {
		c.said = map[int64][]time.Duration{}
	}
	c.said[a.ID] = said[max(0, len(said)-messagesHeeded):]
	return slices.Max(c.said[a.ID])
}
