package scim

import (
	"sync"
	"time"

	"sett/internal/sett"
)

// How fast the directory of an account may ask. Entra ID asks 25 times a second in its cycles; Okta in bursts.
const (
	perSecond = 50
	burst     = 300
)

// pace counts requests by account, in this process alone.
type pace struct {
	mu   sync.Mutex
	left map[string]bucket
}

type bucket struct {
	left float64
	at   time.Time
}

func newPace() *pace { return &pace{left: map[string]bucket{}} }

// take counts a request. The error is TooMany if the directory has to wait.
func (p *pace) take(accountID string, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	b, ok := p.left[accountID]
	if !ok {
		b.left = burst
	} else if passed := now.Sub(b.at); passed > 0 {
		b.left = min(burst, b.left+passed.Seconds()*perSecond)
	}
	b.at = now
	if b.left < 1 {
		p.left[accountID] = b
		e := sett.Errorf(sett.TooMany, "A directory may send %d requests a second. Wait a second, then try again.", perSecond)
		e.RetryAfter = time.Second
		return e
	}
	b.left--
	p.left[accountID] = b
	return nil
}
