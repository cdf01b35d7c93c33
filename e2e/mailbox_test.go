package e2e

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// mailbox takes what a sett with --smtp-url stdout: prints, mail by mail.
type mailbox struct {
	mails chan string

	mu   sync.Mutex
	rest []byte // of which no end has come yet
}

func newMailbox() *mailbox { return &mailbox{mails: make(chan string, 100)} }

func (m *mailbox) Write(b []byte) (int, error) {
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

// link waits for the next mail and returns the link in it. A mail to someone else, and one without a link that begins so,
// fail the test.
func (m *mailbox) link(t testing.TB, to, begin string) string {
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
