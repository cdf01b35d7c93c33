package chaos

import (
	"net/http"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
)

// TestLateDatabase starts a server while PostgreSQL does not respond. It must accept the reports of clients that it knows from before, ask all others to
// come again, and serve everything once PostgreSQL responds, without another start. A server that knows no one must not start.
func TestLateDatabase(t *testing.T) {
	t.Parallel()
	wire := newLossyWire(t, rig.DurablePostgres(t))
	s := rig.Prepare(t, wire.dsn)
	s.Restart(t)
	l := load.New(s.APIKey)
	l.Pause = 50 * time.Millisecond
	end := l.Begin(s.Base)
	l.Await(t, 10)
	end()
	s.Stop(t)

	wire.cut(true)
	s.Restart(t)
	end = l.Begin(s.Base)
	l.Await(t, 100)
	wantSpooling(t, s)
	for path, key := range map[string]string{"/v1/notices/": "an-unknown-key", "/v2/projects": ""} {
		method := map[bool]string{true: "GET", false: "POST"}[key == ""]
		if status, wait := rig.Ask(t, s, method, path, key); status != http.StatusServiceUnavailable || wait == "" {
			t.Errorf("%s %s: %d, Retry-After %q; want 503 and a time", method, path, status, wait)
		}
	}
	s.Kill()
	end()
	s.Restart(t)
	end = l.Begin(s.Base)
	l.Await(t, 100)
	wire.cut(false)
	l.Await(t, 100)
	end()
	t.Log(load.Prove(t, s, l))
	s.Stop(t)

	wire.cut(true)
	stranger := rig.Launch(t, "--database", wire.dsn, "--data", t.TempDir())
	if stranger.AwaitEnd(t); stranger.Err == nil {
		t.Error("a server that has never seen its database waits for it")
	}
}
