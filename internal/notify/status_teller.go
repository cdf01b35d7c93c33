package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/store"
)

const (
	updatesAtOnce = 500 // subscribers that one transaction makes notices for
	noticesAtOnce = 16  // mails that are on their way together
	noticeLease   = 5 * time.Minute
	noticePoll    = 5 * time.Second
)

// StatusTellerOptions are what a StatusTeller works with.
type StatusTellerOptions struct {
	Store   *store.Store
	Email   *channel.Email // nil: mail is off, and what is to be told by mail is dropped
	BaseURL string         // of the links; no trailing slash
	Now     func() time.Time
	Log     *slog.Logger
}

// StatusTeller tells the subscribers of status pages what these tell.
type StatusTeller struct {
	StatusTellerOptions
	letters  *statusLetters
	saidOff  bool
	forgotAt time.Time
}

// NewStatusTeller returns a StatusTeller. It does nothing before its Loop runs.
func NewStatusTeller(o StatusTellerOptions) *StatusTeller {
	return &StatusTeller{StatusTellerOptions: o, letters: newStatusLetters()}
}

// Loop returns the loop that tells updates as soon as they are made. It may run once at a time.
func (s *StatusTeller) Loop() *loop.Loop {
	woken, _ := s.Store.Sleep(store.StatusTold) // for as long as the store is open
	return &loop.Loop{Name: "status subscribers", Every: noticePoll, Jitter: 0.2, Wake: woken, Work: s.round, Log: s.Log}
}

// round makes some notices, and sends some that are due. What was begun is finished also when the loop is to stop.
func (s *StatusTeller) round(ctx context.Context) (more bool, err error) {
	now := s.Now()
	if more, err = s.Store.SpreadStatusUpdates(ctx, now, updatesAtOnce); err != nil {
		return false, err
	}
	claimed, err := s.Store.ClaimStatusNotices(ctx, now, noticeLease, noticesAtOnce)
	if err != nil {
		return false, err
	}
	if len(claimed) == 0 && !more {
		return false, s.forget(ctx, now)
	}
	return true, s.tell(context.WithoutCancel(ctx), claimed)
}

// tell sends notices together: each is to somebody else, or about something else.
func (s *StatusTeller) tell(ctx context.Context, claimed []store.ClaimedStatusNotice) error {
	if len(claimed) > 0 && s.Email == nil {
		s.sayOff()
	}
	failed := make([]error, len(claimed))
	var all sync.WaitGroup
	for n, c := range claimed {
		all.Go(func() { failed[n] = s.deliver(ctx, c) })
	}
	all.Wait()
	return errors.Join(failed...)
}

// deliver sends a notice and notes what came of it.
func (s *StatusTeller) deliver(ctx context.Context, c store.ClaimedStatusNotice) error {
	err := s.send(ctx, c)
	if err == nil {
		return s.Store.RecordToldNotice(ctx, c)
	}
	failure, ok := errors.AsType[*channel.Failure](err)
	if !ok {
		failure = &channel.Failure{Problem: err.Error(), Permanent: true}
	}
	now := s.Now()
	delay, again := retryAfter(c.Tries, rand.Float64())
	if failure.Permanent || !again {
		s.Log.Warn("status page subscriber not told", "notice_id", c.ID, "subscriber_id", c.Subscriber.ID, "tries", c.Tries, "problem", failure.Problem)
		return s.Store.GiveUpNotice(ctx, now, c, failure.Problem)
	}
	return s.Store.PostponeNotice(ctx, now, c, now.Add(delay), failure.Problem)
}

func (s *StatusTeller) send(ctx context.Context, c store.ClaimedStatusNotice) error {
	if s.Email == nil {
		return nil
	}
	l, unsubscribe, err := s.letters.write(s.BaseURL, c)
	if err != nil {
		return err
	}
	return s.Email.Send(ctx, channel.Mail{
		ID: s.messageID(c), To: c.Subscriber.Address, Date: c.Update.At, Subject: l.subject, Text: l.text, HTML: l.html, Unsubscribe: unsubscribe,
	})
}

// messageID is the same for every try, so that a mail that arrives twice is known for one.
func (s *StatusTeller) messageID(c store.ClaimedStatusNotice) string {
	return s.Email.MessageID(fmt.Sprintf("status.%d.%d.%d", c.Update.ID, c.Subscriber.ID, c.Update.At.UnixMicro()))
}

// forget drops every now and then who has not confirmed in time.
func (s *StatusTeller) forget(ctx context.Context, now time.Time) error {
	if now.Before(s.forgotAt.Add(forgetGivenUp)) {
		return nil
	}
	s.forgotAt = now
	return s.Store.ForgetSubscribers(ctx, now)
}

func (s *StatusTeller) sayOff() {
	if !s.saidOff {
		s.Log.Warn("mail is off, subscribers of status pages are not told: set SETT_SMTP_URL")
	}
	s.saidOff = true
}
