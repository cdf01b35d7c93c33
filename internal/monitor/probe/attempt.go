package probe

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http/cookiejar"
	"net/http/httptrace"
	"sync"
	"time"

	"sett/internal/sett/checks"
)

// attempt is one probe attempt of any kind, and what it has observed so far.
type attempt struct {
	o      Options
	first  checks.ProbeRequest
	asked  checks.ProbeRequest // the first, or what redirects made of it
	watch  *stopwatch
	result checks.ProbeResult
	until  time.Time // when its time is up

	// Of HTTP alone.
	buffers *sync.Pool     // see HTTP
	conn    net.Conn       // the current one
	http2   bool           // the connection speaks it
	cookies []string       // values that responses set
	jar     *cookiejar.Jar // for redirects, which may depend on them
	moved   string         // where the last redirect led; "" for none
}

// newAttempt returns an attempt that has not begun.
func newAttempt(o Options, r checks.ProbeRequest) *attempt {
	return &attempt{o: o, first: r, asked: r, watch: startStopwatch(), result: checks.ProbeResult{At: o.Now()}}
}

// try makes the attempt within the time that the request allows. An error of run says why the site is not up. The error of
// try is for attempts without a result for the site: the context has ended, or this machine cannot open connections; they
// must not be counted.
func (a *attempt) try(ctx context.Context, run func(context.Context) error) (checks.ProbeResult, error) {
	limited, cancel := context.WithTimeout(ctx, a.asked.Patience())
	defer cancel()
	a.until, _ = limited.Deadline()
	err := run(limited)
	switch {
	case err != nil && isOver(ctx):
		return checks.ProbeResult{}, fmt.Errorf("check a site: %w", cmp.Or(ctx.Err(), context.DeadlineExceeded))
	case isOwnTrouble(err):
		return checks.ProbeResult{}, fmt.Errorf("check a site: %w", err)
	}
	return a.conclude(err), nil
}

// isOver reports whether the context has ended, or is about to: connections know its deadline too, and may be quicker.
func isOver(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// dial opens a connection to a host, which may be a name or an IP address.
func (a *attempt) dial(ctx context.Context, host, port string) (net.Conn, error) {
	conn, err := a.o.Dialer.DialContext(a.traced(ctx), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	a.result.RemoteAddr = conn.RemoteAddr().String()
	return conn, nil
}

// traced reports the progress of a connection to the stopwatch. A failed DNS lookup belongs to its current step.
func (a *attempt) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { a.watch.enter(resolving) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			if i.Err == nil {
				a.watch.enter(connecting)
			}
		},
	})
}

// conclude turns how the look ended into its result, without credentials.
func (a *attempt) conclude(err error) checks.ProbeResult {
	result := a.concluded(err)
	if a.moved != "" && !result.Up {
		result.Reason += ", after a redirect to " + a.moved
	}
	return withoutCredentials(a.first, result, a.cookies...)
}

func (a *attempt) concluded(err error) checks.ProbeResult {
	r := &a.result
	r.Up = err == nil
	r.Duration, r.Phases = a.watch.read()
	if r.Up {
		r.Body = nil
		return *r
	}
	step := a.watch.step()
	if r.Reason = reasonOf(err); r.Reason != "" {
		r.Blocked = forbidden(err) != ""
		return *r
	}
	if isTimeout(err) {
		r.Phase, r.Reason = step.phase(), step.timeout(a.asked.Patience())
		return *r
	}
	r.Reason = step.failure(err, a.http2)
	return *r
}
