package status

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// unnamed is what visitors read instead of an address that only the owner of a page needs to know.
const unnamed = "Website"

// insideNames end the names of hosts that only a private network knows.
var insideNames = []string{"local", "localhost", "internal", "intranet", "lan", "private", "corp", "home", "svc", "arpa"}

// VisitorName returns the name of a component as visitors read it. A name that is an address, as the name of a site is by default, becomes
// its public host; one that is inside a network is not shown.
func VisitorName(name string) string {
	host, ok := hostIn(name)
	switch {
	case !ok:
		return name
	case inside(host):
		return unnamed
	}
	return host
}

// hostIn returns the host of a name that is a URL, an IP address, or either with a port.
func hostIn(name string) (host string, ok bool) {
	if strings.ContainsAny(name, " \t") {
		return "", false
	}
	if strings.Contains(name, "://") {
		u, err := url.Parse(name)
		return strings.ToLower(strings.TrimSuffix(hostnameOf(u), ".")), err == nil && u.Hostname() != ""
	}
	host = name
	if h, port, err := net.SplitHostPort(name); err == nil && port != "" {
		return strings.ToLower(h), h != "" && strings.Trim(port, "0123456789") == ""
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host, err == nil
}

func hostnameOf(u *url.URL) string {
	if u == nil {
		return ""
	}
	return u.Hostname()
}

// inside reports whether a host is an IP address or known only in a private network.
func inside(host string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last == host || slices.Contains(insideNames, last)
}
