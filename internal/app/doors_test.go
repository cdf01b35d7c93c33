package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/serve"
	"sett/internal/setttest"
)

// unfollowed sends a request and returns the answer, of which nothing is followed.
func unfollowed(t *testing.T, address string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// A check that comes back through a proxy is not let in, whatever user the proxy names.
func TestOwnRequestsHaveNoUser(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		mark := []string{serve.OutboundHeader, serve.OutboundMark(s.App.BaseURL()), "Remote-Email", "owner@example.test", "Authorization", "Bearer " + s.Token}
		if a := unfollowed(t, s.Base+"/login", mark[2:]...); a.StatusCode != 303 || a.Header.Get("Set-Cookie") == "" {
			t.Errorf("without the mark: %d", a.StatusCode)
		}
		for path, want := range map[string]int{
			"/login": 403, "/": 403, "/me/tokens": 403, "/api/0": 403, "/setup": 403, "/v2/projects": 403, "/admin/users": 403, "/agent/poll": 405, "/metrics": 403, "/healthz": 200,
		} {
			if a := unfollowed(t, s.Base+path, mark...); a.StatusCode != want || a.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s: %d %q", path, a.StatusCode, a.Header.Get("Set-Cookie"))
			}
		}
		if a := unfollowed(t, s.Base+"/v2/projects", serve.OutboundHeader, serve.OutboundMark("https://another.test"), "Authorization", "Bearer "+s.Token); a.StatusCode != 200 {
			t.Errorf("another sett is refused: %d", a.StatusCode)
		}
	}, func(c *app.Config) { c.TrustedProxies, c.SignIn.ProxyHeader = loopbackNetworks(), "Remote-Email" })
}

func TestFiguresAreClosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*app.Config)
		header []string
		status int
	}{
		"by default":          {func(*app.Config) {}, nil, 403},
		"with a user's token": {func(*app.Config) {}, []string{"Authorization", "Bearer sett_u_x"}, 403},
		"without the token":   {func(c *app.Config) { c.MetricsToken = "figures" }, nil, 401},
		"a wrong token":       {func(c *app.Config) { c.MetricsToken = "figures" }, []string{"Authorization", "Bearer figure"}, 401},
		"the token":           {func(c *app.Config) { c.MetricsToken = "figures" }, []string{"Authorization", "Bearer figures"}, 200},
		"a network":           {func(c *app.Config) { c.MetricsNetworks = loopbackNetworks() }, nil, 200},
		"a proxy in it":       {func(c *app.Config) { c.MetricsNetworks = loopbackNetworks() }, []string{"X-Forwarded-For", "203.0.113.9"}, 401},
		"a client of a trusted proxy": {func(c *app.Config) {
			c.MetricsNetworks, c.TrustedProxies = loopbackNetworks(), loopbackNetworks()
		}, []string{"X-Forwarded-For", "203.0.113.9"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite", c.change)
			s.Token = ""
			s.Do("GET", "/metrics", nil, c.header...).Want(c.status)
		})
	}
}

func TestSecurityTxt(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	s.Do("GET", "/.well-known/security.txt", nil).Want(404)
	s = setttest.Start(t, "sqlite", func(c *app.Config) { c.SecurityContact = "mailto:security@example.org" })
	got := unfollowed(t, s.Base+"/.well-known/security.txt") // the document of other servers does not have it
	body, err := io.ReadAll(got.Body)
	if err != nil || got.StatusCode != 200 {
		t.Fatal(got.StatusCode, err)
	}
	want := fmt.Sprintf("Contact: mailto:security@example.org\nExpires: %s\nPreferred-Languages: en\nCanonical: %s/.well-known/security.txt\n",
		s.Clock.Now().Add(90*24*time.Hour).UTC().Format(time.RFC3339), s.App.BaseURL())
	if string(body) != want || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%s %q", got.Header.Get("Content-Type"), body)
	}
}

func TestUnknownProxiesAreReported(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[bool]string{false: `{"proxy":"not in --trusted-proxies","status":"ok"}`, true: `{"status":"ok"}`} {
		s := setttest.Start(t, "sqlite", func(c *app.Config) {
			if trusted {
				c.TrustedProxies = loopbackNetworks()
			}
		})
		for _, header := range []string{"X-Forwarded-For", "Forwarded", "Via"} {
			if got := strings.TrimSpace(string(s.Do("GET", "/healthz", nil, header, "203.0.113.9").Want(200).Body)); got != want {
				t.Errorf("%s, trusted %t: %s", header, trusted, got)
			}
		}
		if got := strings.TrimSpace(string(s.Get("/healthz").Body)); got != `{"status":"ok"}` {
			t.Errorf("without a proxy: %s", got)
		}
	}
}

func TestHTTPSIsStrict(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.BaseURL = "https://sett.example.test" })
	for _, path := range []string{"/login", "/healthz", "/v2/projects", "/nowhere"} {
		if a := unfollowed(t, "http://"+s.App.Addr()+path); a.Header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%s: %q", path, a.Header.Get("Strict-Transport-Security"))
		}
	}
}

func loopbackNetworks() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// The doctor comes the way that people come, and sees a proxy that the settings lack.
func TestDoctorFindsUnknownProxies(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[bool]string{false: "--trusted-proxies (SETT_TRUSTED_PROXIES)", true: "reaches sett"} {
		s := setttest.Start(t, "sqlite", func(c *app.Config) {
			if trusted {
				c.TrustedProxies = loopbackNetworks()
			}
		})
		to, err := url.Parse("http://" + s.App.Addr())
		if err != nil {
			t.Fatal(err)
		}
		proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.SetXForwarded() }})
		t.Cleanup(proxy.Close)
		said := ""
		for _, f := range must[[]operate.Finding](t)(operate.Doctor(t.Context(), app.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", BaseURL: proxy.URL}.Installation())) {
			if f.Check == "base URL" {
				said = f.Text
			}
		}
		if !strings.Contains(said, want) || strings.Contains(said, "SETT_TRUSTED") == trusted {
			t.Errorf("trusted %t: %s", trusted, said)
		}
	}
}
