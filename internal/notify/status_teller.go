package notify

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/store"
)

const (
	updatesAtOnce = 500 // subscribers of each page that one round makes notices for
	updatePoll    = 5 * time.Second
	mostNotices   = 256 // on their way together
	mostOfQueue   = 16  // of them, to subscribers of one kind of one page
)

// StatusTellerOptions are what a StatusTeller works with.
type StatusTellerOptions struct {
	Store   *store.Store
	Tools   channel.Tools // without mail, what is to be told by mail is dropped
	BaseURL string        // of the links; no trailing slash
	Now     func() time.Time
	Log     *slog.Logger
}

// StatusTeller tells the subscribers of status pages what these tell. Pages take turns, and what its process has in hand when
// it dies, the next one sends again, or another, with the same id.
type StatusTeller struct {
	StatusTellerOptions
	letters   *statusLetters
	hand      *hand[store.StatusQueue, store.StatusNoticeResult]
	off       sync.Once
	freed     seldom
	forgotten seldom
}

// NewStatusTeller returns a StatusTeller. It does nothing before its Loops run.
func NewStatusTeller(o StatusTellerOptions) *StatusTeller {
	return &StatusTeller{StatusTellerOptions: o, letters: newStatusLetters(), hand: newHand[store.StatusQueue, store.StatusNoticeResult]()}
}

// Loops returns the loops that spread updates, send notices, keep them from others, and record what came of them. Each may
// run once at a time.
func (s *StatusTeller) Loops() []*loop.Loop {
	told, _ := s.Store.Sleep(store.StatusTold) // for as long as the store is open
	due, _ := s.Store.Sleep(store.StatusTold)
	return []*loop.Loop{
		{Name: "status updates", Does: "Determines which subscribers of status pages receive an update.", Every: updatePoll, Jitter: 0.2, Wake: told, Work: s.spread, Log: s.Log},
		{Name: "status notices", Does: "Sends status page updates to their subscribers.", Every: alertPoll, Jitter: 0.2, Wake: due, Work: s.takeOut, Log: s.Log},
		{Name: "status claims", Does: "Prevents other servers from sending the updates that this server is sending.", Every: holdPoll, Work: s.hold, Log: s.Log},
		{Name: "status answers", Does: "Records the results of status page updates and schedules retries.", Wake: s.hand.ended, Work: s.record, Log: s.Log},
	}
}

// Stop ends what is being sent, within ctx, and records what came of it. It is to be called once the Loops have ended.
func (s *StatusTeller) Stop(ctx context.Context) error {
	if !s.hand.wait(ctx, stopGrace) {
		return context.Cause(ctx)
	}
	_, err := s.record(ctx)
	return err
}

// spread makes notices of updates, and drops every now and then who has not confirmed in time.
func (s *StatusTeller) spread(ctx context.Context) (more bool, err error) {
	now := s.Now()
	more, err = s.Store.SpreadStatusUpdates(ctx, now, updatesAtOnce)
	if err != nil || more || !s.forgotten.isDue(now, forgetGivenUp) {
		return more, err
	}
	return false, s.Store.ForgetSubscribers(ctx, now)
}

// hold says that this process lives.
func (s *StatusTeller) hold(ctx context.Context) (more bool, err error) {
	return false, s.hand.grip.hold(ctx, s.Store)
}

// takeOut claims as many notices as can be carried and sends them in the background.
func (s *StatusTeller) takeOut(ctx context.Context) (more bool, err error) {
	now := s.Now()
	if err := s.hand.grip.take(ctx, s.Store); err != nil {
		return false, err
	}
	if s.freed.isDue(now, holdPoll) {
		if err := s.Store.FreeClaims(ctx, now, freeAfter); err != nil {
			return false, err
		}
	}
	_, all := s.hand.held(store.StatusQueue{})
	if all >= mostNotices {
		return false, nil // whoever ends wakes this loop
	}
	claimed, err := s.Store.ClaimStatusNotices(ctx, now, deliveryLease, mostNotices-all, s.roomOf)
	if err != nil {
		return false, err
	}
	for _, c := range claimed {
		s.hand.carry(c.Queue(), func(ctx context.Context) store.StatusNoticeResult { return s.try(ctx, c) })
	}
	return len(claimed) > 0, nil
}

func (s *StatusTeller) roomOf(q store.StatusQueue) int {
	held, _ := s.hand.held(q)
	return mostOfQueue - held
}

// record stores what came of notices, all that have ended at once.
func (s *StatusTeller) record(ctx context.Context) (more bool, err error) {
	_, err = s.hand.record(func(ended []store.StatusNoticeResult) error {
		return s.Store.RecordStatusNotices(context.WithoutCancel(ctx), s.Now(), ended)
	})
	return false, err
}
