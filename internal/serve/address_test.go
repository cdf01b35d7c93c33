package serve_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"sett/internal/serve"
)

func TestClientAddress(t *testing.T) {
	t.Parallel()
	proxies := serve.Proxies{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"a client of its own", "203.0.113.7:5000", nil, "203.0.113.7"},
		{"a client that claims to be another", "203.0.113.7:5000", []string{"198.51.100.1"}, "203.0.113.7"},
		{"a proxy", "10.0.0.1:5000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"the first address of proxies", "10.0.0.0:5000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"the last address of proxies", "10.255.255.255:5000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"the address before proxies", "9.255.255.255:5000", []string{"203.0.113.7"}, "9.255.255.255"},
		{"the address after proxies", "11.0.0.0:5000", []string{"203.0.113.7"}, "11.0.0.0"},
		{"a proxy without a word", "10.0.0.1:5000", nil, "10.0.0.1"},
		{"a proxy with an empty word", "10.0.0.1:5000", []string{""}, "10.0.0.1"},
		{"a client that lies to a proxy", "10.0.0.1:5000", []string{"198.51.100.1, 203.0.113.7"}, "203.0.113.7"},
		{"a client that claims to be a proxy", "10.0.0.1:5000", []string{"198.51.100.1, 10.0.0.9, 203.0.113.7"}, "203.0.113.7"},
		{"two proxies", "10.0.0.1:5000", []string{"198.51.100.1, 203.0.113.7,10.0.0.2"}, "203.0.113.7"},
		{"two proxies in two headers", "10.0.0.1:5000", []string{"203.0.113.7", "10.0.0.2"}, "203.0.113.7"},
		{"only proxies", "10.0.0.1:5000", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"a word that is no address", "10.0.0.1:5000", []string{"203.0.113.7, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"a word with a port", "10.0.0.1:5000", []string{"203.0.113.7:1234"}, "203.0.113.7"},
		{"IPv6", "[fd00::1]:5000", []string{"2001:db8::7"}, "2001:db8::7"},
		{"IPv6 with a port", "[fd00::1]:5000", []string{"[2001:db8::7]:1234"}, "2001:db8::7"},
		{"IPv6 in brackets", "[fd00::1]:5000", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"IPv6 with a zone", "[fe80::1%eth0]:5000", nil, "fe80::1"},
		{"IPv4 within IPv6", "[::ffff:10.0.0.1]:5000", []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{"a connection without an address", "@", []string{"203.0.113.7"}, "invalid IP"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.RemoteAddr = c.peer
		for _, word := range c.forwarded {
			r.Header.Add("X-Forwarded-For", word)
		}
		if got := proxies.ClientAddress(r).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	r.RemoteAddr = "10.0.0.1:5000"
	r.Header.Set("X-Forwarded-For", "203.0.113.7")
	if got := (serve.Proxies{}).ClientAddress(r).String(); got != "10.0.0.1" {
		t.Errorf("where no proxy is trusted: %s", got)
	}
}
