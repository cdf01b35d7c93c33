package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"sett/internal/setttest"
	"sett/internal/setttest/recording"
)

// Whatever clients of other services send, nothing fails on the server, and the API can show all that was stored.
func TestRequestsOfOthersInTheAPI(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		for _, client := range []string{"airbrake-python", "airbrake-browser", "airbrake-go", "otlp-node-json"} {
			for _, c := range recording.Captures(t, client) {
				if c.Method != http.MethodPost {
					continue
				}
				n := 0
				for doc := range recording.Mutations(t, c.Body) {
					if n++; n%29 == 0 { // their packages read all of them
						sendMutation(t, s, c, doc)
					}
				}
			}
		}
		if shown := readAllNotices(t, s); shown < 50 {
			t.Errorf("only %d notices are shown", shown)
		}
	})
}

// sendMutation sends a recorded request with another body, with the key and id of the server's project.
func sendMutation(t *testing.T, s *setttest.Server, c recording.Capture, body []byte) {
	t.Helper()
	target := strings.ReplaceAll(c.Target, "/projects/42/", fmt.Sprintf("/projects/%d/", s.Setup.ProjectID))
	r, err := http.NewRequestWithContext(t.Context(), c.Method, s.Base+target, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", c.Header.Get("Content-Type"))
	r.Header.Set("Authorization", "Bearer "+s.Key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode >= 500 || answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusNotFound {
		t.Fatalf("%s is answered with %d %s, %v, to %.300q", target, answer.StatusCode, said, err, body)
	}
}

// readAllNotices reads all faults and their notices from the API, which holds each answer against the OpenAPI document.
func readAllNotices(t *testing.T, s *setttest.Server) (count int) {
	t.Helper()
	type page struct {
		Results []struct{ ID any }
		Links   struct{ Next string }
	}
	each := func(path string, yield func(id any)) {
		for path != "" {
			var p page
			s.Get(path).Want(http.StatusOK).Into(&p)
			for _, result := range p.Results {
				yield(result.ID)
			}
			path = strings.TrimPrefix(p.Links.Next, s.Base)
		}
	}
	faults := fmt.Sprintf("/v2/projects/%d/faults", s.Setup.ProjectID)
	each(faults, func(id any) {
		each(fmt.Sprintf("%s/%.0f/notices", faults, id), func(any) { count++ })
	})
	return count
}
