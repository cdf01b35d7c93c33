package app

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"sett/internal/sett/alerts"
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
	for _, path := range []string{"/login", "/docs/api", "/docs/webhooks"} {
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
	for path, documented := range map[string]bool{"/": false, "/login": false, "/me/tokens": false, "/docs/api": false, "/docs/webhooks": false, "/docs/webhooks/{file}": false, "/v2/projects": true, "/healthz": true} {
		if _, ok := document.Paths[path]; ok != documented {
			t.Errorf("%s is in the document: %t, want %t", path, ok, documented)
		}
	}
}

// A name in a path that nothing describes would be a text without a meaning, also for generated clients.
func TestDocumentDescribesNamesInPaths(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	whole(t).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/openapi.json", nil))
	var document struct{ Paths map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	for path := range document.Paths {
		for _, name := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(path, -1) {
			if pathParams[name[1]].Doc == "" {
				t.Errorf("%s: %s is not in pathParams", path, name[1])
			}
		}
	}
}

// Every event of the page of webhooks has a schema behind its link; others have none.
func TestWebhookSchemasAreServed(t *testing.T) {
	t.Parallel()
	handler := whole(t)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w
	}
	schema := regexp.MustCompile(`"(/docs/webhooks/(?:v3/)?([a-z_.]+)\.json)"`)
	links := schema.FindAllStringSubmatch(get("/docs/webhooks").Body.String(), -1)
	v3 := schema.FindAllStringSubmatch(get("/docs/webhooks/v3").Body.String(), -1)
	if len(links) != len(alerts.AlertEvents())+3 || len(v3) != len(alerts.AlertEvents())+1 {
		t.Errorf("%d and %d schemas", len(links), len(v3))
	}
	links = append(links, v3...)
	for _, link := range links {
		w := get(link[1])
		var schema struct{ Title string }
		if err := json.Unmarshal(w.Body.Bytes(), &schema); err != nil || w.Code != http.StatusOK || schema.Title != link[2] || w.Header().Get("Content-Type") != "application/schema+json" {
			t.Errorf("%s: %d %s %v", link[1], w.Code, schema.Title, err)
		}
	}
	for _, path := range []string{"/docs/webhooks/occurred", "/docs/webhooks/birthday.json", "/docs/webhooks/issue_create.json", "/docs/webhooks/v3/birthday.json", "/docs/webhooks/v3/status_page.incident.json"} {
		if w := get(path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
