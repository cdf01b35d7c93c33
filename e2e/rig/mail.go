package rig

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// Mailbox takes what a sett with --smtp-url stdout: prints, mail by mail.
type Mailbox struct {
	mails chan string

	mu   sync.Mutex
	rest []byte // of which no end has come yet
}

// NewMailbox returns an empty mailbox, which is to be the standard output of a server.
func NewMailbox() *Mailbox { return &Mailbox{mails: make(chan string, 100)} }

func (m *Mailbox) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rest = append(m.rest, b...)
	for {
		mail, rest, whole := bytes.Cut(m.rest, []byte("--- end of mail ---\n"))
		if !whole {
			return len(b), nil
		}
		m.mails <- string(mail)
		m.rest = bytes.Clone(rest)
	}
}

// Link waits for the next mail and returns the link in it. A mail to someone else, and one without a link that begins so,
// fail the test.
func (m *Mailbox) Link(t testing.TB, to, begin string) string {
	t.Helper()
	select {
	case mail := <-m.mails:
		for line := range strings.Lines(mail) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, begin) && strings.Contains(mail, "\nTo: "+to+"\n") {
				return line
			}
		}
		t.Fatalf("no link to %s for %s in this mail:\n%s", begin, to, mail)
	case <-time.After(time.Minute):
		t.Fatal("no mail came within a minute")
	}
	return ""
}

// SubscriberLink finds the link of a subscriber in a mail.
var SubscriberLink = regexp.MustCompile(`http://\S+/subscribers/\w+`)
