package dial

import (
	"crypto/tls"
	"go/version"
	"net/http"
	"runtime"
	"strings"
	"time"
)

// headerBytes is the most that is read of a response's header.
const headerBytes = 256 << 10

// Client returns an HTTP client over Transport with a timeout for the request including its body; 0 for none. It does not
// follow redirects: their response is the result.
func (d *Dialer) Client(timeout time.Duration) *http.Client { return d.client(d.Transport(), timeout) }

// Reusing is Client with connections that are used again, for one service that is sent much. A connection waits for its next request for so long.
func (d *Dialer) Reusing(timeout, idle time.Duration) *http.Client {
	t := d.Transport()
	t.DisableKeepAlives, t.IdleConnTimeout, t.MaxIdleConnsPerHost = false, idle, mostIdle
	return d.client(t, timeout)
}

// mostIdle is how many connections to a service wait for their next request.
const mostIdle = 4

func (d *Dialer) client(transport http.RoundTripper, timeout time.Duration) *http.Client {
	if d.header[0] != "" {
		transport = headed{transport, d.header}
	}
	return &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// headed adds a header to requests.
type headed struct {
	http.RoundTripper
	header [2]string
}

// RoundTrip sends a copy, as a RoundTripper leaves requests as they are.
func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(h.header[0], h.header[1])
	return h.RoundTripper.RoundTrip(r)
}

// Transport returns a new HTTP transport, the caller's to change, whose connections the Dialer makes. It uses each for
// one request, speaks TLS 1.2 or later, HTTP/2 where that is safe, and no proxy: that would connect where the Dialer cannot
// see it.
func (d *Dialer) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            d.DialContext,
		DisableKeepAlives:      true,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		Protocols:              protocols(SafeHTTP2()),
		MaxResponseHeaderBytes: headerBytes,
	}
}

func protocols(http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(http2)
	return p
}

// SafeHTTP2 reports whether the HTTP/2 client of this program may speak to servers of others. That of Go 1.26.8
// and earlier can be crashed by them (GO-2026-6617).
func SafeHTTP2() bool { return hasSafeHTTP2(runtime.Version()) }

// hasSafeHTTP2 is SafeHTTP2 for a version of Go. A development version is not known to be safe.
func hasSafeHTTP2(release string) bool {
	release, _, _ = strings.Cut(release, " ") // experiments follow
	return version.Compare(release, "go1.26.9") >= 0
}
