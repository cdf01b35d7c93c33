package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
	"sett/internal/store/outbox"
	"sett/internal/store/status"
)

const (
	updatesAtOnce = 500 // subscribers of each page that one round makes notices for
	updatePoll    = 5 * time.Second
	maxNotices    = 256 // on their way together
	maxPerQueue   = 16  // of them, to subscribers of one kind of one page
)

// StatusNotifierOptions are what a StatusNotifier works with.
type StatusNotifierOptions struct {
	DB         *db.DB
	Outbox     *outbox.Store
	Status     *status.Store
	Deliveries *delivery.Store
	Tools      channel.Tools // without email, notices by email are dropped
	BaseURL    string        // of the links; no trailing slash
	Now        func() time.Time
	Log        *slog.Logger
}

// StatusNotifier sends the updates of status pages to their subscribers. Pages take turns. If its process dies, another process
// sends its notices in flight again, with the same ids.
type StatusNotifier struct {
	StatusNotifierOptions
	letters   *statusLetters
	inFlight  *inFlight[status.StatusQueue, status.StatusNoticeResult]
	off       sync.Once
	freed     throttle
	forgotten throttle
}

// NewStatusNotifier returns a StatusNotifier. It does nothing before its Loops run.
func NewStatusNotifier(o StatusNotifierOptions) *StatusNotifier {
	return &StatusNotifier{StatusNotifierOptions: o, letters: newStatusLetters(), inFlight: newInFlight[status.StatusQueue, status.StatusNoticeResult]()}
}

// Loops returns the loops that fan out updates, send notices, renew the lease, and record results. Each may run once at a
// time.
func (s *StatusNotifier) Loops() []*loop.Loop {
	published, _ := s.DB.Sleep(status.StatusPublished) // until the store is closed
	due, _ := s.DB.Sleep(status.StatusPublished)
	return []*loop.Loop{
		{Name: "status updates", Does: "Determines which subscribers of status pages receive an update.", Every: updatePoll, Jitter: 0.2, Wake: published, Work: s.fanOut, Log: s.Log},
		{Name: "status notices", Does: "Sends status page updates to their subscribers.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: s.claim, Log: s.Log},
		{Name: "status claims", Does: "Prevents other servers from sending the updates that this server is sending.", Every: renewEvery, Work: s.renew, Log: s.Log},
		{Name: "status answers", Does: "Records the results of status page updates and schedules retries.", Wake: s.inFlight.ended, Work: s.record, Log: s.Log},
	}
}

// Stop waits for notices in flight, within ctx, and records their results. Call it after the Loops have ended.
func (s *StatusNotifier) Stop(ctx context.Context) error {
	if !s.inFlight.wait(ctx, stopGrace) {
		return context.Cause(ctx)
	}
	_, err := s.record(ctx)
	return err
}

// fanOut creates notices for updates, and from time to time deletes subscribers who have not confirmed in time.
func (s *StatusNotifier) fanOut(ctx context.Context) (more bool, err error) {
	now := s.Now()
	more, err = s.Status.FanOutStatusUpdates(ctx, now, updatesAtOnce)
	if err != nil || more || !s.forgotten.isDue(now, pruneMailEvery) {
		return more, err
	}
	return false, s.Status.ForgetSubscribers(ctx, now)
}

// renew renews the lease of this process.
func (s *StatusNotifier) renew(ctx context.Context) (more bool, err error) {
	return false, s.inFlight.lease.renew(ctx, s.Deliveries)
}

// claim claims as many notices as fit and sends them in the background.
func (s *StatusNotifier) claim(ctx context.Context) (more bool, err error) {
	now := s.Now()
	if err := s.inFlight.lease.acquire(ctx, s.Deliveries); err != nil {
		return false, err
	}
	if s.freed.isDue(now, renewEvery) {
		if err := s.Deliveries.FreeClaims(ctx, now, freeAfter); err != nil {
			return false, err
		}
	}
	_, all := s.inFlight.held(status.StatusQueue{})
	if all >= maxNotices {
		return false, nil // an attempt that ends wakes this loop
	}
	claimed, err := s.Status.ClaimStatusNotices(ctx, now, deliveryLease, maxNotices-all, s.roomOf)
	if err != nil {
		return false, err
	}
	for _, c := range claimed {
		s.inFlight.send(c.Queue(), func(ctx context.Context) status.StatusNoticeResult { return s.try(ctx, c) })
	}
	return len(claimed) > 0, nil
}

func (s *StatusNotifier) roomOf(q status.StatusQueue) int {
	held, _ := s.inFlight.held(q)
	return maxPerQueue - held
}

// record stores the results of all notices that have ended.
func (s *StatusNotifier) record(ctx context.Context) (more bool, err error) {
	_, err = s.inFlight.record(func(ended []status.StatusNoticeResult) error {
		return s.Status.RecordStatusNotices(context.WithoutCancel(ctx), s.Now(), ended)
	})
	return false, err
}
