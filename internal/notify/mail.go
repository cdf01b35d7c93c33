// Package notify sends the messages that the store has queued. Rows that are due come in, each claimed by one node for a
// time; messages go out through package channel, with retries and growing backoff. If a process dies while sending, another
// one sends the message again, so it arrives at least once. The package never decides which events are sent, and never
// logs the content of messages.
package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/sett"
	"sett/internal/signin"
	"sett/internal/status"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const (
	mailLease      = 5 * time.Minute // more than the longest attempt of channel.Email
	mailPoll       = 5 * time.Second // for retries, and emails of nodes that cannot wake this one
	keepFailedMail = 7 * 24 * time.Hour
	pruneMailEvery = time.Hour // interval
)

// MailerOptions are what a Mailer works with.
type MailerOptions struct {
	DB      *db.DB
	Outbox  *outbox.Store
	Email   *channel.Email // nil: email is off, and queued emails are dropped
	BaseURL string         // of the links; no trailing slash
	Domain  string         // of Message-IDs: that of the sender's address
	Now     func() time.Time
	Log     *slog.Logger
}

// Mailer sends the mails that the store has queued.
type Mailer struct {
	MailerOptions
	letters *letters

	failing   bool // whether the last email failed; logged once
	off       sync.Once
	forgotten throttle
}

// NewMailer returns a Mailer. It does nothing before its Loop runs.
func NewMailer(o MailerOptions) *Mailer { return &Mailer{MailerOptions: o, letters: newLetters()} }

// Loop returns the loop that sends mails as soon as they are queued. It may run once at a time.
func (m *Mailer) Loop() *loop.Loop {
	woken, _ := m.DB.Sleep(outbox.MailQueued) // until the store is closed
	return &loop.Loop{
		Name: "mail", Does: "Sends queued emails, such as invitations, password resets and security notices.",
		Every: mailPoll, Jitter: 0.2, Wake: woken, Work: m.round, Log: m.Log,
	}
}

// round sends one email that is due. An attempt that has started is completed even if the loop stops.
func (m *Mailer) round(ctx context.Context) (more bool, err error) {
	now := m.Now()
	claimed, ok, err := m.Outbox.ClaimMail(ctx, now, mailLease)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, m.forget(ctx, now)
	}
	return true, m.deliver(context.WithoutCancel(ctx), claimed)
}

// deliver sends an email and records the result.
func (m *Mailer) deliver(ctx context.Context, claimed outbox.ClaimedMail) error {
	if m.Email == nil {
		m.off.Do(func() { m.Log.Warn("email is off, dropping emails: set SETT_SMTP_URL") })
		return m.Outbox.DropMail(ctx, claimed.ID)
	}
	err := m.send(ctx, claimed)
	if err == nil {
		m.logRecovered()
		return m.Outbox.DropMail(ctx, claimed.ID)
	}
	failure, ok := errors.AsType[*channel.Failure](err)
	if !ok {
		m.Log.Error("failed to compose email", "mail_id", claimed.ID, "kind", string(claimed.Kind), "error", err)
		failure = &channel.Failure{Problem: "The server could not compose the email. Its log has the reason.", Permanent: true}
	}
	due, again := m.tryAgain(claimed)
	if failure.Permanent || !again {
		m.Log.Log(ctx, levelOf(claimed.Kind), "email failed", "mail_id", claimed.ID, "kind", string(claimed.Kind), "tries", claimed.Tries, "problem", failure.Problem)
		return m.Outbox.GiveUpMail(ctx, claimed, m.Now().Add(keepFailedMail), failure.Problem)
	}
	m.logFailing(failure)
	return m.Outbox.PostponeMail(ctx, claimed, due, failure.Problem)
}

// levelOf is the log level of a failed email. Anyone can subscribe an address that does not accept email, which is not a
// problem of the operator.
func levelOf(kind sett.MailKind) slog.Level {
	if kind == sett.SubscriptionMail {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// send renders an email and sends it.
func (m *Mailer) send(ctx context.Context, claimed outbox.ClaimedMail) error {
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
var life = map[sett.MailKind]time.Duration{
	sett.AccountInvitationMail: sett.InvitationLife,
	sett.TeamInvitationMail:    sett.InvitationLife,
	sett.PasswordResetMail:     signin.PasswordResetLife,
	sett.SubscriptionMail:      status.SubscriptionLife,
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
		Server: m.BaseURL, Link: m.link(claimed), Until: claimed.CreatedAt.Add(life[claimed.Kind]).UTC(), At: claimed.CreatedAt.UTC(),
		Account: f["account"], Team: f["team"], Inviter: f["inviter"], Role: f["role"], Message: strings.TrimSpace(f["message"]),
		Address: f["address"], Device: f["device"], Event: eventOf(sett.SecurityEvent(f["event"]), f["name"]),
		Integration: f["integration"], Project: f["project"], Problem: f["problem"], Off: f["off"] != "", Page: f["page"],
	}
	if f["unbranded"] != "" {
		made.Server = ""
	}
	if claimed.Kind != sett.PersonalDigestMail {
		return made, nil
	}
	var err error
	made.Unsubscribe = unsubscribeAt(m.BaseURL, f["token"])
	made.Digest, err = newDigest(f, made.Link)
	return made, err
}

func (m *Mailer) link(claimed outbox.ClaimedMail) string {
	switch claimed.Kind {
	case sett.AccountInvitationMail, sett.TeamInvitationMail:
		return m.BaseURL + "/invitations/" + claimed.Fields["token"]
	case sett.PasswordResetMail:
		return m.BaseURL + "/reset/" + claimed.Fields["token"]
	case sett.IntegrationFailedMail:
		return m.BaseURL + claimed.Fields["link"]
	case sett.PersonalDigestMail:
		return m.BaseURL + "/projects/" + claimed.Fields["project_id"]
	case sett.SubscriptionMail:
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

// forget deletes old failed emails from time to time.
func (m *Mailer) forget(ctx context.Context, now time.Time) error {
	if !m.forgotten.isDue(now, pruneMailEvery) {
		return nil
	}
	return m.Outbox.ForgetMails(ctx, now)
}

func (m *Mailer) logFailing(f *channel.Failure) {
	if !m.failing {
		m.Log.Warn("email not sent, retrying", "problem", f.Problem)
	}
	m.failing = true
}

func (m *Mailer) logRecovered() {
	if m.failing {
		m.Log.Info("email is sent again")
	}
	m.failing = false
}
