package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest/pgcluster"
)

// wantMistake runs a command that must end with status 1 and one sentence, and nothing else, on stderr.
func wantMistake(t *testing.T, want string, args ...string) {
	t.Helper()
	status, stdout, stderr := try(nil, args...)
	if diff := cmp.Diff("sett: "+want+"\n", stderr); diff != "" {
		t.Errorf("sett %s: stderr (-want +got):\n%s", strings.Join(args, " "), diff)
	}
	if status != 1 || stdout != "" {
		t.Errorf("sett %s: status %d, stdout %q; want 1 and nothing", strings.Join(args, " "), status, stdout)
	}
}

func TestDataDirectoryThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const elsewhere = ", or choose another directory with --data (SETT_DATA)"
	dir := t.TempDir()
	file, garbage, taken := filepath.Join(dir, "file"), filepath.Join(dir, "garbage"), filepath.Join(dir, "taken")
	for _, made := range []error{
		os.WriteFile(file, nil, 0o600),
		os.Mkdir(garbage, 0o700),
		os.WriteFile(filepath.Join(garbage, "sett.db"), []byte(strings.Repeat("no database ", 100)), 0o600),
		os.MkdirAll(filepath.Join(taken, "sett.db"), 0o700),
	} {
		if made != nil {
			t.Fatal(made)
		}
	}
	tests := map[string]string{
		file:                         "the data directory %s cannot be created, because " + file + " is a file; move the file away",
		filepath.Join(file, "below"): "the data directory %s cannot be created, because " + file + " is a file; move the file away",
		garbage:                      "the file sett.db in the data directory %s is not a sett database; move it away",
		taken:                        "the database in the data directory %s cannot be opened for writing; make the directory and its files writable for the user that runs sett",
	}
	for data, want := range tests {
		for _, command := range []string{"serve", "setup", "migrate"} {
			wantMistake(t, fmt.Sprintf(want, data)+elsewhere, command, "--data", data)
		}
	}
}

func TestAddressThatCannotBeListenedOn(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	tests := map[string]string{
		taken.Addr().String(): "another program already listens on %s; stop it, or choose another address with --listen (SETT_LISTEN)",
		"192.0.2.1:80":        "the host of %s is not an address of this machine; choose one with --listen (SETT_LISTEN), or omit the host to listen on all addresses",
	}
	for address, want := range tests {
		data := t.TempDir()
		if status, _, stderr := try(nil, "migrate", "--data", data); status != 0 { // of which serve would write a line
			t.Fatal(stderr)
		}
		wantMistake(t, fmt.Sprintf(want, address), "serve", "--data", data, "--listen", address)
	}
}

func TestPostgresThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	const correct = "in --database (SETT_DATABASE)"
	wantMistake(t, "PostgreSQL at 127.0.0.1:1 does not respond; start it, or correct the address "+correct,
		"serve", "--data", t.TempDir(), "--database", "postgres://olga:hush@127.0.0.1:1/shop")

	u, err := url.Parse(pgcluster.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/missing"
	at := u.Host + u.Query().Get("host")
	wantMistake(t, `PostgreSQL at `+at+` does not have the database "missing"; create it with createdb, or use another one `+correct,
		"serve", "--data", t.TempDir(), "--database", u.String())
}

// A server is refused where it was never tried.
func TestServersOnWindows(t *testing.T) {
	t.Parallel()
	root := rootCommand(nil)
	for _, name := range []string{"serve", "demo"} {
		if cmd, _, err := root.Find([]string{name}); err != nil || cmd.PreRunE == nil {
			t.Errorf("sett %s runs on each system: %v", name, err)
		}
	}
	if err := noServer("windows"); err == nil || !strings.Contains(err.Error(), "use sett agent and sett run") {
		t.Errorf("on Windows: %v", err)
	}
	for _, system := range []string{"linux", "darwin"} {
		if err := noServer(system); err != nil {
			t.Errorf("on %s: %v", system, err)
		}
	}
}
