package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/notify"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
	"sett/internal/setttest/visitor"
)

// mailingTo has a server send its mails to one on this machine.
func mailingTo(mails *mailserver.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.SMTPURL, c.MailFrom = "smtp://"+mails.Addr+"?tls=none", "sett <sett@example.org>"
	}
}

// readMail notes the addresses in the headers and in all parts of a mail.
func (h handedOut) readMail(t *testing.T, m mailserver.Mail) {
	t.Helper()
	where := fmt.Sprintf("mail to %s, %q,", m.To, m.Header.Get("Subject"))
	h.readText(where, m.Header.Get("List-Unsubscribe"))
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(m.Raw, []byte("\r\n\r\n")) // and not m.Body, which is read once
	parts := 0
	for reader := multipart.NewReader(bytes.NewReader(body), params["boundary"]); ; parts++ {
		part, err := reader.NextPart() // without its quoted-printable
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		h.readText(where, string(text))
	}
	if parts != 2 {
		t.Errorf("%s has %d parts", where, parts)
	}
}

// await returns the next mail to an address whose subject has the words.
func await(t *testing.T, mails *mailserver.Server, to, words string) mailserver.Mail {
	t.Helper()
	for {
		if m := mails.Next(t); m.To == to && strings.Contains(m.Header.Get("Subject"), words) {
			return m
		}
	}
}

// forAnybody are the paths that have to lead somewhere for those who are not signed in.
var forAnybody = regexp.MustCompile(`^/(invitations|reset|unsubscribe|acknowledge/[0-9]+/.+|forgot|status|share)(/|$)`)

// followAs has each address followed by those that it is for: the paths forAnybody by a visitor who is not signed in.
func (h handedOut) followAs(t *testing.T, s *setttest.Server, p *follower) {
	t.Helper()
	public, own := newHandedOut(s), newHandedOut(s)
	for path, where := range h.found {
		if p == nil || forAnybody.MatchString(path) {
			public.found[path] = where
		} else {
			own.found[path] = where
		}
	}
	public.follow(t, follower{Browser: visitor.New(t, s)})
	if p != nil {
		own.follow(t, *p)
	}
}

// Every address in a mail leads somewhere for the one who gets it: for those who are not signed in where the mail lets them in,
// or is for strangers.
func TestAddressesInMailsLeadSomewhere(t *testing.T) {
	t.Parallel()
	below(t, checkAddressesInMailsLeadSomewhere)
}

func checkAddressesInMailsLeadSomewhere(t *testing.T, start starter) {
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
	s := start(t, mailingTo(mails))
	s.App.SendThrough(gone{})
	ctx, st, account, project := t.Context(), s.App.Store(), s.Setup.AccountID, s.Setup.ProjectID
	who, member := addMember(t, s, "ann@example.test")
	_, owner := addPerson(t, s, "second@example.test", accounts.Owner)
	stranger := visitor.New(t, s)
	w := watch(t, s)

	for _, c := range []struct {
		words, to string
		reader    *follower // nil: a visitor who is not signed in
		prefix    string    // of one of the addresses
		cause     func()
	}{
		{"invited you to join Acme", "new@example.test", nil, "/invitations/", func() {
			s.Post("/v2/accounts/"+account+"/invitations", map[string]any{"invitation": map[string]any{"email": "new@example.test"}}).Want(http.StatusCreated)
		}},
		{"invited you to join the team", "team@example.test", nil, "/invitations/", func() {
			team := must[int64](t)(st.Accounts.CreateTeam(ctx, s.Clock.Now(), account, "Crew", []int64{project}, nil))
			s.Post(fmt.Sprintf("/v2/teams/%d/team_invitations", team), map[string]any{"team_invitation": map[string]any{"email": "team@example.test", "message": "Come."}}).Want(http.StatusCreated)
		}},
		{"Choose a new password", "ann@example.test", nil, "/reset/", func() { stranger.Post("/forgot", "email", "ann@example.test").Want(http.StatusSeeOther) }},
		{"personal token", "ann@example.test", &member, "/me/tokens", func() {
			member.Post("/me/tokens", "name", "CI", "scope", "read", "days", "30").Want(http.StatusOK)
		}},
		{"passkey was added", "ann@example.test", &member, "/me/security", func() {
			if err := st.Accounts.CreatePasskey(ctx, s.Clock.Now(), signin.ByOperator(who), signin.Passkey{Name: "Phone", CredentialID: []byte("c"), Handle: []byte("h"), PublicKey: []byte("k")}); err != nil {
				t.Fatal(err)
			}
		}},
		{"Delivery to WebHook", "owner@example.test", &owner, "/projects/", func() {
			s.Post(fmt.Sprintf("/v2/projects/%d/integrations", project), map[string]any{"integration": map[string]any{
				"type": "WebHook", "options": map[string]any{"url": "https://gone.test/hook"},
			}}).Want(http.StatusCreated)
			s.Post("/v1/notices", boom).Want(http.StatusCreated)
		}},
		{"Daily digest", "ann@example.test", &member, "/unsubscribe/", func() {
			if err := st.Deliveries.UpdatePersonalAlerts(ctx, s.Clock.Now(), who, project, alerts.PersonalAlertsChange{Digest: sett.Some("daily")}); err != nil {
				t.Fatal(err)
			}
			w.raiseAll(who, func() {})
			s.Clock.Push(24 * time.Hour)
			digester := &notify.Digester{Intake: st.Intake, Deliveries: st.Deliveries, Now: s.Clock.Now, Log: slog.New(slog.DiscardHandler)}
			if _, err := digester.Loop().Work(ctx); err != nil {
				t.Fatal(err)
			}
		}},
		{"password for sett was changed", "ann@example.test", &member, "/forgot", func() {
			member.Post("/me/security/password", "password", "seven lonely walruses", "new_password", "eight merry walruses").Want(http.StatusSeeOther)
		}},
	} {
		t.Run(c.words, func(t *testing.T) {
			c.cause()
			out := newHandedOut(s)
			out.readMail(t, await(t, mails, c.to, c.words))
			out.enough(t, 1, c.prefix)
			out.followAs(t, s, c.reader)
		})
	}
}

// gone is a transport to receivers that have gone.
type gone struct{}

// RoundTrip answers that the address is permanently gone.
func (gone) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusGone, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}
