package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/app/client"
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
	check(s.token+"\n", 0, "profile lab", "login", address, "--with-token", "--profile", "lab")
	check("", 0, "profile lab is deleted", "logout")
	check("", 0, "admin@example.com", "whoami")
	check("", 0, "profile default is deleted", "logout")
	check("", 0, "not signed in", "logout")
	check("", 4, "sett login", "whoami")
}

// A real server gives a code, and says that it was not typed yet.
func TestSignInByACode(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	requests, code := 0, client.Code{}
	server := client.Server{Address: "http://" + s.addr, Do: func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
		if requests++; requests == 2 { // it has asked for the answer once
			cancel()
		}
		return response, err
	}}
	_, err := server.SignIn(ctx, "laptop", func(c client.Code) { code = c })
	if !errors.Is(err, context.Canceled) || requests != 2 || len(code.Text) != 9 || code.Where != "http://"+s.addr+"/oauth/device" || !strings.HasSuffix(code.Complete, code.Text) {
		t.Errorf("%v after %d requests, %+v", err, requests, code)
	}
}
