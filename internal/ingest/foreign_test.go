package ingest

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/serve"
)

// A client of another service that reports here gets an answer that names the service, and the log names it too.
func TestClientsOfOtherServices(t *testing.T) {
	t.Parallel()
	for path, service := range map[string]string{
		"/api/42/attachments/": "Sentry", "/api/1/replay/": "Sentry",
		"/v1/profiles": "OpenTelemetry", "/otlp/v1development/profiles": "OpenTelemetry",
		"/api/v4/projects/1/notices": "Airbrake", "/notifier_api/v2/notices": "Airbrake",
	} {
		w, logged := askForeign(t, http.MethodPost, path)
		var said struct{ Error, Errors string }
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil {
			t.Errorf("%s: %v %s", path, err, w.Body)
		}
		if w.Code != http.StatusNotFound || said.Error != said.Errors || !strings.Contains(said.Error, service) || !strings.Contains(said.Error, "/docs/clients") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		if !strings.Contains(logged, `"path":"`+strings.TrimSuffix(path, "/")+`"`) || !strings.Contains(logged, service) {
			t.Errorf("%s: the log says %q", path, logged)
		}
	}
	for _, path := range []string{"/api/1", "/api", "/v1/trace", "/v1/notices/1", "/2020/config"} {
		if w, logged := askForeign(t, http.MethodPost, path); !strings.Contains(w.Body.String(), "Not found. Check the URL") || logged != "" {
			t.Errorf("%s: %s, log %q", path, w.Body, logged)
		}
	}
}

func askForeign(t *testing.T, method, path string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var b bytes.Buffer
	h := foreignMux(&b, time.Now)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return w, b.String()
}

func foreignMux(b *bytes.Buffer, now func() time.Time) http.Handler {
	log := slog.New(slog.NewJSONHandler(b, nil))
	return serve.NewMux(nil, serve.MuxOptions{Wrap: func(_ serve.Route, next serve.Handler) serve.Handler { return Foreign(log, now, next) }})
}

// A client that sends thousands a second does not fill the log, and what was left out is counted.
func TestForeignClientsDoNotFillTheLog(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	h := foreignMux(&b, func() time.Time { return at })
	ask := func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/1/replay/", nil))
	}
	for range 50 {
		ask()
	}
	at = at.Add(foreignEvery)
	ask()
	if lines := strings.Count(b.String(), "\n"); lines != 2 || !strings.Contains(b.String(), `"more":49`) {
		t.Errorf("%d lines:\n%s", lines, b.String())
	}
}
