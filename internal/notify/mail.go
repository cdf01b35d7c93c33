// Package notify sends the messages that the store has queued. It claims rows that are due, each by one node for a time, and sends them
// through package channel, with retries and growing delays. If a process dies while sending, another one sends the message again, so it
// arrives at least once. The package never decides which events are sent, and never logs the content of messages.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/base/loop"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const (
	maxMails       = 16 // in flight
	maxPerKind     = 4  // of them, of one kind
	keepFailedMail = 7 * 24 * time.Hour
	pruneMailEvery = time.Hour // interval
)

// MailerOptions are what a Mailer works with.
type MailerOptions struct {
	DB      *db.DB
	Outbox  *outbox.Store
	Lease   *Lease
	Email   *channel.Email // nil: email is off, and queued emails are dropped
	BaseURL string         // of the links; no trailing slash
	Domain  string         // of Message-IDs: that of the sender's address
	Now     func() time.Time
	Log     *slog.Logger
}

// Mailer sends the mails that the store has queued.
type Mailer struct {
	MailerOptions
	*sender[alerts.MailKind, outbox.ClaimedMail, outbox.MailResult]
	letters *letters

	failing   atomic.Bool // whether the last email failed; logged once
	off       sync.Once
	forgotten throttle
}

// NewMailer returns a Mailer. It does nothing before its Loops run.
func NewMailer(o MailerOptions) *Mailer {
	m := &Mailer{MailerOptions: o, letters: newLetters()}
	m.sender = &sender[alerts.MailKind, outbox.ClaimedMail, outbox.MailResult]{
		inFlight: newInFlight[alerts.MailKind, outbox.MailResult](o.Lease), now: o.Now, most: maxMails, attempt: m.try,
		free: func(ctx context.Context, now time.Time, wait time.Duration) error {
			return o.Outbox.Queue.Free(ctx, now, wait)
		},
		lane: func(c outbox.ClaimedMail) alerts.MailKind { return c.Kind },
		claimDue: func(ctx context.Context, now time.Time, limit int) ([]outbox.ClaimedMail, error) {
			return o.Outbox.ClaimMails(ctx, now, sendLease, limit, m.roomFor)
		},
		settle: o.Outbox.RecordMails,
	}
	return m
}

// Loops returns the loops that send mails as soon as they are queued, and record the results. Each may run once at a time.
func (m *Mailer) Loops() []*loop.Loop {
	woken, _ := m.DB.Sleep(outbox.MailQueued) // until the store is closed
	return []*loop.Loop{
		{Name: "mail", Does: "Sends queued emails, such as invitations, password resets and security messages.", Every: alertPoll, Jitter: 0.2, Wake: woken, Work: m.round, Log: m.Log},
		{Name: "mail results", Does: "Records which emails were sent and schedules retries.", Wake: m.inFlight.ended, Work: m.record, Log: m.Log},
	}
}

func (m *Mailer) roomFor(kind alerts.MailKind) int { return maxPerKind - m.inFlight.held(kind) }

// round claims due mails, and from time to time deletes old failed mails.
func (m *Mailer) round(ctx context.Context) (more bool, err error) {
	more, err = m.claim(ctx)
	if err != nil || more {
		return more, err
	}
	if now := m.Now(); m.forgotten.isDue(now, pruneMailEvery) {
		return false, m.Outbox.ForgetMails(ctx, now)
	}
	return false, nil
}

// try sends an email once and returns the result.
func (m *Mailer) try(ctx context.Context, claimed outbox.ClaimedMail) outbox.MailResult {
	result := outbox.MailResult{Mail: claimed}
	if m.Email == nil {
		m.off.Do(func() { m.Log.Warn("email is off, so an email was not sent", "hint", hintEmailOff) })
		return result
	}
	err := safely(func() error { return m.send(ctx, claimed) })
	switch {
	case err == nil:
		m.logRecovered()
	case ctx.Err() != nil: // it was canceled
		result.DueAt, result.Problem = m.Now(), context.Cause(ctx).Error()
	default:
		m.failed(ctx, claimed, err, &result)
	}
	return result
}

// failed decides whether and when an email is retried.
func (m *Mailer) failed(ctx context.Context, claimed outbox.ClaimedMail, err error, result *outbox.MailResult) {
	failure, ok := errors.AsType[*channel.Failure](err)
	if !ok {
		m.Log.Error("an email could not be written, so it is not sent", "email", string(claimed.Kind), "email_id", claimed.ID, "error", err, "hint", hintReport)
		failure = &channel.Failure{Problem: "The server could not compose the email. Its log has the reason.", Permanent: true}
	}
	result.Problem = failure.Problem
	due, again := m.tryAgain(claimed)
	if failure.Permanent || !again {
		m.Log.Log(ctx, levelOf(claimed.Kind), "an email was not delivered and is not retried", "email", string(claimed.Kind), "email_id", claimed.ID,
			"attempts", claimed.Tries, "error", failure.Problem, "hint", "the page Server lists failed emails and can send them again")
		result.KeepUntil = m.Now().Add(keepFailedMail)
		return
	}
	m.logFailing(failure)
	result.DueAt = due
}

