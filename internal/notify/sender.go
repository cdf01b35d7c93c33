package notify

import (
	"context"
	"time"
)

// sender sends the rows of one queue: it claims due rows, sends them in the background, and records the results. K is the lane, C a
// claimed row, and R the result of an attempt. If the process dies, another one sends what was in flight again, with the same ids.
type sender[K comparable, C, R any] struct {
	inFlight *inFlight[K, R]
	now      func() time.Time
	freed    throttle
	most     int // rows in flight

	free     func(ctx context.Context, now time.Time, wait time.Duration) error // see queue.Queue.Free
	claimDue func(ctx context.Context, now time.Time, limit int) ([]C, error)
	lane     func(C) K
	attempt  func(context.Context, C) R
	settle   func(context.Context, []R) error
}

// claim claims as many due rows as fit and sends them in the background. Before, it frees the claims of dead processes.
func (s *sender[K, C, R]) claim(ctx context.Context) (more bool, err error) {
	now := s.now()
	if err := s.inFlight.lease.acquire(ctx); err != nil {
		return false, err
	}
	if s.freed.isDue(now, renewEvery) {
		if err := s.free(ctx, now, freeAfter); err != nil {
			return false, err
		}
	}
	room := s.most - s.inFlight.all()
	if room <= 0 {
		return false, nil // an attempt that ends wakes this loop
	}
	claimed, err := s.claimDue(ctx, now, room)
	if err != nil {
		return false, err
	}
	for _, c := range claimed {
		s.inFlight.send(s.lane(c), func(ctx context.Context) R { return s.attempt(ctx, c) })
	}
	return len(claimed) > 0, nil
}

// record stores the results of all attempts that have ended.
func (s *sender[K, C, R]) record(ctx context.Context) (more bool, err error) {
	return false, s.inFlight.record(func(ended []R) error { return s.settle(context.WithoutCancel(ctx), ended) })
}

// Stop waits for messages in flight, within ctx, and records their results. Call it after the loops have ended. What could not be recorded
// is sent again after its lease expires.
func (s *sender[K, C, R]) Stop(ctx context.Context) error {
	if !s.inFlight.wait(ctx, stopGrace) {
		return context.Cause(ctx)
	}
	_, err := s.record(ctx)
	return err
}
