package ingest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
)

// endless counts what is read of it.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'M'
	}
	e.read += int64(len(p))
	return len(p), nil
}

// A crash report of a native program is read, within a bound, refused with a sentence that says what to do, and counted.
func TestCrashReportsAreRefused(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	send := func(path string, body io.Reader) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, o.dsn(path), body))
		return w
	}
	for _, path := range []string{"/api/42/minidump/?sentry_key=" + recordedKey, "/api/42/unreal/" + recordedKey + "/", "/api/42/unreal/?sentry_key=" + recordedKey} {
		body := strings.NewReader(strings.Repeat("MDMP", 1<<20))
		w := send(path, body)
		if w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "inproc") || body.Len() > 0 || w.Header().Get("Connection") != "" {
			t.Errorf("%s: %d %s, %d bytes are left, %v", path, w.Code, w.Body, body.Len(), w.Header())
		}
		o.wantDiscards(t, "server error unsupported 1")
	}
	body := new(endless)
	if w := send("/api/42/minidump/?sentry_key="+recordedKey, body); w.Code != http.StatusUnprocessableEntity || body.read > maxDrained+64<<10 || w.Header().Get("Connection") != "close" {
		t.Errorf("without end: %d, %d bytes are read, %v", w.Code, body.read, w.Header())
	}
	o.wantDiscards(t, "server error unsupported 1")
	for path, status := range map[string]int{"/api/42/minidump/": 403, "/api/42/unreal/wrong/": 403, fmt.Sprintf("/api/7%d/unreal/%s/", o.setup.ProjectID, recordedKey): 403} {
		body := new(endless)
		if w := send(path, body); w.Code != status || body.read > 0 {
			t.Errorf("%s: %d, %d bytes are read", path, w.Code, body.read)
		}
	}
	o.wantDiscards(t)
}
