package ingest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett"
)

// Events are answered as clients want it, so that they go on to report errors, and are not kept.
func TestEvents(t *testing.T) {
	t.Parallel()
	o := setup(t, sett.Limits{})
	for name, body := range map[string]string{
		"one": `{"event_type":"order","ts":"2026-11-20T12:00:00Z"}`, "lines": "{}\n{}\n", "nothing": "", "no JSON": "\x78\x9c",
		"much": strings.Repeat("x", 300_000),
	} {
		for _, path := range []string{"/v1/events", "/v1/events/"} {
			w := o.post(t, path, strings.NewReader(body), map[string]string{"Content-Type": "application/x-ndjson"})
			if w.Code != http.StatusCreated || !strings.Contains(w.Body.String(), `"errors":false`) || !strings.Contains(w.Body.String(), "does not store events") {
				t.Errorf("%s at %s: %d %s", name, path, w.Code, w.Body)
			}
		}
	}
	for name, key := range map[string]string{"no key": "", "another key": "sett_p_wrong"} {
		if w := o.post(t, "/v1/events", strings.NewReader("{}"), map[string]string{"X-API-Key": key}); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	o.wantToday(t, sett.UsageDay{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/v1/events", nil)
	r.Header.Set("Access-Control-Request-Headers", "content-type,x-api-key")
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Methods") != "POST, OPTIONS" {
		t.Errorf("a browser asks first: %d %v", w.Code, w.Header())
	}
}
