package main

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sett/internal/app"
)

func TestDemoSignsInAndLeavesNothing(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := process(t, os.Args[0], "demo", "--short", "--listen", "127.0.0.1:0", "--now", "2026-11-18T12:00:00Z")
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(link, "/demo/") {
		t.Fatalf("printed %q, %v; want a link", link, err)
	}
	wantSignedIn(t, strings.TrimSpace(link))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the demo ended with %v: %s", err, said.String())
	}
	if !strings.Contains(said.String(), "a link to the demo follows") {
		t.Errorf("while it was made, the demo did not say so: %s", said.String())
	}
	if left, _ := filepath.Glob(tmp + "/sett-demo-*"); len(left) > 0 {
		t.Errorf("the demo left %v", left)
	}
}

// wantSignedIn follows a link as a browser does, and must come to a page of the owner; another link leads nowhere.
func wantSignedIn(t *testing.T, link string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	for address, want := range map[string]int{link + "x": http.StatusNotFound, link: http.StatusOK} {
		r, err := browser.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != want || want == http.StatusOK && r.Request.URL.Path != "/" {
			t.Errorf("%s leads to %s with %d, want %d", address, r.Request.URL, r.StatusCode, want)
		}
	}
	base, _, _ := strings.Cut(link, "/demo/")
	r, err := browser.Get(base + "/me/tokens")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Request.URL.Path != "/me/tokens" {
		t.Errorf("the visitor is not signed in: %s", r.Request.URL)
	}
}

func TestDemoRefusesOtherData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if status, _, stderr := try(nil, "migrate", "--data", dir); status != 0 {
		t.Fatal(stderr)
	}
	wantMistake(t, "the directory "+dir+" contains a database that is not a demo, or an incomplete demo; choose an empty directory with --data", "demo", "--data", dir)
	wantMistake(t, `--now="noon" is not a time; write one such as 2026-11-18T12:00:00Z`, "demo", "--now", "noon")
	other := t.TempDir()
	made := `{"seed":3,"now":"2026-11-18T12:00:00Z","scale":1,"made":{}}`
	if err := os.WriteFile(filepath.Join(other, "demo.json"), []byte(made), 0o600); err != nil {
		t.Fatal(err)
	}
	wantMistake(t, "the directory "+other+" contains the demo of --seed 3 --scale 1 --now 2026-11-18T12:00:00Z; use the same options, or choose an empty directory with --data", "demo", "--data", other)
	if _, stdout, _ := try(nil, "demo", "--help"); !strings.Contains(stdout, app.DemoEmail) || !strings.Contains(stdout, app.DemoPassword) {
		t.Errorf("the help does not say how to sign in:\n%s", stdout)
	}
}

func TestWhoReachesADemo(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{"127.0.0.1:8080": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:1": true, "[::]:8080": false, "0.0.0.0:80": false, "192.0.2.1:80": false, "": false} {
		if got := isLoopback(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
