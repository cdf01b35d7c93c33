package notify_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/setttest"
)

// forgetful is a GitLab that takes the first issue and loses its answer. It says what it was asked for.
type forgetful struct {
	text  atomic.Value // of the issue
	asked chan string
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), "/api/v4/projects/acme%2Fshop/")
	defer func() { f.asked <- r.Method + " " + path }()
	switch r.Method {
	case http.MethodPost:
		var issue struct{ Description string }
		_ = json.NewDecoder(r.Body).Decode(&issue)
		f.text.Store(issue.Description)
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
	case http.MethodGet:
		_ = json.NewEncoder(w).Encode([]map[string]any{{"iid": 7, "description": f.text.Load()}})
	}
}

// next waits for what is asked next, while time goes by.
func (f *forgetful) next(t *testing.T, s *setttest.Server) string {
	t.Helper()
	for range 30 {
		select {
		case asked := <-f.asked:
			return asked
		case <-time.After(time.Second): // what failed may not have been recorded before
			s.Clock.Push(10 * time.Second)
		}
	}
	t.Fatal("nothing was asked")
	return ""
}

// A tracker that has taken an issue and whose answer is lost is not asked for another one, and the fault is linked with
// what it has made.
func TestIssueWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		f := &forgetful{asked: make(chan string, 100)}
		server := httptest.NewServer(f)
		t.Cleanup(server.Close)
		s.Post(projectPath(s, "/integrations"), map[string]any{"integration": map[string]any{
			"type": "Gitlab", "events": []string{"occurred", "resolved"},
			"options": map[string]any{"server": server.URL, "project": "acme/shop", "token": "t0ken"},
		}}).Want(http.StatusCreated)
		breaks(s, "Boom")
		for n, want := range []string{"POST issues", "GET issues", "PUT issues/7"} {
			if asked := f.next(t, s); asked != want {
				t.Errorf("asked for %s, want %s", asked, want)
			}
			if n == 0 {
				s.Put(projectPath(s, fmt.Sprint("/faults/", faultOf(s, "Boom"))), `{"fault":{"resolved":true}}`).Want(http.StatusNoContent)
				s.Clock.Push(time.Minute)
			}
		}
	}, nearby)
}
