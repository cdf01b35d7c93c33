package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sett/internal/base/loop"
	"sett/internal/notify/channel"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

const (
	updatesAtOnce = 500 // subscribers of each page that one round makes notices for
	updatePoll    = 5 * time.Second
	maxNotices    = 256 // on their way together
	maxPerLane    = 16  // of them, to subscribers of one kind of one page
)

// StatusNotifierOptions are what a StatusNotifier works with.
type StatusNotifierOptions struct {
	DB      *db.DB
	Status  *statusdb.Store
	Lease   *Lease
	Tools   channel.Tools // without email, notices by email are dropped
	BaseURL string        // of the links; no trailing slash
	Now     func() time.Time
	Log     *slog.Logger
}

// StatusNotifier sends the updates of status pages to their subscribers. Pages take turns.
type StatusNotifier struct {
	StatusNotifierOptions
	*sender[string, statusdb.ClaimedStatusNotice, statusdb.StatusNoticeResult]
	letters   *statusLetters
	off       sync.Once
	forgotten throttle
}

// NewStatusNotifier returns a StatusNotifier. It does nothing before its Loops run.
func NewStatusNotifier(o StatusNotifierOptions) *StatusNotifier {
	s := &StatusNotifier{StatusNotifierOptions: o, letters: newStatusLetters()}
	s.sender = &sender[string, statusdb.ClaimedStatusNotice, statusdb.StatusNoticeResult]{
		inFlight: newInFlight[string, statusdb.StatusNoticeResult](o.Lease), now: o.Now, most: maxNotices, attempt: s.try,
		free: func(ctx context.Context, now time.Time, wait time.Duration) error {
			return o.Status.Queue.Free(ctx, now, wait)
		},
		lane: statusdb.ClaimedStatusNotice.Lane,
		claimDue: func(ctx context.Context, now time.Time, limit int) ([]statusdb.ClaimedStatusNotice, error) {
			return o.Status.ClaimStatusNotices(ctx, now, sendLease, limit, s.roomFor)
		},
		settle: func(ctx context.Context, ended []statusdb.StatusNoticeResult) error {
			return o.Status.RecordStatusNotices(ctx, o.Now(), ended)
		},
	}
	return s
}

// Loops returns the loops that fan out updates, send notices, and record results. Each may run once at a time.
func (s *StatusNotifier) Loops() []*loop.Loop {
	published, _ := s.DB.Sleep(statusdb.StatusPublished) // until the store is closed
	due, _ := s.DB.Sleep(statusdb.StatusPublished)
	return []*loop.Loop{
		{Name: "status updates", Does: "Determines which subscribers of status pages receive an update.", Every: updatePoll, Jitter: 0.2, Wake: published, Work: s.fanOut, Log: s.Log},
		{Name: "status notices", Does: "Sends status page updates to their subscribers.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: s.claim, Log: s.Log},
		{Name: "status answers", Does: "Records the results of status page updates and schedules retries.", Wake: s.inFlight.ended, Work: s.record, Log: s.Log},
	}
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

func (s *StatusNotifier) roomFor(lane string) int { return maxPerLane - s.inFlight.held(lane) }
