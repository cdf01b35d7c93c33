package rig

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Manager speaks to the management interface as one user.
type Manager struct {
	T           testing.TB
	base, token string
}

// As returns a client of the management interface that has a token.
func As(t testing.TB, base, token string) Manager { return Manager{t, base, token} }

// Get reads a path into v, or fails the test.
func (m Manager) Get(path string, v any) {
	m.T.Helper()
	body := m.Do(http.MethodGet, path, nil, http.StatusOK)
	if err := json.Unmarshal(body, v); err != nil {
		m.T.Fatalf("GET %s: %v\n%s", path, err, body)
	}
}

// Put changes what is at a path.
func (m Manager) Put(path string, body any) {
	m.T.Helper()
	m.Do(http.MethodPut, path, body, http.StatusNoContent)
}

// Do sends a request, whose answer must have a status, and returns the body of the answer.
func (m Manager) Do(method, path string, body any, want int) []byte {
	m.T.Helper()
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			m.T.Fatal(err)
		}
	}
	r, err := http.NewRequestWithContext(m.T.Context(), method, m.base+path, bytes.NewReader(encoded))
	if err != nil {
		m.T.Fatal(err)
	}
	r.SetBasicAuth(m.token, "")
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		m.T.Fatal(err)
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		m.T.Fatal(err)
	}
	if answer.StatusCode != want {
		m.T.Fatalf("%s %s: status %d, want %d: %s", method, path, answer.StatusCode, want, read)
	}
	return read
}

// List reads every page of a list, by following its links as a client does.
func List[T any](m Manager, path string) (all []T) {
	m.T.Helper()
	for path != "" {
		var page struct {
			Results []T
			Links   struct{ Next string }
		}
		m.Get(path, &page)
		all = append(all, page.Results...)
		next, ok := strings.CutPrefix(page.Links.Next, m.base)
		if !ok && page.Links.Next != "" {
			m.T.Fatalf("links.next of %s is %q, which is not below %s", path, page.Links.Next, m.base)
		}
		path = next
	}
	return all
}
