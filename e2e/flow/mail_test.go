package flow

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

// postbox takes what a sett with --smtp-url stdout: prints, and keeps every mail until a test asks for it.
type postbox struct {
	mu    sync.Mutex
	rest  []byte // of which no end has come yet
	mails []string
	came  chan struct{} // closed with every mail
}

func newPostbox() *postbox { return &postbox{came: make(chan struct{})} }

func (p *postbox) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, b...)
	for {
		mail, rest, whole := bytes.Cut(p.rest, []byte("--- end of mail ---\n"))
		if !whole {
			return len(b), nil
		}
		p.mails = append(p.mails, string(mail))
		p.rest = bytes.Clone(rest)
		close(p.came)
		p.came = make(chan struct{})
	}
}

// mail returns the first mail to a user that has all of the texts, once it is there.
func (p *postbox) mail(t testing.TB, to string, texts ...string) string {
	t.Helper()
	late := time.After(time.Minute)
	for {
		p.mu.Lock()
		mails, came := p.mails, p.came
		p.mu.Unlock()
		for _, mail := range mails {
			if strings.Contains(mail, "\nTo: "+to+"\n") && hasAll(mail, texts) {
				return mail
			}
		}
		select {
		case <-came:
		case <-late:
			t.Fatalf("no mail to %s with %q within a minute; there are %q", to, texts, mails)
		}
	}
}

// link returns the line with an address that begins so, of the first mail to a user that has one.
func (p *postbox) link(t testing.TB, to, begin string) string {
	t.Helper()
	for line := range strings.Lines(p.mail(t, to, "\n"+begin)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, begin) {
			return line
		}
	}
	return ""
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
