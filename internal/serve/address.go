package serve

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// UnknownProxy says on what /healthz is asked that a proxy passed it on which is not trusted.
const UnknownProxy = "not in --trusted-proxies"

// Proxies are those in front of the server whose word on a client's address is believed.
type Proxies struct{ Trusted []netip.Prefix }

// ClientAddress returns the address of the client: that of the connection or, if that is a trusted proxy, the one that the
// proxy names. Each proxy appends to the right end of X-Forwarded-For, so anything left of an untrusted entry may be forged.
// The zero Addr is unknown.
func (p Proxies) ClientAddress(r *http.Request) netip.Addr {
	client := parseAddress(r.RemoteAddr)
	words := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, word := range slices.Backward(words) {
		next := parseAddress(strings.TrimSpace(word))
		if !p.trusts(client) || !next.IsValid() {
			break
		}
		client = next
	}
	return client
}

// Vouched reports whether a request came straight from a trusted proxy, whose word on who sent it is then believed.
func (p Proxies) Vouched(r *http.Request) bool { return p.trusts(parseAddress(r.RemoteAddr)) }

// relayed are headers by which proxies say that a request came through them.
var relayed = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// Relayed reports whether a request looks as if a proxy had passed it on.
func Relayed(r *http.Request) bool {
	return slices.ContainsFunc(relayed, func(name string) bool { return r.Header[name] != nil })
}

// Asked returns the host that the client has asked, with its port if it names one: that of the request, or the one that a trusted proxy
// names.
func (p Proxies) Asked(r *http.Request) string {
	if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" && p.Vouched(r) {
		host, _, _ := strings.Cut(forwarded, ",")
		return strings.TrimSpace(host)
	}
	return r.Host
}

// Secure reports whether the client uses HTTPS, to this server or to a trusted proxy.
func (p Proxies) Secure(r *http.Request) bool {
	return r.TLS != nil || p.Vouched(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// Origin returns the scheme and the host at which the client reaches the server, if they can be known: not behind a proxy that is not
// trusted. One that says nothing of itself speaks HTTP/1.0, as nginx does, and asks by a name of its own.
func (p Proxies) Origin(r *http.Request) (origin string, known bool) {
	origin = "http://" + p.Asked(r)
	if p.Secure(r) {
		origin = "https://" + p.Asked(r)
	}
	u, err := url.Parse(origin)
	known = !p.Unknown(r) && r.ProtoAtLeast(1, 1) && err == nil && u.Hostname() != "" && u.Host == p.Asked(r)
	return origin, known
}

// Unknown reports whether a request seems to come through a proxy that is not trusted, so that all its clients share one
// address.
func (p Proxies) Unknown(r *http.Request) bool { return Relayed(r) && !p.Vouched(r) }

// Has reports whether an address is one of theirs.
func (p Proxies) Has(a netip.Addr) bool { return p.trusts(a) }

func (p Proxies) trusts(a netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(network netip.Prefix) bool { return network.Contains(a) })
}

// parseAddress reads an address with or without a port. An IPv4 address within IPv6 is the IPv4 address.
func parseAddress(text string) netip.Addr {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	plain, err := netip.ParseAddr(strings.Trim(text, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return plain.Unmap().WithZone("")
}
