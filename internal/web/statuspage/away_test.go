package statuspage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/setttest/fresh"
)

// When the store is closed, nothing can be read: pages are shown from their last rendering.
func TestLastRenderingOutlivesTheDatabase(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		s.add("Shop")
		s.round()
		if err := s.DB.Close(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s.now = s.now.Add(time.Hour)
			s.round()
			for _, path := range []string{"", ".json", "/history", "/feed.atom", "/badge.svg"} {
				s.get("/status/shop"+path, 200, "Shop")
			}
			if s.dsn == "" {
				s.get("/status/unknown", 404)
			} else { // another node may have created it
				s.get("/status/unknown", 503, "Status pages cannot be read at the moment")
			}
		}
		if n := strings.Count(s.logged.String(), "status pages cannot be updated"); n != 1 {
			t.Errorf("logged %d times: %s", n, s.logged)
		}
		never := newCached("x")
		x := *s.index.Load()
		x.slugs = map[string]*cached{"never": never}
		s.index.Store(&x)
		s.get("/status/never", 503, "The current status is not available")
	})
}

func TestNothingIsKnownYet(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.SQLite(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if x := s.known(ctx); len(x.slugs) != 0 {
		t.Error(x)
	}
	if err := s.noPage(true); sett.CodeOf(err) != sett.Unavailable {
		t.Error(err)
	}
	s.add("Shop")
	asked := make(chan int)
	go func() { asked <- ask(t, s.mux, "GET", "/status/shop", "").Code }()
	s.round()
	if code := <-asked; code != 200 {
		t.Errorf("who asked before the first round got %d", code)
	}
}

// A database that comes back is asked at once, and what it says is shown.
func TestDatabaseComesBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.Postgres(t))
	id, _ := s.add("Shop")
	s.round()
	s.allow(t, false)
	s.now = s.now.Add(time.Hour)
	s.round()
	s.get("/status/shop", 200, "Shop")
	s.allow(t, true)
	s.now = s.now.Add(readBackoff)
	var err error // of connections that were kept and have ended, at first
	for err = errUnavailable(); sett.CodeOf(err) == sett.Unavailable; {
		err = s.Status.UpdateStatusPage(t.Context(), s.now, s.account, id, status.StatusPageRules{}, status.StatusPageChange{Name: sett.Some("Store")})
	}
	if err != nil {
		t.Fatal(err)
	}
	for s.round(); s.unhealthy.Load(); {
		s.round()
	}
	s.get("/status/shop", 200, "<h1>Store</h1>")
	if !strings.Contains(s.logged.String(), "status pages are up to date again") {
		t.Errorf("logged %s", s.logged)
	}
}

// allow lets the scene's database take connections, or ends those that there are.
func (s *scene) allow(t *testing.T, allowed bool) {
	t.Helper()
	config, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := config.Database
	config.Database = "postgres"
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", pgx.Identifier{name}.Sanitize(), allowed)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1 AND NOT $2", name, allowed); err != nil {
		t.Fatal(err)
	}
}

// While one request retries a failed database, all others are shown the last rendering immediately.
func TestOnlyOneRequestWaitsForADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPages(t)
		show(t, p, fullView())
		page := p.index.Load().pages[0]
		p.Now = func() time.Time { return noon.Add(time.Hour) }
		page.failed.Store(noon.UnixMilli())
		page.turn <- struct{}{}
		began := time.Now()
		if d, err := p.freshRendering(t.Context(), page); err != nil || d != page.rendered.Load() || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		page.failed.Store(0)
		if _, err := p.freshRendering(t.Context(), page); err != nil || time.Since(began) != readTimeout {
			t.Errorf("of one that has answered: %v after %v", err, time.Since(began))
		}
	})
}

// A database that did not answer is left alone for a moment: not every visitor waits for it. A clock that is set back does not make the moment long.
func TestDatabaseRests(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.SQLite(t))
	s.add("Shop")
	s.round()
	page := s.index.Load().pages[0]
	if err := s.DB.Close(); err != nil {
		t.Fatal(err)
	}
	s.now = noon.Add(time.Hour)
	for _, step := range []struct{ after, asked time.Duration }{
		{0, 0}, {readBackoff - time.Millisecond, 0}, {readBackoff, readBackoff}, {-30 * time.Minute, -30 * time.Minute},
	} {
		s.now = noon.Add(time.Hour + step.after)
		s.get("/status/shop", 200)
		if want := noon.Add(time.Hour + step.asked).UnixMilli(); page.failed.Load() != want {
			t.Errorf("%v after it did not answer, it was last asked at %d, want %d", step.after, page.failed.Load(), want)
		}
	}
}

// While it takes long to read which pages there are, a known page is shown, and nothing says that an unknown one does not exist.
func TestUnknownPageIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.Postgres(t))
	s.add("Shop")
	s.round()
	s.learning.Lock()
	s.add("New")
	s.get("/status/shop", 200, "Shop")
	s.get("/status/new", 503, "Status pages cannot be read at the moment")
	s.learning.Unlock()
	for !s.upToDate(t.Context(), catchUpTimeout) {
	}
	s.get("/status/new", 200, "New")
}
