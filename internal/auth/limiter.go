package auth

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"sett/internal/sett"
)

// Limiter counts requests of users in windows of one hour.
type Limiter struct {
	limit   int64 // an hour; 0 means no limit
	mu      sync.Mutex
	windows map[int64]*window // by user
}

type window struct {
	reset time.Time
	used  int64
}

// NewLimiter returns a Limiter that allows so many requests an hour, or any number when limit is 0.
func NewLimiter(limit int64) *Limiter {
	return &Limiter{limit: limit, windows: map[int64]*window{}}
}

// Quota is what a user has left in the running window.
type Quota struct {
	Limit     int64
	Remaining int64
	Reset     time.Time
}

// WriteTo sets the three headers that tell a client its quota, spelled on the wire as the contract spells them:
// http.Header.Set would write X-Ratelimit-Limit.
func (q Quota) WriteTo(h http.Header) {
	h["X-RateLimit-Limit"] = []string{strconv.FormatInt(q.Limit, 10)}
	h["X-RateLimit-Remaining"] = []string{strconv.FormatInt(q.Remaining, 10)}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(q.Reset.Unix(), 10)}
}

// unlimited is the quota that clients are told where there is no limit: so large that none waits for the reset, as it
// would at 0, and no more than a 32-bit integer holds.
const unlimited = math.MaxInt32

// Fresh returns the quota of somebody who has not asked yet, for answers to requests of nobody known.
func (l *Limiter) Fresh(now time.Time) Quota {
	limit := l.limit
	if limit == 0 {
		limit = unlimited
	}
	return Quota{limit, limit, now.Add(time.Hour)}
}

// Take counts one request of a user. The error is Forbidden when the window's requests are used up; the quota holds
// either way.
func (l *Limiter) Take(userID int64, now time.Time) (Quota, error) {
	if l.limit == 0 {
		return l.Fresh(now), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.windows[userID]
	if w == nil || !now.Before(w.reset) {
		l.sweep(now)
		w = &window{reset: now.Add(time.Hour)}
		l.windows[userID] = w
	}
	w.used++
	q := Quota{l.limit, max(0, l.limit-w.used), w.reset}
	if w.used > l.limit {
		return q, sett.Errorf(sett.Forbidden, "The limit of %d requests an hour is used up. Try again after %s.",
			l.limit, w.reset.UTC().Format(time.RFC3339))
	}
	return q, nil
}

// sweep drops windows that are over.
func (l *Limiter) sweep(now time.Time) {
	for user, w := range l.windows {
		if !now.Before(w.reset) {
			delete(l.windows, user)
		}
	}
}
