package statuspage

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// discard is a response writer that discards everything.
type discard struct{ header http.Header }

func (n discard) Header() http.Header         { return n.header }
func (n discard) Write(b []byte) (int, error) { return len(b), nil }
func (n discard) WriteHeader(int)             {}

// BenchmarkView is what a view of a page with six components costs between the connection and the answer: the mux, the log
// that writes nothing, the limit of the address, and the page.
func BenchmarkView(b *testing.B) {
	p := newPages(b, func(o *Options) { o.RateLimit = 1 << 40 })
	show(b, p, fullView())
	h := mux(p)
	for name, request := range map[string]*http.Request{
		"slug":      httptest.NewRequestWithContext(b.Context(), "GET", "/status/acme", nil),
		"domain":    httptest.NewRequestWithContext(b.Context(), "GET", "https://status.acme.example.test/", nil),
		"unchanged": httptest.NewRequestWithContext(b.Context(), "GET", "/status/acme", nil),
	} {
		request.Header.Set("Accept-Encoding", "gzip")
		if name == "unchanged" {
			request.Header.Set("If-None-Match", "*")
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					h.ServeHTTP(discard{http.Header{}}, request)
				}
			})
		})
	}
}

// BenchmarkDraw is what it costs to draw a page with six components when everything on it has changed.
func BenchmarkDraw(b *testing.B) {
	p := newPages(b)
	v := fullView()
	b.ReportAllocs()
	for b.Loop() {
		if err := p.render(&rendering{view: v, history: v.Incidents}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
