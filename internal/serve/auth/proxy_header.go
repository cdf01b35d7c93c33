package auth

import (
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// ProxyHeader knows people by a header in which a trusted proxy, which they have signed in to, gives their address.
type ProxyHeader struct {
	proxies serve.Proxies
	name    string
}

// NewProxyHeader returns a ProxyHeader of the given name; without a name it accepts no users.
func NewProxyHeader(proxies serve.Proxies, name string) *ProxyHeader {
	return &ProxyHeader{proxies, name}
}

// Name returns the name of the header; "" for none.
func (h *ProxyHeader) Name() string { return h.name }

// Email returns the email address (lower case) of the user that a trusted proxy names, or "". If the header is there twice,
// one may be the client's own, so neither counts.
func (h *ProxyHeader) Email(r *http.Request) string {
	if h.name == "" || !h.proxies.Vouched(r) {
		return ""
	}
	values := r.Header.Values(h.name)
	if len(values) != 1 {
		return ""
	}
	email := strings.ToLower(strings.TrimSpace(values[0]))
	var problems sett.Problems
	if sett.CheckEmail(&problems, "email", email); len(problems) > 0 {
		return ""
	}
	return email
}

// Stands reports whether a session is still good for a request: one that a proxy has vouched for ends with its word.
func (h *ProxyHeader) Stands(r *http.Request, p Principal) bool {
	return p.Session.How != signin.ByProxy || h.Email(r) == p.User.Email
}
