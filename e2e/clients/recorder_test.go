package clients

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"sett/e2e/rig"
)

// recorder stands before the server, and keeps what an agent sends to /mcp and gets. It is also the proxy for the rest of the network, which it
// refuses.
type recorder struct {
	Base string

	mu        sync.Mutex
	exchanges []*exchange
}

// exchange is a line of a recorded session. Tokens are not in it.
type exchange struct {
	Method string            `json:"method"`
	Header map[string]string `json:"header,omitempty"`
	Body   string            `json:"body,omitempty"`
	Status int               `json:"status"`
	Answer string            `json:"answer,omitempty"`
}

// recordedHeaders are those of a request on which an answer may depend.
var recordedHeaders = []string{"Accept", "Content-Type", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "Origin", "User-Agent"}

func newRecorder(t testing.TB, server string) *recorder {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	front := httptest.NewServer(http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/mcp" || r.URL.IsAbs() {
			http.Error(a, "only /mcp is here", http.StatusNotFound)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		e := &exchange{Method: r.Method, Header: map[string]string{}, Body: string(body)}
		for _, name := range recordedHeaders {
			if value := r.Header.Get(name); value != "" {
				e.Header[name] = value
			}
		}
		rec.mu.Lock()
		rec.exchanges = append(rec.exchanges, e)
		rec.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		got := httptest.NewRecorder()
		proxy.ServeHTTP(got, r)
		rec.mu.Lock()
		e.Status, e.Answer = got.Code, got.Body.String()
		rec.mu.Unlock()
		maps.Copy(a.Header(), got.Header())
		a.WriteHeader(got.Code)
		_, _ = got.Body.WriteTo(a)
	}))
	t.Cleanup(front.Close)
	rec.Base = front.URL
	return rec
}

// wantAnswered reports requests that the server refused.
func (rec *recorder) wantAnswered(t testing.TB) {
	t.Helper()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, e := range rec.exchanges {
		fine := e.Status < 300 || e.Method == http.MethodGet && e.Status == http.StatusMethodNotAllowed // there are no streams
		if !fine || strings.Contains(e.Answer, `"isError":true`) {
			t.Errorf("%s with %v and %s is answered with %d: %s", e.Method, e.Header, e.Body, e.Status, e.Answer)
		}
	}
}

// write stores the session, as if the server had the address of the examples.
func (rec *recorder) write(t testing.TB, file, base string) {
	t.Helper()
	rec.mu.Lock()
	defer rec.mu.Unlock()
	var lines bytes.Buffer
	to := json.NewEncoder(&lines)
	to.SetEscapeHTML(false)
	for _, e := range rec.exchanges {
		if err := to.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	rig.WriteFile(t, file, bytes.ReplaceAll(lines.Bytes(), []byte(base), []byte("https://sett.example.org")))
}
