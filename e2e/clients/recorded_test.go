package clients

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sett/e2e/rig"
)

// rubyRecording is what the Ruby client sent, which alone of all clients fills every field beyond the contract.
const rubyRecording = rig.Repository + "/internal/setttest/recording/notices/ruby_full_deflate.json"

// recordedBody is of a recorded notice what clients in Go and JavaScript do not send, or not all of it.
type recordedBody struct {
	Error struct {
		Token  string
		Causes []rig.Cause
	}
	Request struct {
		LocalVariables map[string]any `json:"local_variables"`
	}
	Breadcrumbs        struct{ Trail []rig.Breadcrumb }
	Details            map[string]any
	CorrelationContext map[string]any `json:"correlation_context"`
	Notifier           rig.Notifier
}

// record returns the body of the recording, with what the client adds under Rails (the id of the request) and where it
// is set to (local variables, exceptions.local_variables in its settings).
func record(t testing.TB) (body []byte, sent recordedBody) {
	t.Helper()
	text, err := os.ReadFile(rubyRecording)
	if err != nil {
		t.Fatal(err)
	}
	var recording struct{ Body map[string]any }
	if err := json.Unmarshal(text, &recording); err != nil {
		t.Fatalf("%s: %v", rubyRecording, err)
	}
	recording.Body["correlation_context"] = map[string]any{"request_id": "8f2c1e54-9d0b"}
	recording.Body["request"].(map[string]any)["local_variables"] = map[string]any{"order": "#<Order id: 7>", "lines": []any{1, "two", nil}}
	if body, err = json.Marshal(recording.Body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	return body, sent
}

// causes is how the causes must be shown.
func (b recordedBody) causes() (shown []rig.Cause) {
	for _, c := range b.Error.Causes {
		c.Message = strings.TrimPrefix(c.Message, c.Class+": ")
		for i, f := range c.Backtrace {
			c.Backtrace[i].Context = "all"
			if strings.HasPrefix(f.File, "[PROJECT_ROOT]/") {
				c.Backtrace[i].Context = "app"
			}
		}
		shown = append(shown, c)
	}
	return shown
}

// TestRecordedRuby sends what no client that runs here does.
func TestRecordedRuby(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	body, sent := record(t)
	since := time.Now()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+"/v1/notices", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", s.APIKey)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("the notice was answered with %d", answer.StatusCode)
	}
	_, got := s.Find(s.Manage(t), sent.Error.Token)
	want := got // the clients that run here have compared the rest
	want.Causes, want.Breadcrumbs, want.Details, want.Notifier = sent.causes(), sent.Breadcrumbs.Trail, sent.Details, sent.Notifier
	want.LocalVariables, want.CorrelationContext = sent.Request.LocalVariables, sent.CorrelationContext
	rig.Compare(t, got, want, since)
	if len(want.Causes) == 0 || len(want.Breadcrumbs) < 2 || len(want.Details) == 0 {
		t.Errorf("the recording has %d causes, %d breadcrumbs and %d details, want some of each",
			len(want.Causes), len(want.Breadcrumbs), len(want.Details))
	}
	t.Logf("Ruby client, recorded: %d causes, %d breadcrumbs, details, local variables and correlation context compared",
		len(got.Causes), len(got.Breadcrumbs))
}
