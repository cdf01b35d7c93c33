package channel

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/dial"
	"sett/internal/setttest/mailserver"
)

var hello = Mail{
	ID: "mail.7.1795003200000000@sett.example.org", To: "ann@example.test", Date: time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC),
	Subject: "Grüße = all", Text: "Hello Ann,\n\n.\nread https://sett.example.org/reset/abc?x=1\n", HTML: "<p>Hello <b>Ann</b></p>\n",
}

var sender = mail.Address{Name: "Sett, the server", Address: "sett@sett.example.org"}

// emailTo returns an Email that hands mails in at a test's server, with the login in its address.
func emailTo(t *testing.T, s *mailserver.Server, scheme, login, query string) *Email {
	t.Helper()
	server, err := ParseMailServer(scheme + "://" + login + s.Addr + query)
	if err != nil {
		t.Fatal(err)
	}
	return NewEmail(EmailOptions{Server: server, From: sender, Dialer: dial.New(dial.Anywhere()), Roots: s.Roots})
}

func TestSendMail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options              mailserver.Options
		scheme, login, query string
	}{
		"STARTTLS":              {mailserver.Options{}, "smtp", "", ""},
		"STARTTLS and a login":  {mailserver.Options{User: "ann", Password: "p@ss"}, "smtp", "ann:p%40ss@", ""},
		"TLS from the start":    {mailserver.Options{ImplicitTLS: true}, "smtps", "", ""},
		"TLS and a login":       {mailserver.Options{ImplicitTLS: true, User: "ann", Password: "pass"}, "smtps", "ann:pass@", ""},
		"no TLS":                {mailserver.Options{NoTLS: true}, "smtp", "", "?tls=none"},
		"no TLS and a login":    {mailserver.Options{NoTLS: true, User: "ann", Password: "pass"}, "smtp", "ann:pass@", "?tls=none"},
		"a login for everybody": {mailserver.Options{User: "", Password: ""}, "smtp", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailserver.Start(t, c.options)
			if err := emailTo(t, s, c.scheme, c.login, c.query).Send(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			mails := s.Mails()
			if len(mails) != 1 {
				t.Fatalf("%d mails arrived, want 1", len(mails))
			}
			checkHello(t, mails[0])
		})
	}
}

func checkHello(t *testing.T, m mailserver.Mail) {
	t.Helper()
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil {
		t.Error(err)
	}
	got := map[string]string{
		"envelope": m.From + " " + m.To, "From": m.Header.Get("From"), "To": m.Header.Get("To"), "Subject": subject,
		"Message-ID": m.Header.Get("Message-ID"), "Date": m.Header.Get("Date"), "Auto-Submitted": m.Header.Get("Auto-Submitted"),
	}
	for kind, text := range partsOf(t, m) {
		got[kind] = text
	}
	want := map[string]string{
		"envelope": "sett@sett.example.org ann@example.test", "From": `"Sett, the server" <sett@sett.example.org>`, "To": "<ann@example.test>",
		"Subject": hello.Subject, "Message-ID": "<" + hello.ID + ">", "Date": "Wed, 18 Nov 2026 12:00:00 +0000",
		"Auto-Submitted": "auto-generated", "text/plain": hello.Text, "text/html": hello.HTML,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mail (-want +got):\n%s", diff)
	}
}

