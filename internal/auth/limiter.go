package auth

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

// window is how long a user's requests are counted before the count begins anew.
const window = time.Hour

// countPatience is how long the database may take to count a request.
const countPatience = 2 * time.Second

// Limiter counts requests of users in windows of one hour. The store keeps the count, so that it survives restarts and
// holds for all nodes.
type Limiter struct {
	store *store.Store
	limit int64 // an hour; 0 means no limit
}

// NewLimiter returns a Limiter that allows so many requests an hour, or any number when limit is 0.
func NewLimiter(s *store.Store, limit int64) *Limiter { return &Limiter{s, limit} }

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
	return Quota{limit, limit, now.Add(window)}
}

// Take counts one request of a user. The error is Forbidden when the window's requests are used up; the quota holds
// either way. While the database does not answer nobody is refused: the request will meet the same trouble, and say so.
//
// It takes no context: a client that hangs up early has asked all the same.
func (l *Limiter) Take(userID int64, now time.Time) (Quota, error) {
	if l.limit == 0 {
		return l.Fresh(now), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countPatience)
	defer cancel()
	w, err := l.store.TakeRequest(ctx, now, userID, window)
	if err != nil {
		return l.Fresh(now), nil //nolint:nilerr // see above
	}
	q := Quota{l.limit, max(0, l.limit-w.Used), w.Reset}
	if w.Used > l.limit {
		return q, sett.Errorf(sett.Forbidden, "You have reached the limit of %d requests per hour. Try again after %s.",
			l.limit, w.Reset.UTC().Format(time.RFC3339))
	}
	return q, nil
}
