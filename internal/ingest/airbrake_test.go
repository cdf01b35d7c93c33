package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

// resend sends a recorded request, with the key and the id of the project in place of those in the recording.
func (o *office) resend(t *testing.T, c recording.Capture, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	const recordedKey = "0123456789abcdef0123456789abcdef"
	target := strings.ReplaceAll(c.Target, recordedKey, o.setup.APIKey)
	for _, before := range []string{"/projects/", "/config/"} {
		target = strings.ReplaceAll(target, before+"42/", fmt.Sprintf("%s%d/", before, o.setup.ProjectID))
	}
	r := httptest.NewRequestWithContext(t.Context(), c.Method, target, bytes.NewReader(body))
	for name, values := range c.Header {
		for _, value := range values {
			r.Header.Add(name, strings.ReplaceAll(value, recordedKey, o.setup.APIKey))
		}
	}
	if r.Header.Get("X-Api-Key") != "" {
		r.Header.Set("X-Api-Key", o.setup.APIKey)
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

func TestAirbrakeCaptures(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	stored := 0
	for _, client := range []string{"airbrake-browser", "airbrake-go", "airbrake-node", "airbrake-python"} {
		for _, c := range recording.Captures(t, client) {
			w := o.resend(t, c, c.Body)
			if w.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: the headers are %v", c.Name, w.Header())
			}
			switch c.Method {
			case http.MethodOptions:
				if w.Code != http.StatusNoContent || !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "cache-control") || !strings.Contains(w.Header().Get("Access-Control-Allow-Methods"), "GET") {
					t.Errorf("%s: preflight = %d %v", c.Name, w.Code, w.Header())
				}
			case http.MethodGet:
				want := fmt.Sprintf(`{"project_id":%d,"updated_at":1,"poll_sec":600,"config_route":"","settings":[{"name":"errors","enabled":true,"endpoint":null},{"name":"apm","enabled":false,"endpoint":null}]}`, o.setup.ProjectID)
				if w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != want {
					t.Errorf("%s: configuration = %d %s", c.Name, w.Code, w.Body)
				}
			default:
				o.wantAirbrake(t, c, w)
				stored++
			}
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: int64(stored)})
}

// wantAirbrake checks the answer to a notice, and that the notice is stored.
func (o *office) wantAirbrake(t *testing.T, c recording.Capture, w *httptest.ResponseRecorder) {
	t.Helper()
	var answer struct{ ID, URL string }
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated {
		t.Fatalf("%s: answer = %d %s", c.Name, w.Code, w.Body)
	}
	id, err := sett.ParseUUID(answer.ID)
	if err != nil || answer.URL != "https://sett.example.test/notice/"+answer.ID {
		t.Fatalf("%s: answer = %s, %v", c.Name, w.Body, err)
	}
	var sent struct{ Errors []struct{ Type string } }
	if err := json.Unmarshal(c.Body, &sent); err != nil {
		t.Fatal(err)
	}
	notice, err := o.store.Faults.NoticeByUUID(t.Context(), o.setup.ProjectID, id)
	if err != nil || notice.Class != sent.Errors[0].Type {
		t.Errorf("%s: stored as %q, error = %v", c.Name, notice.Class, err)
	}
}

func TestAirbrakeKeys(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	key, own := o.setup.APIKey, o.setup.ProjectID
	for _, c := range []struct {
		name, authorization, query string
		project                    int64
		body                       string
		status                     int
		says                       string
	}{
		{"bearer", "Bearer " + key, "", own, `{"errors":[{"type":"A"}]}`, 201, ""},
		{"bearer in small letters", "bearer  " + key, "?key=wrong", own, `{"errors":[{"type":"A"}]}`, 201, ""},
		{"query", "", "?key=" + key, own, `{"errors":[{"type":"A"}]}`, 201, ""},
		{"query, and other credentials", "Basic eA==", "?key=" + key, own, `{"errors":[{"type":"A"}]}`, 201, ""},
		{"wrong key", "Bearer x", "", own, `{`, 401, "unknown"},
		{"no key", "", "", own, `{`, 401, "API key"},
		{"no key at all", "", "?key=%00", own, `{`, 401, "not an API key"},
		{"of another project", "Bearer " + key, "", own + 1, `{"errors":[{}]}`, 401, fmt.Sprintf("Set the project id of the client to %d.", own)},
		{"no JSON", "Bearer " + key, "", own, `{`, 400, "truncated"},
		{"no error", "Bearer " + key, "", own, `{"errors":[]}`, 400, "contains no error"},
		{"bomb", "Bearer " + key, "", own, string(recording.Compressed(t, "gzip", make([]byte, 32<<20))), 413, "too large"},
		{"too long", "Bearer " + key, "", own, strings.Repeat("x", maxSent+1), 413, "Send less"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("/api/v3/projects/%d/notices%s", c.project, c.query), strings.NewReader(c.body))
		r.Header.Set("Authorization", c.authorization)
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		var said struct{ Message string }
		if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != c.status || !strings.Contains(said.Message, c.says) {
			t.Errorf("%s: answer = %d %s, want %d and %q", c.name, w.Code, w.Body, c.status, c.says)
		}
	}
	o.wantToday(t, accounts.UsageDay{Stored: 4, Invalid: 4})
}

// A client that sends too much waits as long as the answer says.
func TestAirbrakeThrottled(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{MonthlyQuota: 1})
	notice := recording.Captures(t, "airbrake-python")[0]
	if w := o.resend(t, notice, notice.Body); w.Code != http.StatusCreated {
		t.Fatalf("the first answer = %d %s", w.Code, w.Body)
	}
	w := o.resend(t, notice, notice.Body)
	delay := w.Header().Get("X-RateLimit-Delay")
	if w.Code != http.StatusTooManyRequests || delay == "" || delay != w.Header().Get("Retry-After") || !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "X-RateLimit-Delay") {
		t.Errorf("answer = %d %v %s", w.Code, w.Header(), w.Body)
	}
	if !strings.Contains(w.Body.String(), `{"message":"`) {
		t.Errorf("answer = %s", w.Body)
	}
}

func TestAirbrakeStatistics(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for path, status := range map[string]int{"routes-stats": 204, "routes-breakdowns": 204, "queries-stats": 204, "queues-stats": 204, "other": 404} {
		for _, method := range []string{http.MethodPut, http.MethodPost} {
			r := httptest.NewRequestWithContext(t.Context(), method, "/api/v5/projects/42/"+path, strings.NewReader("{}"))
			w := httptest.NewRecorder()
			if o.ServeHTTP(w, r); w.Code != status {
				t.Errorf("%s %s: answer = %d %s, want %d", method, path, w.Code, w.Body, status)
			}
		}
	}
}

// No body makes the server fail.
func TestAirbrakeMutations(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c := recording.Captures(t, "airbrake-browser")[2]
	n := 0
	for doc := range recording.Mutations(t, c.Body) {
		if n++; n%11 != 0 {
			continue // internal/ingest/airbrake reads all of them
		}
		if w := o.resend(t, c, doc); w.Code >= 500 {
			t.Fatalf("answer = %d %s to %.300s", w.Code, w.Body, doc)
		}
	}
}
