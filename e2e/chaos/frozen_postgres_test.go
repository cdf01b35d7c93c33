package chaos

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
)

// TestFrozenPostgres holds up everything on the way to PostgreSQL, without an error and without an end. The server must
// keep reports and ask all other clients to retry, and all must work again when the way is free. Without a spool, it must ask those who report
// to retry, too.
func TestFrozenPostgres(t *testing.T) {
	t.Run("with a spool", func(t *testing.T) { t.Parallel(); freeze(t, http.StatusCreated) })
	t.Run("without", func(t *testing.T) { t.Parallel(); freeze(t, http.StatusServiceUnavailable, "--spool-bytes", "0") })
}

func freeze(t *testing.T, reported int, settings ...string) {
	wire := newLossyWire(t, rig.DurablePostgres(t))
	s := rig.Prepare(t, wire.dsn)
	s.Flags = append(s.Flags, settings...)
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	if status, _ := rig.Ask(t, s, "POST", "/v1/notices", s.APIKey); status != http.StatusCreated {
		t.Fatalf("before: %d", status)
	}
	wire.still.Lock()
	var wg sync.WaitGroup
	for path, key := range map[string]string{"/v1/notices": s.APIKey, "/v1/notices/": "a-key-that-nobody-has", "/v2/projects": "", s.Project() + "/faults": ""} {
		method := map[bool]string{true: "GET", false: "POST"}[key == ""]
		wg.Go(func() {
			status, wait := rig.Ask(t, s, method, path, key)
			want := http.StatusServiceUnavailable
			if key == s.APIKey {
				want = reported
			}
			if status != want || want == http.StatusServiceUnavailable && wait == "" {
				t.Errorf("%s %s while the database is frozen: %d, Retry-After %q; want %d, and a time with 503", method, path, status, wait, want)
			}
		})
	}
	wg.Wait()
	wire.still.Unlock()
	for try := range 20 { // the connections that hung are given up and made anew
		if status, _ := rig.Ask(t, s, "POST", "/v1/notices", s.APIKey); status == http.StatusCreated {
			return
		}
		time.Sleep(time.Duration(try) * 50 * time.Millisecond)
	}
	t.Error("nothing is stored after the database has come back")
}
