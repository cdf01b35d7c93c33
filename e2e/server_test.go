package e2e

import (
	"encoding/json"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"testing"

	"sett/internal/setttest/program"
)

// server is a sett with a data directory of its own, set up as an operator does it.
type server struct {
	*process
	credentials
	data  string // the directory
	base  string // "http://127.0.0.1:41234"; another one after every restart
	flags []string

	storage []string // those of the flags that say where the database is
}

// credentials is what "sett setup --json" prints.
type credentials struct {
	AccountID string `json:"account_id"`
	UserID    int64  `json:"user_id"`
	AuthToken string `json:"auth_token"`
	ProjectID int64  `json:"project_id"`
	APIKey    string `json:"api_key"`
}

// start sets up a sett and serves it until the test ends. The database is a PostgreSQL address, or "" for SQLite.
func start(t testing.TB, database string) *server {
	t.Helper()
	s := prepare(t, database)
	s.restart(t)
	t.Cleanup(func() { s.stop(t) })
	return s
}

// prepare sets up a sett that does not serve yet.
func prepare(t testing.TB, database string) *server {
	t.Helper()
	return prepareIn(t, t.TempDir(), database)
}

// prepareIn is prepare in a directory, with more flags that say where the database is.
func prepareIn(t testing.TB, data, database string, more ...string) *server {
	t.Helper()
	storage := []string{"--data", data}
	if database != "" {
		storage = append(storage, "--database", database)
	}
	storage = append(storage, more...)
	return &server{credentials: setup(t, append(slices.Clip(storage), "--password", ownersPassword)), data: data, flags: append(slices.Clip(storage), "--api-rate-limit", "0"), storage: storage}
}

// restart begins the next life of the server; the one before must have ended.
func (s *server) restart(t testing.TB) {
	t.Helper()
	s.process = launch(t, s.flags...)
	s.base = s.await(t)
}

func setup(t testing.TB, storage []string) (c credentials) {
	t.Helper()
	cmd := program.Bounded(settBinary, append([]string{"setup", "--json"}, storage...)...)
	cmd.Env = environment()
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

// manage returns a client of the management interface that speaks as the owner.
func (s *server) manage(t testing.TB) manager { return manager{t, s.base, s.AuthToken} }

// project is the path of the first project in the management interface.
func (s *server) project() string { return "/v2/projects/" + strconv.FormatInt(s.ProjectID, 10) }
