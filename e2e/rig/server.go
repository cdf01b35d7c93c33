package rig

import (
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/program"
)

// Server is a sett with a data directory of its own, set up as an operator does it.
type Server struct {
	*Process
	Credentials
	Data  string // the directory
	Base  string // "http://127.0.0.1:41234"; another one after every restart
	Flags []string

	Storage []string // those of the flags that say where the database is
}

// Credentials is what "sett setup --json" prints.
type Credentials struct {
	AccountID string `json:"account_id"`
	UserID    int64  `json:"user_id"`
	AuthToken string `json:"auth_token"`
	ProjectID int64  `json:"project_id"`
	APIKey    string `json:"api_key"`
}

// Start sets up a sett and serves it until the test ends. The database is a PostgreSQL address, or "" for SQLite.
func Start(t testing.TB, database string) *Server {
	t.Helper()
	s := Prepare(t, database)
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	return s
}

// Prepare sets up a sett that does not serve yet.
func Prepare(t testing.TB, database string) *Server {
	t.Helper()
	return PrepareIn(t, t.TempDir(), database)
}

// PrepareIn is prepare in a directory, with more flags that say where the database is.
func PrepareIn(t testing.TB, data, database string, more ...string) *Server {
	t.Helper()
	storage := []string{"--data", data}
	if database != "" {
		storage = append(storage, "--database", database)
	}
	storage = append(storage, more...)
	return &Server{Credentials: Setup(t, append(slices.Clip(storage), "--password", OwnersPassword)), Data: data, Flags: append(slices.Clip(storage), "--api-rate-limit", "0"), Storage: storage}
}

// Restart begins the next life of the server; the one before must have ended.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.Process = Launch(t, s.Flags...)
	s.Base = s.Await(t)
}

// Setup makes the account, the owner and the first project of a server, as an operator does.
func Setup(t testing.TB, storage []string) (c Credentials) {
	t.Helper()
	cmd := program.Bounded(Binary, append([]string{"setup", "--json"}, storage...)...)
	cmd.Env = Environment()
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("sett setup: %v: %s", err, failed.Stderr)
	}
	if err != nil {
		t.Fatalf("sett setup: %v", err)
	}
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("sett setup --json printed no JSON object: %v\n%s", err, out)
	}
	return c
}

// Manage returns a client of the management interface that speaks as the owner.
func (s *Server) Manage(t testing.TB) Manager { return As(t, s.Base, s.AuthToken) }

// Project is the path of the first project in the management interface.
func (s *Server) Project() string { return "/v2/projects/" + strconv.FormatInt(s.ProjectID, 10) }

// DurablePostgres runs a PostgreSQL server of the test's own, with fsync, and returns the address of its database.
func DurablePostgres(t testing.TB) (dsn string) {
	t.Helper()
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Options{Durable: true})
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Errorf("stop PostgreSQL: %v", err)
		}
	})
	return cluster.DSN()
}

// What the owner of an account signs in with.
const (
	OwnersEmail    = "admin@example.com"
	OwnersPassword = "seven lonely walruses"
)
