package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Prefix returns the path of an address of the server as links begin with it: escaped, without a slash at the end; "" for
// an address without a path.
func Prefix(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.EscapedPath(), "/")
}

// setPrefixes notes the paths below which the routes are served too: those of the addresses, as they are compared, the longest first.
func (m *mux) setPrefixes(addresses []string) {
	for _, address := range addresses {
		if plain, err := url.PathUnescape(Prefix(address)); err == nil && plain != "" {
			m.prefixes = append(m.prefixes, plain)
		}
	}
	slices.SortFunc(m.prefixes, func(a, b string) int { return len(b) - len(a) })
}

// above returns r, or a copy of it without the prefix of its path: no proxy has removed it. What a proxy left of a path may
// begin like the prefix, as /docs/api does below /docs; it stays as it is if only so a route matches.
func (m *mux) above(r *http.Request) *http.Request {
	for _, prefix := range m.prefixes {
		cut, below := cutPrefix(r, prefix)
		if below && (m.matches(cut) || !m.matches(r)) {
			return cut
		}
	}
	return r
}

// matches reports whether a route takes the request.
func (m *mux) matches(r *http.Request) bool {
	_, pattern := m.patterns.Handler(r)
	return pattern != fallbackPattern && !m.refused[pattern]
}

// cutPrefix returns a copy of r without a prefix of its path, and whether it was there.
func cutPrefix(r *http.Request, prefix string) (cut *http.Request, below bool) {
	rest, below := strings.CutPrefix(r.URL.Path, prefix)
	if !below || rest != "" && rest[0] != '/' {
		return r, false
	}
	u := *r.URL
	u.Path, u.RawPath = "/"+strings.TrimPrefix(rest, "/"), ""
	if segments := strings.Count(prefix, "/"); r.URL.RawPath != "" {
		if parts := strings.SplitN(r.URL.RawPath, "/", segments+2); len(parts) == segments+2 {
			u.RawPath = "/" + parts[segments+1]
		}
	}
	cut = r.WithContext(r.Context())
	cut.URL = &u
	return cut, true
}
