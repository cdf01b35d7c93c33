package ingest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

// bombLength is how many bytes a bomb has without its compression: far above every cap.
const bombLength = 64 << 20

// bomb returns zeros in a content coding.
func bomb(t *testing.T, encoding string) []byte {
	t.Helper()
	return recording.Compressed(t, encoding, make([]byte, bombLength))
}

// A bomb ends at the cap of every address that takes compressed bodies, in each coding, and takes no more memory than the cap allows. An
// encoding that is not supported, such as one inside another, is refused. The test does not run beside others: it measures memory.
func TestBombs(t *testing.T) { //nolint:paralleltest // see above
	o := setup(t, accounts.Limits{})
	bombs := map[string][]byte{}
	for _, encoding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		bombs[encoding] = bomb(t, encoding)
	}
	addresses := []string{
		"/v1/notices", "/v1/notices/js", "/v1/deploys", "/v1/deploys/heroku", "/v1/events", "/api/42/envelope/", "/api/42/store/", "/api/42/security/", "/tunnel?sentry_key=" + recordedKey,
		"/api/v3/projects/42/notices", "/v1/logs", "/v1/traces", "/otlp/v1/logs", "/otlp/v1/traces",
	}
	for _, address := range addresses {
		for encoding, body := range bombs {
			status, grown := o.measured(t, address, body, strings.TrimPrefix(encoding, "raw "))
			if status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s in %s is answered with %d", address, encoding, status)
			}
			if most := uint64(40 << 20); grown > most {
				t.Errorf("%s in %s takes %d bytes of memory, want at most %d", address, encoding, grown, most)
			}
		}
		inner := recording.Compressed(t, "gzip", bombs["gzip"])
		for _, encoding := range []string{"gzip, gzip", "br, gzip"} {
			if status, grown := o.measured(t, address, inner, encoding); status < 400 || status >= 500 || grown > 64<<20 {
				t.Errorf("%s in %s is answered with %d, and takes %d bytes", address, encoding, status, grown)
			}
		}
		if status, grown := o.measured(t, address, inner, "gzip"); status >= 500 || grown > 64<<20 { // the inner one stays as it is
			t.Errorf("%s in gzip is answered with %d, and takes %d bytes", address, status, grown)
		}
	}
	packed := base64.StdEncoding.EncodeToString(bombs["deflate"])
	if status, grown := o.measured(t, "/api/42/store/", []byte(packed), ""); status != http.StatusRequestEntityTooLarge || grown > 64<<20 {
		t.Errorf("base64 of a bomb is answered with %d, and takes %d bytes", status, grown)
	}
}

// measured sends a body with the key of the project, and returns the status of the answer and how many bytes of memory were allocated for it.
func (o *office) measured(t *testing.T, address string, body []byte, encoding string) (status int, grown uint64) {
	t.Helper()
	address = strings.ReplaceAll(o.dsn(address), "/projects/42/", fmt.Sprintf("/projects/%d/", o.setup.ProjectID))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(body))
	r.Header.Set("X-API-Key", o.setup.APIKey)
	r.Header.Set("Authorization", "Bearer "+o.setup.APIKey)
	r.Header.Set("X-Sentry-Auth", "Sentry sentry_key="+o.setup.APIKey)
	r.Header.Set("Content-Encoding", encoding)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	runtime.ReadMemStats(&after)
	return w.Code, after.TotalAlloc - before.TotalAlloc
}
