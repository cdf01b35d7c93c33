package probe_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// speaking2 starts a site that speaks HTTP/2, and returns its address and a probe that trusts it.
func speaking2(t *testing.T, handler http.HandlerFunc) (string, *probe.HTTP) {
	t.Helper()
	authority := target.NewAuthority()
	server := httptest.NewUnstartedServer(handler)
	server.TLS, server.EnableHTTP2 = authority.Config(target.Certificate{}), true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL, trusting(authority.Roots, func(o *probe.Options) { o.HTTP2 = true })
}

// Where HTTP/2 may not be spoken, a site that could is looked at by HTTP/1.1.
func TestCheckLeavesHTTP2Alone(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	var said string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { said = r.Proto }))
	server.TLS, server.EnableHTTP2 = authority.Config(target.Certificate{}), true
	server.StartTLS()
	t.Cleanup(server.Close)
	if r := check(t, trusting(authority.Roots), checks.ProbeRequest{URL: server.URL, ValidateSSL: true}); !r.Up || said != "HTTP/1.1" {
		t.Errorf("%s, %q", said, r.Reason)
	}
}

const brokenOff = "Response is not valid HTTP/2, has headers larger than 256 KiB, or was broken off"

func TestCheckHTTP2(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		timeout time.Duration
		reason  string
		status  int
		phase   checks.ProbePhase
		body    string
	}{
		"fine":     {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, long, "", 200, "", ""},
		"fails":    {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oh", 500) }, long, "Expected 2xx status code -- got 500", 500, "", "oh\n"},
		"redirect": {http.RedirectHandler("https://example.com", http.StatusFound).ServeHTTP, long, "Expected 2xx status code -- got 302, a redirect to https://example.com -- enter that URL, or let the site follow redirects", 302, "", "<a href=\"https://example.com\">Found</a>.\n\n"},
		"silent":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, short, "No response headers after 1s", 0, checks.PhaseHeaders, ""},
		"half a page": {func(w http.ResponseWriter, r *http.Request) {
			begin(w)
			<-r.Context().Done()
		}, long, "", 200, "", ""},
		"breaks off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, long, brokenOff, 0, "", ""},
		"breaks off the page": {func(w http.ResponseWriter, _ *http.Request) {
			begin(w)
			panic(http.ErrAbortHandler)
		}, long, "", 200, "", ""},
		"huge header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Huge", strings.Repeat("h", 1<<20))
		}, long, brokenOff, 0, "", ""},
		"many headers": {func(w http.ResponseWriter, _ *http.Request) {
			for n := range 1000 {
				w.Header().Set(fmt.Sprintf("X-%d", n), strings.Repeat("h", 1000))
			}
		}, long, brokenOff, 0, "", ""},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := io.WriteString(w, strings.Repeat("endless ", 4096)); err != nil {
					return
				}
			}
		}, long, "", 200, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, h := speaking2(t, tt.handler)
			r := check(t, h, checks.ProbeRequest{URL: url, Timeout: tt.timeout, ValidateSSL: true})
			if r.Reason != tt.reason || r.Status != tt.status || r.Phase != tt.phase || string(r.Body) != tt.body {
				t.Errorf("reason %q, status %d, phase %q, body %q; want %q, %d, %q, %q",
					r.Reason, r.Status, r.Phase, r.Body, tt.reason, tt.status, tt.phase, tt.body)
			}
			if p := r.Phases; p.TLS <= 0 || p.FirstByte <= 0 || r.Certificate == nil || r.Certificate.Problem != "" {
				t.Errorf("phases %+v, certificate %+v", p, r.Certificate)
			}
		})
	}
}

// begin sends the first part of a page.
func begin(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, "the beginning")
	_ = http.NewResponseController(w).Flush()
}

// Looks at the same host at the same time have a connection each, and say what HTTP/1.1 would.
func TestCheckHTTP2Connections(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	clients := map[string]bool{}
	var got http.Header
	url, h := speaking2(t, func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		clients[r.RemoteAddr] = true
		got = r.Header.Clone()
		got.Set("Said", r.Proto+" "+r.Method+" "+r.Host+" "+r.RequestURI+" "+string(body))
	})
	var done sync.WaitGroup
	const looks = 8
	for range looks {
		done.Go(func() {
			check(t, h, checks.ProbeRequest{
				URL: url + "/a?b", Method: "POST", Body: "body", Headers: headers("Host", "www.test", "X-One", "1"),
			})
		})
	}
	done.Wait()
	if len(clients) != looks {
		t.Errorf("%d connections, want %d", len(clients), looks)
	}
	want := http.Header{
		"Said": {"HTTP/2.0 POST www.test /a?b body"}, "User-Agent": {"sett-uptime-check/1.2 (+https://sett.example.org)"},
		"Accept": {"*/*"}, "Accept-Encoding": {"gzip"}, "X-One": {"1"}, "Content-Length": {"4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}
