package statuspage

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Browsers are sent to HTTPS where the server has it itself, and never by one that they reach through HTTPS already.
func TestDomainsLeadToHTTPS(t *testing.T) {
	t.Parallel()
	v := fullView()
	domain := v.Page.Domain.Name
	ready := false
	p := newPages(t, func(o *Options) { o.HasHTTPS = func(name string) bool { return ready && name == domain } })
	show(t, p, v)
	h := mux(p)
	want(t, ask(t, h, "GET", "/", "", "Host", domain), 200)
	ready = true
	for path, location := range map[string]string{"/": "/", "/history?page=1": "/history?page=1", "//evil.example.test/": "//evil.example.test/"} {
		for _, header := range [][]string{{"Host", domain + ":80"}, {"Host", domain + ".", "X-Forwarded-Proto", "http", "From", "10.1.2.3"}} {
			w := want(t, ask(t, h, "GET", path, "", header...), http.StatusPermanentRedirect)
			if got := w.Header().Get("Location"); got != "https://"+domain+location || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s leads to %q: %v", path, got, w.Header())
			}
		}
	}
	want(t, ask(t, h, "HEAD", "/", "", "Host", domain), http.StatusPermanentRedirect)
	want(t, ask(t, h, "POST", "/unlock", "password=x", "Host", domain), http.StatusSeeOther)
	want(t, ask(t, h, "GET", "/status/acme", ""), 200)
	for _, header := range [][2]string{
		{"X-Forwarded-Proto", "https"}, {"X-Forwarded-Proto", "http"}, {"X-Forwarded-For", "192.0.2.1"}, {"Forwarded", "proto=https"}, {"Via", "1.1 proxy"}, {"X-Real-IP", "192.0.2.1"},
	} {
		want(t, ask(t, h, "GET", "/", "", "Host", domain, header[0], header[1]), 200)
	}
	for _, proxy := range []string{"10.1.2.3", "127.0.0.1", "[::1]"} {
		want(t, ask(t, h, "GET", "/", "", "Host", domain, "From", proxy), 200)
		want(t, ask(t, h, "GET", "/", "", "Host", domain, "X-Forwarded-Proto", "https", "From", proxy), 200)
	}
	r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
	r.Host, r.TLS = domain, &tls.ConnectionState{}
	if h.ServeHTTP(w, r); w.Code != 200 {
		t.Errorf("by HTTPS: %d", w.Code)
	}
}
