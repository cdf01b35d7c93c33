package auth_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
)

func TestProxyHeader(t *testing.T) {
	t.Parallel()
	proxies := serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for name, c := range map[string]struct {
		header  string // the setting
		from    string
		headers http.Header
		want    string
	}{
		"trusted":                  {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {" Ann@Example.test "}}, "ann@example.test"},
		"within IPv6":              {"Remote-Email", "[::ffff:10.1.2.3]:4", http.Header{"Remote-Email": {"ann@example.test"}}, "ann@example.test"},
		"not trusted":              {"Remote-Email", "192.0.2.1:4", http.Header{"Remote-Email": {"ann@example.test"}}, ""},
		"says it is from a proxy":  {"Remote-Email", "192.0.2.1:4", http.Header{"Remote-Email": {"ann@example.test"}, "X-Forwarded-For": {"10.1.2.3"}}, ""},
		"passed on for anybody":    {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {"ann@example.test"}, "X-Forwarded-For": {"192.0.2.1"}}, "ann@example.test"},
		"unknown peer":             {"Remote-Email", "@", http.Header{"Remote-Email": {"ann@example.test"}}, ""},
		"absent":                   {"Remote-Email", "10.1.2.3:4", http.Header{}, ""},
		"empty":                    {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {""}}, ""},
		"another header":           {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-User": {"ann@example.test"}}, ""},
		"twice":                    {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {"eve@example.test", "ann@example.test"}}, ""},
		"two in one":               {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {"eve@example.test, ann@example.test"}}, ""},
		"no address":               {"Remote-Email", "10.1.2.3:4", http.Header{"Remote-Email": {"ann"}}, ""},
		"no setting":               {"", "10.1.2.3:4", http.Header{"Remote-Email": {"ann@example.test"}}, ""},
		"no setting, empty header": {"", "10.1.2.3:4", http.Header{"": {"ann@example.test"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/login", nil)
			r.RemoteAddr, r.Header = c.from, c.headers
			if got := auth.NewProxyHeader(proxies, c.header).Email(r); got != c.want {
				t.Errorf("Email: %q, want %q", got, c.want)
			}
		})
	}
}

func TestSessionsOfAProxyEndWithItsWord(t *testing.T) {
	t.Parallel()
	header := auth.NewProxyHeader(serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, "Remote-Email")
	for _, c := range []struct {
		how   signin.How
		email string
		from  string
		want  bool
	}{
		{signin.ByProxy, "ann@example.test", "10.1.2.3:4", true},
		{signin.ByProxy, "ann@example.test", "192.0.2.1:4", false},
		{signin.ByProxy, "bob@example.test", "10.1.2.3:4", false},
		{signin.ByProxy, "", "10.1.2.3:4", false},
		{signin.ByPassword, "bob@example.test", "10.1.2.3:4", true},
		{signin.ByPassword, "", "192.0.2.1:4", true},
		{"", "", "10.1.2.3:4", true}, // no user is signed in
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.from
		if c.email != "" {
			r.Header.Set("Remote-Email", c.email)
		}
		p := auth.Principal{User: accounts.User{ID: 1, Email: "ann@example.test"}, Session: signin.Session{How: c.how}}
		if got := header.Stands(r, p); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// Where browsers allow passkeys, and for which name (WebAuthn, section 5.1.2).
func TestWherePasskeysAre(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"https://sett.example.test":        true,
		"https://sett.example.test/errors": true,
		"https://SETT.example.test:8443":   true,
		"http://localhost:8080":            true,
		"http://sett.localhost":            true,
		"http://sett.example.test":         false,
		"https://192.0.2.1":                false,
		"https://[2001:db8::1]:8443":       false,
		"http://127.0.0.1:8080":            false,
		"http://notlocalhost":              false,
		"":                                 false,
	} {
		if got, err := auth.NewPasskeys(base); err != nil || (got != nil) != want {
			t.Errorf("%s: %v, %v", base, got != nil, err)
		}
	}
}
