// Package probe checks a site from outside. A sett.ProbeRequest comes in, a sett.ProbeResult comes out: up or not, the
// reason, and what was observed. Each attempt resolves the name again, opens its own connection through package dial,
// resumes no TLS session and follows no redirect. The package never retries, stores nothing, and does not decide about
// outages: one attempt is one vote.
package probe

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"sync"
	"time"

	"sett/internal/dial"
	"sett/internal/sett"
)

// HTTPOptions are the options of checks.
type HTTPOptions struct {
	Dialer    *dial.Dialer     // that makes the connections
	Roots     *x509.CertPool   // who may vouch for sites; nil for those that the system trusts
	UserAgent string           // sent unless the check has one of its own; see UserAgent
	HTTP2     bool             // it may be spoken; see dial.SafeHTTP2
	Now       func() time.Time // times of results, and validity of certificates
}

// HTTP checks sites by HTTP/1.1, and by HTTP/2 where possible.
type HTTP struct {
	o       HTTPOptions
	buffers sync.Pool // of *[bufferBytes]byte, for pages on their way
}

const bufferBytes = 16 << 10

// NewHTTP returns an HTTP. Nothing is connected before Check.
func NewHTTP(o HTTPOptions) *HTTP {
	return &HTTP{o: o, buffers: sync.Pool{New: func() any { return new([bufferBytes]byte) }}}
}

// UserAgent returns how checks name themselves: the version that asks, and where its people are found.
func UserAgent(version, contact string) string {
	agent := "sett-uptime-check/" + version
	if contact != "" {
		agent += " (+" + contact + ")"
	}
	return agent
}

// Check makes one attempt. The error is for attempts without a result for the site: the context has ended, or this machine
// cannot open connections; they must not be counted.
func (h *HTTP) Check(ctx context.Context, r sett.ProbeRequest) (sett.ProbeResult, error) {
	l := &attempt{http: h, asked: r, watch: startStopwatch(), result: sett.ProbeResult{At: h.o.Now()}}
	limited, cancel := context.WithTimeout(ctx, r.Patience())
	defer cancel()
	err := l.run(limited)
	switch {
	case err != nil && isOver(ctx):
		return sett.ProbeResult{}, fmt.Errorf("check a site: %w", cmp.Or(ctx.Err(), context.DeadlineExceeded))
	case isOwnTrouble(err):
		return sett.ProbeResult{}, fmt.Errorf("check a site: %w", err)
	}
	return l.conclude(err), nil
}

// isOver reports whether the context has ended, or is about to: connections know its deadline too, and may be quicker.
func isOver(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}
