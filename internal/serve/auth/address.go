package auth

import (
	"net/http"
	"net/netip"

	"sett/internal/serve"
)

// AddressText returns the IP address of the client, "" if it is unknown.
func AddressText(p serve.Proxies, r *http.Request) string {
	if a := p.ClientAddress(r); a.IsValid() {
		return a.String()
	}
	return ""
}

// networkOf returns the network that counts as one place: an IPv4 address, or the /64 of an IPv6 address, of which one
// household has as many as it likes.
func networkOf(a netip.Addr) string {
	if !a.Is6() {
		return a.String()
	}
	network, err := a.Prefix(64)
	if err != nil {
		return a.String()
	}
	return network.String()
}
