package auth

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/store/intakedb"
)

// window is how long the requests of a user are counted before the count is reset.
const window = time.Hour

// countPatience is how long the database may take to count a request.
const countPatience = 2 * time.Second

// Limiter counts requests of users in windows of one hour. The store keeps the count, so that it survives restarts and
// holds for all nodes.
type Limiter struct {
	intake *intakedb.Store
	limit  int64 // an hour; 0 means no limit
}

// NewLimiter returns a Limiter that allows so many requests an hour, or any number when limit is 0.
func NewLimiter(s *intakedb.Store, limit int64) *Limiter { return &Limiter{s, limit} }

// Quota is what a user has left in the running window.
type Quota struct {
	Limit     int64
	Remaining int64
	Reset     time.Time
}

// WriteTo sets the three rate limit headers of the contract. http.Header.Set would write X-Ratelimit-Limit.
func (q Quota) WriteTo(h http.Header) {
	h["X-RateLimit-Limit"] = []string{strconv.FormatInt(q.Limit, 10)}
	h["X-RateLimit-Remaining"] = []string{strconv.FormatInt(q.Remaining, 10)}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(q.Reset.Unix(), 10)}
}

// unlimited is the limit that clients see if there is none: so large that no client waits for the reset, as it would at 0,
// and small enough for a 32-bit integer.
const unlimited = math.MaxInt32

// Fresh returns the quota of a user without requests, for responses to unauthenticated requests.
func (l *Limiter) Fresh(now time.Time) Quota {
	limit := l.limit
	if limit == 0 {
		limit = unlimited
	}
	return Quota{limit, limit, now.Add(window)}
}

// Take counts one request of a user. The error is Forbidden if the requests of the window are used up; the quota is valid
// either way. While the database does not respond, no request is refused: it will meet the same problem and report it. It
// takes no context, because a request counts even if the client disconnects early.
func (l *Limiter) Take(userID int64, now time.Time) (Quota, error) {
	if l.limit == 0 {
		return l.Fresh(now), nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), countPatience)
	defer cancel()
	w, err := l.intake.TakeRequest(ctx, now, userID, window)
	if err != nil {
		return l.Fresh(now), nil
	}
	q := Quota{l.limit, max(0, l.limit-w.Used), w.Reset}
	if w.Used > l.limit {
		return q, sett.Errorf(sett.Forbidden, "You have reached the limit of %d requests per hour. Try again after %s.",
			l.limit, w.Reset.UTC().Format(time.RFC3339))
	}
	return q, nil
}
