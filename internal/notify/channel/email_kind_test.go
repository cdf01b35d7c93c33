package channel

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest/mailserver"
)

// mailTo sends a message to addresses by the kind Email.
func mailTo(t *testing.T, tools Tools, addresses string, m Message) error {
	t.Helper()
	k, _ := Find("Email")
	_, err := k.Make(tools, Values{"addresses": addresses}).Send(t.Context(), m)
	return err
}

func TestEmailKind(t *testing.T) {
	t.Parallel()
	s := mailserver.Start(t, mailserver.Options{})
	tools := Tools{Email: emailTo(t, s, "smtp", "", ""), Letter: func(m Message) (string, string, string, error) {
		return m.Title + "\r\nBcc: all@example.test", "text of " + m.ID, "<p>html</p>", nil
	}}
	if err := mailTo(t, tools, "ann@example.test, ben@example.test,ann@example.test", samples()["up"]); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, m := range s.Mails() {
		parts := partsOf(t, m)
		got[m.To] = []string{m.Header.Get("Message-ID"), m.Header.Get("Subject"), m.Header.Get("Date"), m.Header.Get("Bcc"), parts["text/plain"], parts["text/html"]}
	}
	mail := []string{"<msg_3@sett.example.org>", "Front page is back up Bcc: all@example.test", "Wed, 18 Nov 2026 12:01:00 +0000", "", "text of msg_3", "<p>html</p>"}
	if diff := cmp.Diff(map[string][]string{"ann@example.test": mail, "ben@example.test": mail}, got); diff != "" || len(s.Mails()) != 2 {
		t.Errorf("%d mails (-want +got):\n%s", len(s.Mails()), diff)
	}
}

// A retry for one address does not send the mail again to those that have it; a user who sends a message again
// means all of them.
func TestEmailKindTriesOnlyWhoHasToWait(t *testing.T) {
	t.Parallel()
	var answers sync.Map
	answers.Store("ben@example.test", 451)
	s := mailserver.Start(t, mailserver.Options{Answer: func(to string) error {
		if code, ok := answers.Load(to); ok {
			return mailserver.Refuse(code.(int), "later")
		}
		return nil
	}})
	tools := Tools{Email: emailTo(t, s, "smtp", "", "")}
	try := func(n int) error {
		m := samples()["down"]
		m.Try = n
		return mailTo(t, tools, "ann@example.test,ben@example.test", m)
	}
	checkFailure(t, try(1), false, "failed: ben@example.test")
	checkFailure(t, try(2), false, "failed: ben@example.test")
	answers.Delete("ben@example.test")
	if err := try(3); err != nil || len(s.Mails()) != 2 {
		t.Errorf("%v, and %d mails", err, len(s.Mails()))
	}
	if err := try(1); err != nil || len(s.Mails()) != 4 {
		t.Errorf("sent again: %v, and %d mails", err, len(s.Mails()))
	}
}

// One address that is refused does not keep the mail from the others.
func TestEmailKindPartly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		codes     map[string]int
		permanent bool
		says      []string // empty: all is well
	}{
		"one refused":             {map[string]int{"ben@example.test": 550}, true, []string{"sent to 2 of 3 addresses; failed: ben@example.test: ", "550"}},
		"all refused":             {map[string]int{"ann@example.test": 550, "ben@example.test": 553, "cid@example.test": 550}, true, []string{"ann@example.test: ", "ben@example.test: ", "cid"}},
		"one has to wait":         {map[string]int{"ben@example.test": 451}, false, []string{"sent to 2 of 3 addresses; failed: ben@example.test: "}},
		"one refused, one waits":  {map[string]int{"ann@example.test": 550, "ben@example.test": 451}, false, []string{"1 of 3 addresses", "ann@example.test: ", "ben@example.test: "}},
		"none refused, none wait": {nil, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mailserver.Start(t, mailserver.Options{Answer: func(to string) error {
				if code := c.codes[to]; code > 0 {
					return mailserver.Refuse(code, "no")
				}
				return nil
			}})
			err := mailTo(t, Tools{Email: emailTo(t, s, "smtp", "", "")}, "ann@example.test,ben@example.test,cid@example.test", samples()["down"])
			for _, words := range c.says {
				checkFailure(t, err, c.permanent, words)
			}
			if (err == nil) != (len(c.says) == 0) || len(s.Mails()) != 3-len(slices.Collect(maps.Keys(c.codes))) {
				t.Errorf("%v, and %d mails", err, len(s.Mails()))
			}
		})
	}
}

func TestEmailKindWithoutMail(t *testing.T) {
	t.Parallel()
	checkFailure(t, mailTo(t, Tools{}, "ann@example.test", samples()["up"]), true, "email is off: the operator of this server can turn it on with SETT_SMTP_URL")
	tools := Tools{
		Email:  NewEmail(EmailOptions{Server: MailServer{Print: true}, From: sender, Output: &bytes.Buffer{}}),
		Letter: func(Message) (string, string, string, error) { return "", "", "", errors.New("template: internal") },
	}
	err := mailTo(t, tools, "ann@example.test", samples()["up"])
	checkFailure(t, err, true, "the email could not be composed")
	if strings.Contains(err.Error(), "template") {
		t.Errorf("%v shows internals of sett", err)
	}
}

// Without a template for mails, a mail contains the text that other services receive.
func TestPlainLetter(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	tools := Tools{Email: NewEmail(EmailOptions{Server: MailServer{Print: true}, From: sender, Output: &printed})}
	if err := mailTo(t, tools, "ann@example.test", samples()["down"]); err != nil {
		t.Fatal(err)
	}
	want := `--- mail ---
Message-ID: <msg_2@sett.example.org>
From: "Sett, the server" <sett@sett.example.org>
To: ann@example.test
Subject: [Shop] Front page is down

Front page is down

Shop

Expected 2xx status code -- got 503

Address: https://shop.example.org/?a=1&b=2

https://sett.example.org/projects/1/sites/1
--- end of mail ---
`
	if diff := cmp.Diff(want, printed.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
