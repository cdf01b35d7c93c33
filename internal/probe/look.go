package probe

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"sett/internal/sett"
)

// look is one probe attempt, and what it has observed so far.
type look struct {
	http   *HTTP
	asked  sett.ProbeRequest
	watch  *stopwatch
	result sett.ProbeResult
	http2  bool // the connection speaks it

	cookies []string // values that the response sets
}

// run makes the attempt; an error says why the site is not up.
func (l *look) run(ctx context.Context) error {
	if text := l.asked.Problem(); text != "" {
		return problem(text)
	}
	request, err := newRequest(l.asked, l.http.o.UserAgent)
	if err != nil {
		return err
	}
	conn, err := l.connect(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	response, err := l.exchange(ctx, conn, request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	l.watch.enter(readingBody)
	l.result.Status, l.result.Headers = response.StatusCode, evidence(response.Header)
	for _, c := range response.Cookies() {
		l.cookies = append(l.cookies, c.Value)
	}
	return l.judge(response)
}

// connect makes the connection, encrypted where the URL wants it so.
func (l *look) connect(ctx context.Context, request *http.Request) (net.Conn, error) {
	host, port := target(request.URL)
	conn, err := l.http.o.Dialer.DialContext(l.traced(ctx), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	l.result.RemoteAddr = conn.RemoteAddr().String()
	if request.URL.Scheme != "https" {
		return conn, nil
	}
	return l.encrypt(ctx, conn, host)
}

// traced reports the progress of a connection to the stopwatch. A failed DNS lookup belongs to its current step.
func (l *look) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart: func(httptrace.DNSStartInfo) { l.watch.enter(resolving) },
		DNSDone: func(i httptrace.DNSDoneInfo) {
			if i.Err == nil {
				l.watch.enter(connecting)
			}
		},
	})
}

// conclude turns how the look ended into its result, without credentials.
func (l *look) conclude(err error) sett.ProbeResult {
	return l.asked.WithoutCredentials(l.concluded(err), l.cookies...)
}

func (l *look) concluded(err error) sett.ProbeResult {
	r := &l.result
	r.Up = err == nil
	r.Duration, r.Phases = l.watch.read()
	if r.Up {
		r.Body = nil
		return *r
	}
	step := l.watch.step()
	if r.Reason = reasonOf(err); r.Reason != "" {
		return *r
	}
	if isTimeout(err) {
		r.Phase, r.Reason = step.phase(), step.timeout(l.asked.Patience())
		return *r
	}
	r.Reason = step.failure(err, l.http2)
	return *r
}
