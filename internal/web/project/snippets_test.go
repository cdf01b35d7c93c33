package project

import (
	"strings"
	"testing"
)

// The client for Node.js reports to the port of the scheme, whatever the URL says.
func TestBlockedPort(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://a.test": "", "http://a.test:80": "", "https://a.test": "", "https://a.test:443": "", "http://a.test:8080": "80", "https://a.test:8443/x": "443",
	} {
		for _, l := range languagesFor(url, 1, "key", "key") {
			if l.Word == "node" && l.Blocked != want || l.Word == "ruby" && l.Blocked != "" {
				t.Errorf("%s of %s: blocked port %q, want %q", l.Word, url, l.Blocked, want)
			}
		}
	}
}

// The client for Ruby knows no path, so that its page says what to do where the address has one.
func TestClientWithoutPath(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{"https://a.test": false, "https://a.test/": false, "https://a.test/sett": true} {
		for _, l := range languagesFor(url, 1, "key", "key") {
			if got := strings.Contains(l.Note, "cannot report to a URL with a path"); got != (want && l.Word == "ruby") {
				t.Errorf("%s of %s: note %q", l.Word, url, l.Note)
			}
		}
	}
}
