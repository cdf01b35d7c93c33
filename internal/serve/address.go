package serve

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

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
