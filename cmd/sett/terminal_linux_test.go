package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// typing opens a terminal on which someone has typed text.
func typing(t *testing.T, typed string) *os.File {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system gives no terminal: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	if _, err := keyboard.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	return screen
}

// On a terminal, nothing is deleted before someone types yes.
func TestFilesDeleteAfterAQuestion(t *testing.T) {
	t.Parallel()
	c := newAsCode(t)
	c.do(0, "apply", "-f", c.write("shop.yaml", shopFile))
	file := c.write("shop.yaml", regexp.MustCompile(`.*old: .*\n`).ReplaceAllString(shopFile, ""))
	for _, tt := range []struct {
		typed  string
		status int
		want   string
	}{
		{"y\n", 1, "nothing was changed"},
		{"yes\n", 0, "Done."},
	} {
		var said bytes.Buffer
		got := run([]string{"apply", "-f", file, "--prune"}, c.environ, typing(t, tt.typed), &said, &said)
		if got != tt.status || !containsAll(said.String(), "- site web/old", "Delete 1? Type yes to go on: ", tt.want) {
			t.Errorf("typed %q: status %d: %s", tt.typed, got, &said)
		}
	}
	if said := c.do(0, "export", "--as-code"); strings.Contains(said, "old.example.org") {
		t.Errorf("what is left: %s", said)
	}
}

// On a terminal, a search resolves nothing before someone types yes.
func TestErrorsAreResolvedAfterAQuestion(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.A", "r1")
	for _, tt := range []struct {
		typed  string
		status int
		want   string
	}{
		{"y\n", 1, "nothing was changed"},
		{"yes\n", 0, "1 error is resolved."},
	} {
		var said bytes.Buffer
		got := run([]string{"errors", "resolve", "--search", "class:shop.A"}, r.environ, typing(t, tt.typed), &said, &said)
		if got != tt.status || !containsAll(said.String(), "/projects/1/faults?q=", "Resolve 1 error? Type yes to go on: ", tt.want) {
			t.Errorf("typed %q: status %d: %s", tt.typed, got, &said)
		}
	}
}

// A secret that is typed does not stay on the screen.
func TestATypedTokenIsHidden(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	screen := typing(t, s.token+"\n")
	var said bytes.Buffer
	status := run([]string{"login", "http://" + s.addr, "--with-token"}, []string{"XDG_CONFIG_HOME=" + t.TempDir()}, screen, &said, &said)
	if status != 0 || !containsAll(said.String(), "/me/tokens\nToken (hidden): \nSigned in to") {
		t.Errorf("status %d: %s", status, &said)
	}
	after, err := unix.IoctlGetTermios(int(screen.Fd()), unix.TCGETS)
	if err != nil || after.Lflag&unix.ECHO == 0 {
		t.Errorf("the terminal is left silent: %v", err)
	}
}

// On a terminal, a page lets the machine in. The address and the code are shown, and the token is not.
func TestAPageSignsIn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	var page, machine string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/oauth/device_authorization":
			machine = r.FormValue("device_name")
			fmt.Fprintf(w, `{"device_code":"d","user_code":"BCDF-GHJK","verification_uri_complete":%q}`, page)
		case "/oauth/token":
			fmt.Fprintf(w, `{"access_token":%q}`, s.token)
		default:
			httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: s.addr}).ServeHTTP(w, r)
		}
	}))
	t.Cleanup(front.Close)
	page = front.URL + "/oauth/device?user_code=BCDF-GHJK"
	var said bytes.Buffer
	status := run([]string{"login", front.URL}, []string{"XDG_CONFIG_HOME=" + t.TempDir()}, typing(t, ""), &said, &said)
	if status != 0 || machine == "" || !containsAll(said.String(), page, "shows the code BCDF-GHJK", "Signed in to "+front.URL+" as admin@example.com") || strings.Contains(said.String(), s.token) {
		t.Errorf("status %d, machine %q: %s", status, machine, &said)
	}
	page = "javascript:alert(1)"
	said.Reset()
	if status := run([]string{"login", front.URL}, []string{"XDG_CONFIG_HOME=" + t.TempDir()}, typing(t, ""), &said, &said); status != 1 {
		t.Errorf("a page that is none: status %d: %s", status, &said)
	}
}