// partsOf returns the parts of a multipart/alternative mail by their media types, decoded.
func partsOf(t *testing.T, m mailserver.Mail) map[string]string {
	t.Helper()
	media, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || media != "multipart/alternative" {
		t.Fatalf("media type %s, %v", media, err)
	}
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, params["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(p))
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := mime.ParseMediaType(p.Header.Get("Content-Type"))
		parts[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

// What the server says decides whether another try is of use.
func TestSendMailFails(t *testing.T) {
	t.Parallel()
	refuse := func(code int, message string) mailserver.Options {
		return mailserver.Options{Answer: func(string) error { return mailserver.Refuse(code, message) }}
	}
	for name, c := range map[string]struct {
		options              mailserver.Options
		scheme, login, query string
		permanent            bool
		problem              string
	}{
		"no such person":      {refuse(550, "no user of that name"), "smtp", "", "", true, "the mail server returned 550 5.0.0 no user of that name"},
		"greylisted":          {refuse(451, "come back later"), "smtp", "", "", false, "the mail server returned 451 4.0.0 come back later"},
		"mailbox full":        {refuse(452, "no room"), "smtp", "", "", false, "the mail server returned 452 4.0.0 no room"},
		"wrong password":      {mailserver.Options{User: "ann", Password: "pass"}, "smtp", "ann:hush@", "", false, "the mail server returned 535 5.7.8 Authentication failed; correct the user and password in SETT_SMTP_URL"},
		"a login is missing":  {mailserver.Options{User: "ann", Password: "pass"}, "smtp", "", "", false, "the mail server returned 530 5.0.0 Authentication required; correct the user and password in SETT_SMTP_URL"},
		"a login for nothing": {mailserver.Options{}, "smtp", "ann:hush@", "", false, "the mail server supports none of the login methods of sett (AUTH with SCRAM-SHA-256, PLAIN or LOGIN): correct SETT_SMTP_URL"},
		"no STARTTLS":         {mailserver.Options{NoTLS: true}, "smtp", "ann:hush@", "", false, "the mail server does not support STARTTLS: correct SETT_SMTP_URL, for example with smtps:// for implicit TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailserver.Start(t, c.options)
			err := emailTo(t, s, c.scheme, c.login, c.query).Send(t.Context(), hello)
			checkFailure(t, err, c.permanent, c.problem)
			if err.Error() != c.problem {
				t.Errorf("%v, want %s", err, c.problem)
			}
			if n := len(s.Mails()); n != 0 {
				t.Errorf("%d mails were taken", n)
			}
		})
	}
}

func checkFailure(t *testing.T, err error, permanent bool, problem string) {
	t.Helper()
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		t.Fatalf("got %v, want a Failure", err)
	}
	if f.Permanent != permanent || !strings.Contains(f.Problem, problem) || strings.Contains(f.Problem, "hush") || strings.ContainsAny(f.Problem, "\r\n") {
		t.Errorf("permanent %v: %q; want %v, %q in it, on one line, and no password", f.Permanent, f.Problem, permanent, problem)
	}
}

// An untrusted certificate of a server ends the connection before the password is sent.
func TestSendMailTrustsNoStranger(t *testing.T) {
	t.Parallel()
	for scheme, o := range map[string]mailserver.Options{"smtp": {User: "ann", Password: "pass"}, "smtps": {User: "ann", Password: "pass", ImplicitTLS: true}} {
		s := mailserver.Start(t, o)
		s.Roots = x509.NewCertPool()
		checkFailure(t, emailTo(t, s, scheme, "ann:pass@", "").Send(t.Context(), hello), false, "the mail server cannot be reached: the certificate is signed by an unknown authority")
	}
}

func TestSendMailToAServerThatIsDown(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailserver.Server{Addr: listener.Addr().String()}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	checkFailure(t, emailTo(t, s, "smtp", "", "").Send(t.Context(), hello), false, "the mail server cannot be reached: connection refused")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checkFailure(t, emailTo(t, s, "smtp", "", "").Send(ctx, hello), false, "the mail server cannot be reached: the attempt was canceled")
}

// Addresses, subjects and names cannot inject headers or commands.
func TestSendMailRefusesInjection(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	e := emailTo(t, s, "smtp", "", "")
	for name, change := range map[string]func(*Mail){
		"header in the address":     func(m *Mail) { m.To = "ann@example.test\r\nBcc: all@example.test" },
		"command in the address":    func(m *Mail) { m.To = "ann@example.test>\r\nRCPT TO:<all@example.test" },
		"two addresses":             func(m *Mail) { m.To = "ann@example.test, ben@example.test" },
		"name beside the address":   func(m *Mail) { m.To = "Ann <ann@example.test>" },
		"no address":                func(m *Mail) { m.To = "" },
		"header in the subject":     func(m *Mail) { m.Subject = "Hello\r\nBcc: all@example.test" },
		"line feed in the subject":  func(m *Mail) { m.Subject = "Hello\nBcc: all@example.test" },
		"NUL in the subject":        func(m *Mail) { m.Subject = "Hello\x00" },
		"header in the Message-ID":  func(m *Mail) { m.ID = "x@y>\r\nBcc: all@example.test" },
		"bracket in the Message-ID": func(m *Mail) { m.ID = "x@y>" },
		"no Message-ID":             func(m *Mail) { m.ID = "" },
	} {
		m := hello
		change(&m)
		err := e.Send(t.Context(), m)
		if f, ok := errors.AsType[*Failure](err); !ok || !f.Permanent {
			t.Errorf("%s: %v, want a permanent Failure", name, err)
		}
	}
	if n := len(s.Mails()); n != 0 {
		t.Errorf("%d mails were taken", n)
	}
}

func TestPrintMail(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	e := NewEmail(EmailOptions{Server: MailServer{Print: true}, From: sender, Output: &printed})
	if err := e.Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	want := `--- mail ---
Message-ID: <mail.7.1795003200000000@sett.example.org>
From: "Sett, the server" <sett@sett.example.org>
To: ann@example.test
Subject: Grüße = all

Hello Ann,

.
read https://sett.example.org/reset/abc?x=1
--- end of mail ---
`
	if diff := cmp.Diff(want, printed.String()); diff != "" {
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

func TestFailureIsOneShortLine(t *testing.T) {
	t.Parallel()
	f := failure(false, "550 no\r\n\tway \x1b[31m\xff "+strings.Repeat("ü", 600))
	if strings.ContainsAny(f.Problem, "\r\n\t\x1b") || len(f.Problem) > maxProblem || strings.ToValidUTF8(f.Problem, "") != f.Problem {
		t.Errorf("%q", f.Problem)
	}
	if !strings.HasPrefix(f.Problem, "550 no way [31m") {
		t.Errorf("%q", f.Problem)
	}
}
