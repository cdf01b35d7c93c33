package rig

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Send sends JSON and returns the status of the answer; 0: there was none.
func Send(web *http.Client, method, address, body string, change func(*http.Request)) int {
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return 0
	}
	r.Header.Set("Content-Type", "application/json")
	change(r)
	answer, err := web.Do(r)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// Get returns the answer without its body.
func Get(t testing.TB, address string) *http.Response {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer
}

// Ask sends a request, a notice where key is given, and returns the status and Retry-After of the answer.
func Ask(t testing.TB, s *Server, method, path, key string) (status int, wait string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Base+path, bytes.NewReader([]byte(FrozenNotice)))
	if err != nil {
		t.Fatal(err)
	}
	if r.SetBasicAuth(s.AuthToken, ""); key != "" {
		r.Header.Set("X-API-Key", key)
	}
	client := http.Client{Timeout: 50 * time.Second}
	answer, err := client.Do(r)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return 0, ""
	}
	defer answer.Body.Close()
	return answer.StatusCode, answer.Header.Get("Retry-After")
}

// FrozenNotice is what Ask reports.
const FrozenNotice = `{"error":{"class":"Frozen"}}`
