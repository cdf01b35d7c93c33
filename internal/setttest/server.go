// Package setttest is for tests only: it runs a whole server in this process, on a temporary SQLite file or on a PostgreSQL database of its
// own. The test moves the clock. A client compares every answer with the OpenAPI document. Each server has an account, an owner, a project
// and their credentials. It never fakes a part of sett.
package setttest

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/pgcluster"
	"sett/internal/store/accountdb"
)

// Server is a running sett.
type Server struct {
	*Client // of the owner
	App     *app.App
	Clock   *Clock
	Setup   operate.SetupResult
	Config  app.Config

	stop sync.Once
}

// PasswordCost is the cost at which a Server hashes passwords: next to none.
var PasswordCost = auth.Cost{Memory: 64, Passes: 1, Lanes: 1}

// Each runs f as a subtest on every engine, each on a server of its own.
func Each(t *testing.T, f func(t *testing.T, s *Server), options ...func(*app.Config)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, Start(t, engine, options...))
		})
	}
}

// Start starts a server on the named engine, "sqlite" or "postgres"; it stops when the test ends.
func Start(t testing.TB, engine string, options ...func(*app.Config)) *Server {
	t.Helper()
	return StartLogged(t, engine, slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError})), options...)
}

// StartLogged is Start of a server with a log of the test.
func StartLogged(t testing.TB, engine string, log *slog.Logger, options ...func(*app.Config)) *Server {
	t.Helper()
	cfg, err := app.LoadConfig(app.Sources{Flags: map[string]string{"listen": "127.0.0.1:0", "log-level": "error"}})
	if err != nil {
		t.Fatal(err)
	}
	cfg.APIRateLimit = 0
	cfg.Location = "none" // sites of tests are mostly names that must not be looked up
	cfg.Resolver = silent(t)
	if engine == "postgres" {
		cfg.Data, cfg.Database = t.TempDir(), fresh.Postgres(t).Database
	} else {
		cfg.Data = fresh.Dir(t)
	}
	for _, o := range options {
		o(&cfg)
	}
	if cfg.KeyFile == "" {
		cfg.KeyFile = pgcluster.KeyFile(cfg.Database) // servers of one database share it
	}
	clock := NewClock()
	setup, err := operate.Setup(t.Context(), cfg.Installation(), operate.SetupOptions{Email: "owner@example.test", Name: "Olga Owner", Account: "Acme", Project: "Shop"})
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), cfg, log, app.WithClock(clock.Now), app.WithPasswordCost(PasswordCost))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	s := &Server{App: a, Clock: clock, Setup: setup, Config: cfg}
	t.Cleanup(func() { s.Stop(t) })
	s.Client = newClient(t, a.BaseURL(), setup.AuthToken)
	s.Client.Key = setup.APIKey
	return s
}

// Moved starts a server on a database that data of this server was brought to. It has the same clock, users and keys.
func (s *Server) Moved(t testing.TB, cfg app.Config) *Server {
	t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	a, err := app.New(t.Context(), cfg, log, app.WithClock(s.Clock.Now), app.WithPasswordCost(PasswordCost))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	moved := &Server{App: a, Clock: s.Clock, Setup: s.Setup, Config: cfg}
	t.Cleanup(func() { moved.Stop(t) })
	moved.Client = newClient(t, a.BaseURL(), s.Token)
	moved.Client.Key = s.Client.Key
	return moved
}

// silent returns the address of a name server that never answers: domains of status pages stay as they are, and nothing
// leaves this machine.
func silent(t testing.TB) string {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.LocalAddr().String()
}

// Stop stops the server before the test ends.
func (s *Server) Stop(t testing.TB) {
	s.stop.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := s.App.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
}

// AddUser makes another user of the account and returns their client.
func (s *Server) AddUser(t testing.TB, email string, role accounts.Role) (*Client, int64) {
	t.Helper()
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: email, Name: email, Role: role,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.clientOf(t, id), id
}

// AddStranger makes the owner of another account and returns their client.
func (s *Server) AddStranger(t testing.TB, email string) *Client {
	t.Helper()
	_, user, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others of "+email, accountdb.NewUser{Email: email, Name: email})
	if err != nil {
		t.Fatal(err)
	}
	return s.clientOf(t, user)
}

func (s *Server) clientOf(t testing.TB, user int64) *Client {
	t.Helper()
	token := sett.NewUserToken()
	if err := s.App.Store().Accounts.CreateToken(t.Context(), s.Clock.Now(), user, "test", auth.HashToken(token)); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, s.App.BaseURL(), token)
	c.Key = s.Setup.APIKey
	return c
}

// testWriter sends what the server logs to the test that it runs in.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(line []byte) (int, error) {
	w.t.Helper()
	if w.t.Context().Err() == nil { // a test that has ended takes no more
		w.t.Log(string(line))
	}
	return len(line), nil
}

// Clock is a time that stands still until it is pushed.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a Clock that stands at the beginning of a full minute, in the middle of a month and a day.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Push moves the time forward.
func (c *Clock) Push(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
