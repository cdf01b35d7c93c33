package web_test

import (
	"net/netip"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// behind makes the loopback a trusted proxy that gives addresses in Remote-Email.
func behind(c *app.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	c.SignIn.ProxyHeader = "Remote-Email"
}

func TestProxySignsIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		newBrowser(t, s).signIn().turnOn(s) // the proxy has asked for what it finds necessary
		b := newBrowser(t, s)
		vouched := func(method, path string) *answer {
			t.Helper()
			return b.do(method, path, nil, "Remote-Email", "Ann@example.test")
		}
		b.get("/login").want(200, "Password") // nobody is vouched for
		vouched("GET", "/me/tokens").leads("/login?next=%2Fme%2Ftokens")
		vouched("GET", "/login?next=%2Fme%2Ftokens").leads("/me/tokens")
		vouched("GET", "/me/sessions").want(200, "by proxy")

		b.get("/").leads("/login") // the session ends with the proxy's word
		b.do("GET", "/", nil, "Remote-Email", "owner@example.test").leads("/login")
		b.do("GET", "/login", nil, "Remote-Email", "owner@example.test").leads("/")
		b.do("GET", "/", nil, "Remote-Email", "owner@example.test").want(200, "owner@example.test")

		vouched("GET", "/login").leads("/")
		vouched("POST", "/logout").leads("/login?done=signed_out")
		vouched("GET", "/login?done=signed_out").want(200, "You are signed out.")
		b.do("GET", "/login", nil, "Remote-Email", "nobody@example.test").want(403, "You have signed in as nobody@example.test, and there is no user with this address here.")
		b.do("GET", "/login", nil, "Remote-Email", "no address").want(200)
		if b.cookie("sett_session") != "" {
			t.Error("somebody is signed in")
		}
	}, behind)
}

func TestOthersAreNoProxy(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*app.Config){
		"no header set": func(c *app.Config) { behind(c); c.SignIn.ProxyHeader = "" },
		"another proxy": func(c *app.Config) {
			behind(c)
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}
		},
		"another header": func(c *app.Config) { behind(c); c.SignIn.ProxyHeader = "X-Forwarded-User" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := setttest.Start(t, "sqlite", change)
			addAnn(t, s)
			b := newBrowser(t, s)
			b.do("GET", "/login", nil, "Remote-Email", annsEmail).want(200, "Password")
			b.do("GET", "/", nil, "Remote-Email", annsEmail, "X-Forwarded-For", "192.0.2.1").leads("/login")
		})
	}
}
