package probe

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"sett/internal/sett"
)

// attempt is one probe attempt, and what it has observed so far.
type attempt struct {
	http   *HTTP
	asked  sett.ProbeRequest
	watch  *stopwatch
	result sett.ProbeResult
	http2  bool // the connection speaks it

	cookies []string // values that the response sets
}

// run makes the attempt; an error says why the site is not up.
func (a *attempt) run(ctx context.Context) error {
	if text := a.asked.Problem(); text != "" {
		return problem(text)
	}
	request, err := newRequest(a.asked, a.http.o.UserAgent)
	if err != nil {
		return err
	}
	conn, err := a.connect(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	response, err := a.exchange(ctx, conn, request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	a.watch.enter(readingBody)
	a.result.Status, a.result.Headers = response.StatusCode, evidence(response.Header)
	for _, c := range response.Cookies() {
		a.cookies = append(a.cookies, c.Value)
	}
	return a.judge(response)
}

// connect makes the connection, encrypted where the URL wants it so.
func (a *attempt) connect(ctx context.Context, request *http.Request) (net.Conn, error) {
	host, port := target(request.URL)
	conn, err := a.http.o.Dialer.DialContext(a.traced(ctx), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	a.result.RemoteAddr = conn.RemoteAddr().String()
	if request.URL.Scheme != "https" {
		return conn, nil
	}
	return a.encrypt(ctx, conn, host)
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
func (a *attempt) conclude(err error) sett.ProbeResult {
	return a.asked.WithoutCredentials(a.concluded(err), a.cookies...)
}

func (a *attempt) concluded(err error) sett.ProbeResult {
	r := &a.result
	r.Up = err == nil
	r.Duration, r.Phases = a.watch.read()
	if r.Up {
		r.Body = nil
		return *r
	}
	step := a.watch.step()
	if r.Reason = reasonOf(err); r.Reason != "" {
		return *r
	}
	if isTimeout(err) {
		r.Phase, r.Reason = step.phase(), step.timeout(a.asked.Patience())
		return *r
	}
	r.Reason = step.failure(err, a.http2)
	return *r
}