// levelOf is the log level of a failed email. Anyone can subscribe an address that does not accept email, which is not a
// problem of the operator.
func levelOf(kind alerts.MailKind) slog.Level {
	if kind == alerts.SubscriptionMail {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// send renders an email and sends it.
func (m *Mailer) send(ctx context.Context, claimed outbox.ClaimedMail) error {
	if claimed.Broken != nil {
		return claimed.Broken
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	f, err := m.facts(claimed)
	if err != nil {
		return err
	}
	l, err := m.letters.write(claimed.Kind, f)
	if err != nil {
		return err
	}
	return m.Email.Send(ctx, channel.Mail{
		ID: m.messageID(claimed), To: claimed.To, Date: claimed.CreatedAt, Subject: l.subject, Text: l.text, HTML: l.html, Unsubscribe: f.Unsubscribe,
	})
}

// messageID is the same for every attempt, so that receivers can recognize duplicates.
func (m *Mailer) messageID(claimed outbox.ClaimedMail) string {
	return fmt.Sprintf("mail.%d.%d@%s", claimed.ID, claimed.CreatedAt.UnixMicro(), m.Domain)
}

// life is how long the link in each kind of email is valid; kinds without a link are missing.
var life = map[alerts.MailKind]time.Duration{
	alerts.AccountInvitationMail: accounts.InvitationLife,
	alerts.TeamInvitationMail:    accounts.InvitationLife,
	alerts.PasswordResetMail:     signin.PasswordResetLife,
	alerts.SubscriptionMail:      status.SubscriptionLife,
}

// tryAgain returns when a failed email is due again. It fails for good after the last retry, and if its link would have
// expired by then.
func (m *Mailer) tryAgain(claimed outbox.ClaimedMail) (due time.Time, again bool) {
	delay, again := retryAfter(claimed.Tries, rand.Float64())
	due = m.Now().Add(delay)
	lasts, ends := life[claimed.Kind]
	return due, again && (!ends || due.Before(claimed.CreatedAt.Add(lasts)))
}

// facts returns the fields for the templates of an email.
func (m *Mailer) facts(claimed outbox.ClaimedMail) (facts, error) {
	f := claimed.Fields
	made := facts{
		Server: m.BaseURL, Link: m.link(claimed), Until: claimed.CreatedAt.Add(life[claimed.Kind]), At: claimed.CreatedAt, Zone: sett.TimeZoneOf(claimed.Zone),
		Account: f["account"], Team: f["team"], Inviter: f["inviter"], Role: f["role"], Message: strings.TrimSpace(f["message"]), Empty: f["empty"] != "",
		Address: f["address"], Device: f["device"], Event: eventOf(alerts.SecurityEvent(f["event"]), f["name"]),
		Integration: f["integration"], Project: f["project"], Problem: f["problem"], Off: f["off"] != "", Page: f["page"], Language: locale.Language(f["language"]),
	}
	if f["unbranded"] != "" {
		made.Server = ""
	}
	if claimed.Kind != alerts.PersonalDigestMail {
		return made, nil
	}
	var err error
	made.Unsubscribe = unsubscribeAt(m.BaseURL, f["token"])
	made.Digest, err = newDigest(f, made.Link, made.Zone)
	return made, err
}

func (m *Mailer) link(claimed outbox.ClaimedMail) string {
	switch claimed.Kind {
	case alerts.AccountInvitationMail, alerts.TeamInvitationMail:
		return m.BaseURL + "/invitations/" + claimed.Fields["token"]
	case alerts.PasswordResetMail:
		return m.BaseURL + "/reset/" + claimed.Fields["token"]
	case alerts.IntegrationFailedMail:
		return m.BaseURL + claimed.Fields["link"]
	case alerts.PersonalDigestMail:
		return m.BaseURL + "/projects/" + claimed.Fields["project_id"]
	case alerts.SubscriptionMail:
		return subscriberAt(pageOfMail(claimed.Fields).Address(m.BaseURL), claimed.Fields["token"])
	}
	return m.BaseURL
}

// pageOfMail is the status page in the fields of an email.
func pageOfMail(fields map[string]string) status.StatusPage {
	page := status.StatusPage{StatusPageSettings: status.StatusPageSettings{Name: fields["page"], Slug: fields["slug"]}}
	if domain := fields["domain"]; domain != "" {
		page.Domain = status.StatusDomain{Name: domain, VerifiedAt: time.Unix(0, 0)}
	}
	return page
}

// What operators can do, in the log.
const (
	hintEmailOff = "set SETT_SMTP_URL and SETT_MAIL_FROM, and restart the server"
	hintReport   = "this is a bug in sett: report it with this line"
)

func (m *Mailer) logFailing(f *channel.Failure) {
	if !m.failing.Swap(true) {
		m.Log.Warn("emails cannot be sent and are retried", "error", f.Problem, "hint", "check SETT_SMTP_URL with: sett doctor")
	}
}

func (m *Mailer) logRecovered() {
	if m.failing.Swap(false) {
		m.Log.Info("emails are sent again")
	}
}
