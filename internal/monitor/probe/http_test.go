package probe_test

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// now is when the tests take place, far from when they run.
var now = time.Date(2051, 11, 21, 12, 0, 0, 0, time.UTC)

// How long tests wait: for what does come, for what never does when all before it must have come, and for no matter what.
const (
	long  = 30 * time.Second
	short = time.Second
	brief = 10 * time.Millisecond
)

// open returns a probe that may look at this machine.
func open(change ...func(*probe.Options)) *probe.HTTP {
	return probe.NewHTTP(options(change...))
}

// local is the policy of tests, which look at this machine.
func local() dial.Policy {
	return dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
}

func options(change ...func(*probe.Options)) probe.Options {
	o := probe.Options{
		Dialer: dial.New(local()), UserAgent: probe.UserAgent("1.2", "https://sett.example.org"), Now: func() time.Time { return now },
	}
	for _, c := range change {
		c(&o)
	}
	return o
}

// checker makes one attempt, of one kind or of any.
type checker func(context.Context, checks.ProbeRequest) (checks.ProbeResult, error)

// Check calls the function.
func (c checker) Check(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
	return c(ctx, r)
}

// check looks at a site once.
func check(t *testing.T, h interface {
	Check(context.Context, checks.ProbeRequest) (checks.ProbeResult, error)
}, r checks.ProbeRequest,
) checks.ProbeResult {
	t.Helper()
	if r.MatchType == "" {
		r.MatchType = checks.MatchSuccess
	}
	if r.Timeout == 0 {
		r.Timeout = long
	}
	result, err := h.Check(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if result.Up != (result.Reason == "") {
		t.Errorf("up %t, reason %q", result.Up, result.Reason)
	}
	if !result.At.Equal(now) || result.Duration <= 0 {
		t.Errorf("at %s, took %s", result.At, result.Duration)
	}
	if p := result.Phases; p.DNS+p.Connect+p.TLS+p.FirstByte+p.Body != result.Duration {
		t.Errorf("phases %+v do not make up %s", p, result.Duration)
	}
	return result
}

// A target misbehaves after it has read the request.
func TestCheckMisbehaviour(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	for _, tt := range []struct {
		path    string
		timeout time.Duration
		reason  string // "" is up
		status  int
		phase   checks.ProbePhase
		body    string // its beginning
	}{
		{"/", long, "", 200, "", ""},
		{"/204", long, "", 204, "", ""},
		{"/299", long, "", 299, "", ""},
		{"/301", long, "Expected 2xx status code -- got 301", 301, "", "Moved Permanently"},
		{"/304", long, "Expected 2xx status code -- got 304", 304, "", ""},
		{"/404", long, "Expected 2xx status code -- got 404", 404, "", "Not Found"},
		{"/503", long, "Expected 2xx status code -- got 503", 503, "", "Service Unavailable"},
		{"/redirect", long, "Expected 2xx status code -- got 301, a redirect to " + site.URL + "/ -- enter that URL, or let the site follow redirects", 301, "", "elsewhere"},
		{"/loop", long, "Expected 2xx status code -- got 301, a redirect to " + site.URL + "/loop -- enter that URL, or let the site follow redirects", 301, "", "elsewhere"},
		{"/metadata", long, "Expected 2xx status code -- got 301, a redirect to http://169.254.169.254/latest/meta-data/ -- enter that URL, or let the site follow redirects", 301, "", "elsewhere"},
		{"/switching", long, "Expected 2xx status code -- got 101", 101, "", ""},
		{"/interim", long, "", 200, "", ""},
		{"/endless", long, "", 200, "", ""},
		{"/gzip", long, "", 200, "", ""},
		{"/bomb", long, "", 200, "", ""},
		{"/slow-headers", short, "No response headers after 1s", 0, checks.PhaseHeaders, ""},
		{"/half-headers", short, "Response headers not complete after 1s", 0, checks.PhaseHeaders, ""},
		{"/slow-body", long, "", 200, "", ""},
		{"/reset", long, "Connection reset without a response", 0, "", ""},
		{"/reset-headers", long, "Connection reset within the response headers", 0, "", ""},
		{"/reset-body", long, "", 200, "", ""},
		{"/close", long, "Connection closed without a response", 0, "", ""},
		{"/close-headers", long, "Connection closed within the response headers", 0, "", ""},
		{"/close-body", long, "", 200, "", ""},
		{"/garbage", long, "Response is not valid HTTP", 0, "", ""},
		{"/huge-headers", long, "Response headers are larger than 256 KiB", 0, "", ""},
		{"/endless-headers", long, "Response headers are larger than 256 KiB", 0, "", ""},
	} {
		t.Run(tt.path, func(t *testing.T) {
			t.Parallel()
			r := check(t, open(), checks.ProbeRequest{URL: site.URL + tt.path, Timeout: tt.timeout})
			if r.Reason != tt.reason || r.Status != tt.status || r.Phase != tt.phase {
				t.Errorf("reason %q, status %d, phase %q; want %q, %d, %q", r.Reason, r.Status, r.Phase, tt.reason, tt.status, tt.phase)
			}
			if !strings.HasPrefix(string(r.Body), tt.body) || tt.body == "" && len(r.Body) > 0 {
				t.Errorf("body %q, want %q", r.Body, tt.body)
			}
			if r.RemoteAddr != site.Addr || r.Certificate != nil || (len(r.Headers) > 0) != (tt.status > 0 && tt.path != "/endless" || tt.path == "/endless") {
				t.Errorf("remote %s, certificate %v, headers %v", r.RemoteAddr, r.Certificate, r.Headers)
			}
		})
	}
}

// More behaviours, which no path has. The text that is looked for is not there, so that all of the page is read.
func TestCheckMorePages(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		behaviour target.Behaviour
		reason    string
	}{
		"no gzip":            {target.Answer(http.StatusOK, "plain text", "Content-Encoding", "gzip"), "Response body is not valid gzip, although its Content-Encoding says so"},
		"corrupt gzip":       {target.Answer(http.StatusOK, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff", "Content-Encoding", "x-gzip"), "Response body is not valid gzip, although its Content-Encoding says so"},
		"gzip of nothing":    {target.Answer(http.StatusNoContent, "", "Content-Encoding", "gzip"), ""},
		"empty gzip members": {target.EmptyForever, "Response body is larger than 2 MiB, although it is compressed"},
		"bad chunks":         {target.Say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello"), "Response is not valid HTTP"},
		"bad length":         {target.Say("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nhello"), "Response is not valid HTTP"},
		"no status":          {target.Say("HTTP/1.1 OK\r\n\r\n"), "Response is not valid HTTP"},
		"an old version":     {target.Say("HTTP/1.0 200 OK\r\n\r\nhello"), ""},
		"interim for ever":   {target.Say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 10000)), "Response headers are larger than 256 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Every(tt.behaviour)
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL, MatchType: checks.MatchExclude, Match: "absent"}); r.Reason != tt.reason {
				t.Errorf("reason %q, want %q", r.Reason, tt.reason)
			}
		})
	}
}

// A target misbehaves before it has read anything.
func TestCheckGreetings(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("a", 32<<20) // more than there is room for between a sender and a reader
	for name, tt := range map[string]struct {
		greeting target.Behaviour
		timeout  time.Duration
		reason   string
	}{
		"never reads":   {target.Deaf, short, "Request not sent after 1s"},
		"speaks first":  {target.Say("SSH-2.0-OpenSSH_9.9\r\n"), long, "Response is not valid HTTP"},
		"reads nothing": {target.Then("HTTP/1.1 204 No Content\r\n\r\n", target.Close), long, ""},
		"answers first": {target.Answer(http.StatusOK, "fine"), long, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			site.Greet(tt.greeting)
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL, Timeout: tt.timeout, Body: large}); r.Reason != tt.reason {
				t.Errorf("reason %q, want %q", r.Reason, tt.reason)
			}
			site.Greet(nil)
			if r := check(t, open(), checks.ProbeRequest{URL: site.URL}); !r.Up {
				t.Errorf("fixed, but %q", r.Reason)
			}
		})
	}
}
