package e2e

import (
	"net/http"
	"testing"
	"time"
)

// TestLateDatabase starts a server while PostgreSQL does not respond. It must accept the reports of clients that it knows from before, ask all others to
// come again, and serve everything once PostgreSQL responds, without another start. A server that knows no one must not start.
func TestLateDatabase(t *testing.T) {
	t.Parallel()
	wire := newLossyWire(t, durablePostgres(t))
	s := prepare(t, wire.dsn)
	s.restart(t)
	l := newLoad(s.APIKey)
	l.pause = 50 * time.Millisecond
	end := l.begin(s.base)
	l.await(t, 10)
	end()
	s.stop(t)

	wire.cut(true)
	s.restart(t)
	end = l.begin(s.base)
	l.await(t, 100)
	s.wantSpooling(t)
	for path, key := range map[string]string{"/v1/notices/": "an-unknown-key", "/v2/projects": ""} {
		method := map[bool]string{true: "GET", false: "POST"}[key == ""]
		if status, wait := ask(t, s, method, path, key); status != http.StatusServiceUnavailable || wait == "" {
			t.Errorf("%s %s: %d, Retry-After %q; want 503 and a time", method, path, status, wait)
		}
	}
	s.kill()
	end()
	s.restart(t)
	end = l.begin(s.base)
	l.await(t, 100)
	wire.cut(false)
	l.await(t, 100)
	end()
	t.Log(s.prove(t, l))
	s.stop(t)

	wire.cut(true)
	stranger := launch(t, "--database", wire.dsn, "--data", t.TempDir())
	if stranger.awaitEnd(t); stranger.err == nil {
		t.Error("a server that has never seen its database waits for it")
	}
}
