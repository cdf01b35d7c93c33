package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who signs in needs neither the address nor the token again. The token is kept for its user alone, and sent to no other server.
func TestSignIn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	dir, address := t.TempDir(), "http://"+s.addr
	environ := []string{"XDG_CONFIG_HOME=" + dir}
	check := func(stdin string, want int, says string, args ...string) {
		t.Helper()
		status, stdout, stderr := tryWith(stdin, environ, args...)
		if status != want || !strings.Contains(stdout+stderr, says) || strings.Contains(stdout+stderr, s.token) {
			t.Errorf("%v: status %d, stdout %q, stderr %q; want %d and %q", args, status, stdout, stderr, want, says)
		}
	}
	check("", 4, "sett login", "whoami")
	check("wrong\n", 4, "or run sett login", "login", address, "--with-token")
	check("", 4, "/me/tokens", "login", address, "--with-token")
	check("", 2, "one address", "login", address, address)
	if _, err := os.Stat(filepath.Join(dir, "sett")); err == nil {
		t.Error("a refused token was kept")
	}
	check(s.token+"\n", 0, "Signed in to "+address+" as admin@example.com", "login", address+"/", "--with-token")
	check("", 0, "admin@example.com", "whoami")
	check("", 0, `"profile":"default"`, "whoami", "--json")
	check("", 0, "ID", "alarms", "list")
	check("", 4, "is missing", "whoami", "--server", "http://localhost:1")
	check("", 4, "run sett login", "whoami", "--auth-token", "wrong", "--server", address)
	check("", 4, `no profile "lab"`, "whoami", "--profile", "lab")
	for name, mode := range map[string]os.FileMode{"sett": 0o700, "sett/profiles.json": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	check(s.token+"\n", 1, "this session has no keyring", "login", address, "--with-token", "--token-store", "keyring")
	check(s.token+"\n", 0, "profiles.json, which only you can read", "login", address, "--with-token", "--token-store", "file")
	check(s.token+"\n", 0, "profile lab", "login", address, "--with-token", "--profile", "lab")
	check("", 0, "profile lab is deleted", "logout")
	check("", 0, "admin@example.com", "whoami")
	check("", 0, "profile default is deleted", "logout")
	check("", 0, "not signed in", "logout")
	check("", 4, "sett login", "whoami")
}
