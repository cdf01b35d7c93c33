// Package probe checks a site from outside. It takes a checks.ProbeRequest and returns a checks.ProbeResult: up or not, the reason, and what
// was observed. Each attempt resolves the name again, opens its own connections through package dial, and resumes no TLS session; a
// redirect that is followed is treated like the first address. The package never retries, stores nothing, and does not decide about
// outages: one attempt is one vote.
package probe

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"
	"time"

	"sett/internal/sett/checks"
)

// httpKind checks a site by one HTTP request.
func httpKind() Kind {
	return Kind{
		SiteKind: checks.HTTPSites(), Name: "HTTP",
		Label: "URL", Hint: "For example shop.example.org/health. Without http:// or https://, https:// is used.", Input: "text",
		Wants: wantsOfHTTP,
		Make:  func(o Options) Check { return NewHTTP(o).Check },
	}
}

func wantsOfHTTP(s checks.SiteSettings) string {
	return map[checks.MatchType]string{
		checks.MatchSuccess: "status is 2xx", checks.MatchExact: "status is " + s.Match, checks.MatchInclude: "page contains “" + s.Match + "”",
		checks.MatchExclude: "page does not contain “" + s.Match + "”",
	}[s.MatchType]
}

// HTTP checks sites by HTTP/1.1, and by HTTP/2 where possible.
type HTTP struct {
	o       Options
	buffers sync.Pool // of *[bufferBytes]byte, for pages on their way
}

const bufferBytes = 16 << 10

// NewHTTP returns an HTTP. Nothing is connected before Check.
func NewHTTP(o Options) *HTTP {
	return &HTTP{o: o, buffers: sync.Pool{New: func() any { return new([bufferBytes]byte) }}}
}

// UserAgent returns the User-Agent of checks: the version of sett, and an address at which to reach its operators.
func UserAgent(version, contact string) string {
	agent := "sett-uptime-check/" + version
	if contact != "" {
		agent += " (+" + contact + ")"
	}
	return agent
}

// Check makes one attempt; see Check, the type.
func (h *HTTP) Check(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	a := newAttempt(h.o, r)
	a.buffers = &h.buffers
	a.jar, _ = cookiejar.New(nil) // which never fails
	return a.try(ctx, a.fetch)
}

// fetch sends the request, follows redirects where the check wants that, and judges the response; an error says why the site
// is not up.
func (a *attempt) fetch(ctx context.Context) error {
	for hops := 0; ; hops++ {
		if text := a.asked.Problem(); text != "" {
			return problem(text)
		}
		to, err := a.visit(ctx)
		if err != nil || to == nil {
			return err
		}
		if a.moved = shownTarget(to); hops == checks.MaxRedirects {
			return problem(fmt.Sprintf("More than %d redirects", checks.MaxRedirects))
		}
		a.asked = redirected(a.asked, a.result.Status, to)
	}
}

// visit makes one request. It returns where the response leads if that is followed, and judges the response otherwise.
func (a *attempt) visit(ctx context.Context) (to *url.URL, err error) {
	request, err := newRequest(a.asked, a.o.UserAgent)
	if err != nil {
		return nil, err
	}
	for _, c := range a.jar.Cookies(request.URL) {
		request.AddCookie(c)
	}
	conn, err := a.connect(ctx, request)
	if err != nil {
		return nil, err
	}
	a.conn = conn
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	response, err := a.exchange(ctx, conn, request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	a.watch.enter(readingBody)
	a.note(response, request.URL)
	if to, err := response.Location(); err == nil && follows(a.asked, response.StatusCode) {
		return to, nil
	}
	return nil, a.judge(response)
}

// note writes down what is to be known of a response.
func (a *attempt) note(response *http.Response, from *url.URL) {
	a.result.Status, a.result.Headers = response.StatusCode, evidence(response.Header)
	cookies := response.Cookies()
	a.jar.SetCookies(from, cookies)
	for _, c := range cookies {
		a.cookies = append(a.cookies, c.Value)
	}
}

// connect makes the connection, encrypted where the URL wants it so. The certificate is to be for the name that the request
// has in its Host header.
func (a *attempt) connect(ctx context.Context, request *http.Request) (net.Conn, error) {
	host, port := target(request.URL)
	a.watch.enter(connecting)
	conn, err := a.dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	if request.URL.Scheme != "https" {
		return conn, nil
	}
	name, err := hostInASCII((&url.URL{Host: request.Host}).Hostname())
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return a.encrypt(ctx, conn, name)
}
