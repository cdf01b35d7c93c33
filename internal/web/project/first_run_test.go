package project_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
)

// logBook keeps what a server logs.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// link returns the path of the link in the log, or "".
func (l *logBook) link(t *testing.T, base string) string {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for lines := json.NewDecoder(bytes.NewReader(l.text.Bytes())); ; {
		var line struct{ Link string }
		if err := lines.Decode(&line); err == io.EOF {
			return ""
		} else if err != nil {
			t.Fatal(err)
		}
		if line.Link != "" {
			return strings.TrimPrefix(line.Link, base)
		}
	}
}

// unused starts a server without users.
func unused(t *testing.T) (*setttest.Server, *logBook) {
	t.Helper()
	cfg, err := app.LoadConfig(app.Sources{Flags: map[string]string{"listen": "127.0.0.1:0", "data": t.TempDir(), "location": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	log := &logBook{}
	a, err := app.New(t.Context(), cfg, slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return &setttest.Server{App: a}, log
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	s, log := unused(t)
	link := log.link(t, s.App.BaseURL())
	path, token, _ := strings.Cut(link, "?token=")
	visitor.New(t, s).Get("/login").Want(200, "This server has no users yet", "/setup?token=").Lacks("Forgot your password?").CheckPage().Lacks(token)
	if path != "/setup" || len(token) < 20 {
		t.Fatalf("the log leads to %q", link)
	}
	b := visitor.New(t, s)
	form := []string{"token", token, "name", "Olga", "email", "Olga@Example.test", "new_password", password, "account", "Acme", "project", "Shop"}
	for _, wrong := range []string{"/setup", "/setup?token=", "/setup?token=" + token + "x", "/setup?token=" + token[1:]} {
		b.Get(wrong).Want(404, "This link does not work.").CheckPage()
	}
	b.Post("/setup", append([]string{"token", "x"}, form[2:]...)...).Want(404)
	b.Get(link).Want(200, `value="`+token+`"`).CheckPage()
	b.Post("/setup", "token", token, "name", " ", "email", "olga", "new_password", "hush", "account", "", "project", "").Want(422,
		"Your name can&#39;t be blank.", "Email address must be an email address", "Password is too short", "Account can&#39;t be blank.", "First project can&#39;t be blank.").CheckPage()
	b.Post("/setup", form...).Leads("/projects/1/setup?done=began")
	b.Get("/projects/1/setup?done=began").Want(200, "You are signed in", "Shop", "Waiting for the first event").CheckPage()
	b.Get("/").Want(200, "Shop")
	b.Get("/teams/1").Want(200, "First team", "Shop", "Olga").CheckPage()
	visitor.New(t, s).SignIn("olga@example.test", password)

	b.Get(link).Want(404)
	other := visitor.New(t, s)
	other.Get(link).Want(404)
	other.Post("/setup", form...).Want(404)
	other.Get("/").Leads("/login")
}

// Without a link no account can be created, also on a server that has users.
func TestNoFirstRunWithUsers(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := visitor.New(t, s)
	for _, path := range []string{"/setup", "/setup?token=", "/setup?token=x"} {
		b.Get(path).Want(404)
	}
	b.Post("/setup", "token", "", "name", "Eve", "email", "eve@example.test", "new_password", password, "account", "A", "project", "P").Want(404)
}
