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

func TestHomeLeadsToTheDocumentation(t *testing.T) {
	t.Parallel()
	handler := whole(t)
	for _, prefix := range []string{"", "/errors"} { // a proxy serves sett below the second
		server := httptest.NewServer(http.StripPrefix(prefix, handler))
		defer server.Close()
		answer, err := http.Get(server.URL + prefix + "/")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		came := answer.Request
		if came.URL.Path != prefix+"/docs/api" || came.Response == nil || came.Response.StatusCode != http.StatusSeeOther {
			t.Errorf("%s/ leads to %s", prefix, came.URL)
		}
		if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
			t.Errorf("%s is answered with %s and %s, want a page", came.URL, answer.Status, kind)
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
	for path, documented := range map[string]bool{"/": false, "/docs/api": false, "/v2/projects": true, "/healthz": true} {
		if _, ok := document.Paths[path]; ok != documented {
			t.Errorf("%s is in the document: %t, want %t", path, ok, documented)
		}
	}
}
