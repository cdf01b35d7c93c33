package user_test

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// behind makes the loopback a trusted proxy that gives addresses in Remote-Email.
func behind(c *app.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	c.SignIn.ProxyHeader = "Remote-Email"
}

func TestProxySignsIn(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		known := accountdb.NewPassword{PHC: setttest.PasswordCost.Hash(annsPassword)}
		if err := s.App.Store().Accounts.AssignPassword(t.Context(), s.Clock.Now(), addAnn(t, s), known); err != nil { // so that she is proven
			t.Fatal(err)
		}
		newBrowser(t, s).signIn().turnOn(s) // the proxy has asked for what it finds necessary
		b := newBrowser(t, s)
		vouched := func(method, path string) *answer {
			t.Helper()
			return b.do(method, path, nil, "Remote-Email", "Ann@example.test")
		}
		b.get("/login").want(200, "Password") // no user is authenticated by the proxy
		vouched("GET", "/me/tokens").leads("/login?next=%2Fme%2Ftokens")
		vouched("GET", "/login?next=%2Fme%2Ftokens").leads("/me/tokens")
		vouched("GET", "/me/sessions").want(200, "by proxy")
		vouched("GET", "/me/security").want(200, "● On.") // nothing of hers has ended

		b.get("/").leads("/login") // the session ends with the proxy's word
		b.do("GET", "/", nil, "Remote-Email", "owner@example.test").leads("/login")
		b.do("GET", "/login", nil, "Remote-Email", "owner@example.test").leads("/")
		b.do("GET", "/", nil, "Remote-Email", "owner@example.test").want(200, "owner@example.test")

		vouched("GET", "/login").leads("/")
		vouched("POST", "/logout").leads("/login?done=signed_out")
		vouched("GET", "/login?done=signed_out").want(200, "You are signed out.")
		b.do("GET", "/login", nil, "Remote-Email", "unknown@example.test").want(403, "You are signed in as unknown@example.test, but this server has no user with that address.")
		b.do("GET", "/login", nil, "Remote-Email", "no address").want(200)
		if b.cookie("sett_session") != "" {
			t.Error("a user is signed in")
		}
	}, behind)
}

// A user who registered with another person's address loses access once that person signs in through the proxy.
func TestProxyProvesTheAddress(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		path, maker := invite(t, s, "new@example.test"), newBrowser(t, s)
		maker.post(path, "name", "Nora New", "new_password", "ten modest herons").leads("/?done=joined")
		maker.post("/me/tokens", "name", "later", "scope", signin.ScopeWrite, "days", "30").want(200, "sett_u_")
		b := newBrowser(t, s)
		vouched := func(path string) *answer {
			t.Helper()
			return b.do("GET", path, nil, "Remote-Email", "new@example.test")
		}
		vouched("/login").leads("/")
		maker.get("/").leads("/login")
		maker.post("/login", "email", "new@example.test", "password", "ten modest herons").want(422, "The email address or the password is wrong.")
		if page := vouched("/me/tokens").want(200); strings.Contains(page.Body, "later") {
			t.Error("the token that was made before is still there")
		}
		var log struct{ Results []map[string]any }
		s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log").Want(200).Into(&log)
		if newest := log.Results[0]; newest["action"] != "loginPage" || !reflect.DeepEqual(newest["changes"], map[string]any{"all_ways_in_ended": true}) {
			t.Errorf("the audit log contains %v", newest)
		}

		own := map[string][]string{"new_password": {"eleven shy herons"}}
		b.do("POST", "/me/security/password", own, "Remote-Email", "new@example.test").leads("/me/security?done=password")
		vouched("/login").leads("/") // proven already, so that nothing more ends
		other := newBrowser(t, s)
		other.post("/login", "email", "new@example.test", "password", "eleven shy herons").leads("/")
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
