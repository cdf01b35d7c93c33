package probe_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"sett/internal/base/dial"
	"sett/internal/monitor/probe"
	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// moved answers with a redirect of any kind.
func moved(status int, to string, header ...string) target.Behaviour {
	return target.Answer(status, "elsewhere", append(header, "Location", to)...)
}

// A site that has moved is up when its check follows redirects, and is judged where they end.
func TestCheckFollowsRedirects(t *testing.T) {
	t.Parallel()
	authority := target.NewAuthority()
	secure := target.Start(t, target.Options{TLS: authority.Config(target.Certificate{})})
	site := target.Start(t, target.Options{})
	for path, to := range map[string]string{
		"/secure": secure.URL + "/", "/relative": "/200?a=b#part", "/two": "/relative", "/file": "file:///etc/passwd", "/gone": "/404",
		"/port": "http://127.0.0.1:0/", "/text": "/page",
	} {
		site.At(path, moved(http.StatusFound, to))
	}
	site.At("/page", target.Answer(200, "we are open"))
	site.At("/200?a=b", target.Answer(200, "fine"))
	for n := range checks.MaxRedirects {
		site.At(fmt.Sprintf("/chain%d", n), moved(http.StatusTemporaryRedirect, fmt.Sprintf("/chain%d", n+1)))
	}
	for _, tt := range []struct {
		path   string
		match  checks.MatchType
		text   string
		reason string
		status int
	}{
		{"/secure", "", "", "", 200},
		{"/relative", "", "", "", 200},
		{"/two", "", "", "", 200},
		{"/chain0", "", "", "", 200},
		{"/304", "", "", "Expected 2xx status code -- got 304", 304},
		{"/301", "", "", "Expected 2xx status code -- got 301", 301}, // without a Location
		{"/loop", "", "", "More than 10 redirects, after a redirect to " + site.URL + "/loop", 301},
		{"/gone", "", "", "Expected 2xx status code -- got 404, after a redirect to " + site.URL + "/404", 404},
		{"/file", "", "", "The URL must start with http:// or https://, after a redirect to file:///etc/passwd", 302},
		{"/port", "", "", "The port in the URL must be a number from 1 to 65535, after a redirect to http://127.0.0.1:0/", 302},
		{"/text", checks.MatchInclude, "open", "", 200},
		{"/text", checks.MatchExclude, "open", `Expected page not to include "open", after a redirect to ` + site.URL + "/page", 200},
		{"/text", checks.MatchExact, "200", "", 200},
		{"/text", checks.MatchExact, "302", "", 302}, // which is what was wanted
	} {
		r := check(t, trusting(authority.Roots), checks.ProbeRequest{
			URL: site.URL + tt.path, FollowRedirects: true, MatchType: tt.match, Match: tt.text, ValidateSSL: true,
		})
		if r.Reason != tt.reason || r.Status != tt.status || (r.Certificate != nil) != (tt.path == "/secure") {
			t.Errorf("%s: %q, status %d; want %q, %d", tt.path, r.Reason, r.Status, tt.reason, tt.status)
		}
	}
}

// Each address on the way is checked like the first.
func TestCheckFollowsNoRedirectIntoBlockedNetworks(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	inner, err := target.Open(target.Options{Listen: "127.0.0.2:0"})
	if err != nil {
		t.Skipf("this machine has no second address: %v", err)
	}
	t.Cleanup(inner.Close)
	site.At("/inside", moved(http.StatusFound, inner.URL+"/secret"))
	h := open(func(o *probe.Options) {
		o.Dialer = dial.New(dial.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	})
	r := check(t, h, checks.ProbeRequest{URL: site.URL + "/inside", FollowRedirects: true})
	if !r.Blocked || !strings.HasSuffix(r.Reason, ", after a redirect to "+inner.URL+"/secret") || inner.Visits() > 0 {
		t.Errorf("%+v, %d visits", r, inner.Visits())
	}
}

// A redirect that depends on its cookie leads on, and no secret of the check to another host.
func TestCheckCarriesCookiesAndNoSecretsAlong(t *testing.T) {
	t.Parallel()
	elsewhere, site := target.Start(t, target.Options{}), target.Start(t, target.Options{})
	site.At("/start", moved(http.StatusFound, "/next", "Set-Cookie", "way=found"))
	named := func(name string, of *target.Target) string { return name + strings.TrimPrefix(of.Addr, "127.0.0.1") }
	site.At("/next", moved(http.StatusFound, "http://"+named("elsewhere.test", elsewhere)+"/end"))
	r := check(t, trusting(nil), checks.ProbeRequest{
		URL: "http://ann:" + "letmein@" + named("shop.test", site) + "/start", Method: "POST", Body: "order", FollowRedirects: true,
		Headers: headers("X-Api-Key", "k", "X-Plain", "p", "Content-Type", "text/csv"),
	})
	if !r.Up {
		t.Fatal(r.Reason)
	}
	first, next, end := site.Requests()[0], site.Requests()[1], elsewhere.Requests()[0]
	if first.Method != "POST" || first.Body != "order" || first.Header.Get("Content-Type") == "" {
		t.Errorf("first %+v", first)
	}
	if next.Method != "GET" || next.Body != "" || next.Header.Get("Cookie") != "way=found" || next.Header.Get("Authorization") == "" ||
		next.Header.Get("X-Api-Key") != "k" || next.Header.Get("Content-Type") != "" {
		t.Errorf("next %+v", next)
	}
	if end.Header.Get("Authorization")+end.Header.Get("X-Api-Key")+end.Header.Get("Cookie") != "" || end.Header.Get("X-Plain") != "p" {
		t.Errorf("end %+v", end)
	}
}

// The redirects of HTTP/2 are followed too.
func TestCheckFollowsRedirects2(t *testing.T) {
	t.Parallel()
	url, h := speaking2(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/end", http.StatusPermanentRedirect)
		}
	})
	if r := check(t, h, checks.ProbeRequest{URL: url, FollowRedirects: true, ValidateSSL: true}); !r.Up || r.Status != 200 {
		t.Errorf("%+v", r)
	}
}
