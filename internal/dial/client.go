package dial

import (
	"crypto/tls"
	"net/http"
	"time"
)

// headerBytes is the most that is read of a response's header.
const headerBytes = 256 << 10

// Client returns an HTTP client over Transport that gives a request, its body included, so much time; 0 is no limit.
// It does not follow redirects: their response is the result.
func (d *Dialer) Client(timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: d.Transport(), Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Transport returns a new HTTP transport, the caller's to change, whose connections the Dialer makes. It uses each for
// one request, speaks TLS 1.2 or later, and no proxy: that would connect where the Dialer cannot see it.
func (d *Dialer) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            d.DialContext,
		DisableKeepAlives:      true,
		ForceAttemptHTTP2:      true, // a DialContext turns it off otherwise
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: headerBytes,
	}
}
