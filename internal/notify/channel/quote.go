package channel

import (
	"mime"
	"net"
	"net/netip"
	"strings"
)

// mostQuoted is how much of an answer is repeated, in bytes.
const mostQuoted = 200

// unquoted stands for what is not repeated of an answer.
const unquoted = "response hidden because the address is in a private network that SETT_EGRESS_ALLOW does not list"

// inside reports whether a connection leads into a private network, whose responses must not be shown: the admin of a
// project could use them to read internal services.
func (t Tools) inside(to net.Addr) bool {
	at, err := netip.ParseAddrPort(to.String())
	return err != nil || t.Egress.Inside(at.Addr())
}

// quote returns what a service said as those may read it who named its address.
func (a answer) quote(said string) string {
	if a.inside {
		return unquoted
	}
	return said
}

// words repeats how an answer begins, where it is JSON or plain text.
func (t Tools) words(a answer) string {
	if len(a.body) == 0 || !isText(a.header.Get("Content-Type")) {
		return ""
	}
	said := t.hide(string(a.body))
	return ": " + a.quote(strings.ToValidUTF8(said[:min(len(said), mostQuoted)], ""))
}

// isText reports whether a content type is of what people can read as it is.
func isText(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil, kind == "text/html":
		return false
	case strings.HasPrefix(kind, "text/"), kind == "application/json":
		return true
	}
	return strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}
