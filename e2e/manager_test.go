package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// manager speaks to the management interface as one user.
type manager struct {
	t           testing.TB
	base, token string
}

// get reads a path into v, or fails the test.
func (m manager) get(path string, v any) {
	m.t.Helper()
	body := m.do(http.MethodGet, path, nil, http.StatusOK)
	if err := json.Unmarshal(body, v); err != nil {
		m.t.Fatalf("GET %s: %v\n%s", path, err, body)
	}
}

// put changes what is at a path.
func (m manager) put(path string, body any) {
	m.t.Helper()
	m.do(http.MethodPut, path, body, http.StatusNoContent)
}

func (m manager) do(method, path string, body any, want int) []byte {
	m.t.Helper()
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			m.t.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(m.t.Context(), method, m.base+path, bytes.NewReader(encoded))
	if err != nil {
		m.t.Fatal(err)
	}
	r.SetBasicAuth(m.token, "")
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	if answer.StatusCode != want {
		m.t.Fatalf("%s %s: status %d, want %d: %s", method, path, answer.StatusCode, want, read)
	}
	return read
}

// list reads every page of a list, by following its links as a client does.
func list[T any](m manager, path string) (all []T) {
	m.t.Helper()
	for path != "" {
		var page struct {
			Results []T
			Links   struct{ Next string }
		}
		m.get(path, &page)
		all = append(all, page.Results...)
		next, ok := strings.CutPrefix(page.Links.Next, m.base)
		if !ok && page.Links.Next != "" {
			m.t.Fatalf("links.next of %s is %q, which is not below %s", path, page.Links.Next, m.base)
		}
		path = next
	}
	return all
}
