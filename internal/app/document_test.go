package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// whole returns all that a new server serves.
func whole(t *testing.T) http.Handler {
	t.Helper()
	a, err := New(t.Context(), Config{Data: t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	handler, err := a.handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func TestHomeLeadsToSigningIn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(whole(t))
	defer server.Close()
	answer, err := http.Get(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	came := answer.Request
	if came.URL.Path != "/login" || came.Response == nil || came.Response.StatusCode != http.StatusSeeOther {
		t.Errorf("/ leads to %s", came.URL)
	}
	for _, path := range []string{"/login", "/docs/api"} {
		answer, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
			t.Errorf("%s is answered with %s and %s, want a page", path, answer.Status, kind)
		}
	}
}

func TestDocumentLeavesOutPages(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	whole(t).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi.json", nil))
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for path, documented := range map[string]bool{"/": false, "/login": false, "/me/tokens": false, "/docs/api": false, "/v2/projects": true, "/healthz": true} {
		if _, ok := document.Paths[path]; ok != documented {
			t.Errorf("%s is in the document: %t, want %t", path, ok, documented)
		}
	}
}
