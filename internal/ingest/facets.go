package ingest

import (
	"net"
	"strings"

	"sett/internal/sett"
)

// facets collects what searches over notices look at (sett.Report.Facets). The most looked-for come first, because the
// first that no longer fits ends the list.
type facets struct {
	out  []byte // begins with a newline; a newline after each
	path []byte // where leaves are, such as "context.user"
	full bool
}

// facets returns the facets of n, whose report is r but for them.
func (n *notice) facets(r *sett.Report) string {
	f := facets{
		out:  append(make([]byte, 0, sett.MaxFacets/3), '\n'),
		path: make([]byte, 0, sett.MaxFacetText),
	}
	f.addText("hostname", r.Hostname)
	f.addText("revision", r.Revision)
	f.addFiles(&n.failure.trace)
	hasHost := f.addURL(n.request.url)
	f.addCGI(n.request.cgi, hasHost)
	f.addSection("context", n.request.context)
	f.addSection("params", n.request.params)
	f.addSection("session", n.request.session)
	if len(f.out) == 1 {
		return ""
	}
	return string(f.out)
}

// add appends one facet, if there is room for all of it. A query string that names a secret is left out of the value.
func (f *facets) add(key []byte, value string) {
	if f.full {
		return
	}
	if i := strings.IndexByte(value, '?'); i >= 0 && isSecret(value[i:]) {
		value = value[:i]
	}
	before := len(f.out)
	f.out = append(sett.AppendFacet(f.out, key, []byte(value)), '\n')
	if len(f.out) > sett.MaxFacets {
		f.out, f.full = f.out[:before], true
	}
}

// addText appends a facet if its value is not empty.
func (f *facets) addText(key, value string) {
	if value != "" {
		f.add([]byte(key), value)
	}
}

// addFiles appends the files of the application's frames, or else the file of the top frame.
func (f *facets) addFiles(t *trace) {
	if !t.best.IsApp(t.best) {
		f.addText("file", t.top.file)
		return
	}
	for _, file := range t.files {
		f.addText("file", file)
	}
}

// addURL appends the address of the request, without a user and password in it, and its host if it has one.
func (f *facets) addURL(url string) (hasHost bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		f.addText("request.url", url)
		return false
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	f.addText("request.url", scheme+"://"+host+tail)
	f.addHost(host)
	return host != ""
}

// addHost appends a host as it is and, where it has a port, without it.
func (f *facets) addHost(host string) {
	f.addText("request.host", host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		f.addText("request.host", name)
	}
}

// addCGI appends the variables of the request under the names that people search for: request.user_agent for
// HTTP_USER_AGENT, request.method for REQUEST_METHOD, request.remote_addr for REMOTE_ADDR.
func (f *facets) addCGI(json string, hasHost bool) {
	s := scanner{doc: json}
	for key := range s.members {
		f.path = append(f.path[:0], "request"...)
		switch key {
		case "HTTP_HOST":
			if host := s.text(); !hasHost {
				f.addHost(host)
			}
		case "REQUEST_METHOD":
			f.member(&s, "method")
		case "QUERY_STRING":
			if query := s.text(); !isSecret(query) {
				f.addText("request.query_string", query)
			}
		default:
			f.member(&s, strings.TrimPrefix(key, "HTTP_"))
		}
	}
}

// addSection appends every scalar of a section of the request, under the dotted path of its keys.
func (f *facets) addSection(section, json string) {
	s := scanner{doc: json}
	f.path = append(f.path[:0], section...)
	if s.peek() != '{' {
		f.path = append(f.path, ".value"...) // as sett.ReadPayload shows it
	}
	f.leaves(&s)
}

func (f *facets) leaves(s *scanner) {
	switch s.peek() {
	case '{':
		for key := range s.members {
			f.member(s, key)
		}
	case '[':
		for range s.elements {
			f.leaves(s) // elements repeat the key
		}
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f':
		f.add(f.path, s.text())
	default: // null, or no such section
		s.value()
	}
}

// member appends the leaves of one member. A path that is too long to be searched for is not followed, so that a
// hostile key is not copied for each of its leaves.
func (f *facets) member(s *scanner, key string) {
	if isSecret(key) || len(f.path)+len(key) > sett.MaxFacetText {
		s.value()
		return
	}
	outer := len(f.path)
	f.path = append(append(f.path, '.'), key...)
	f.leaves(s)
	f.path = f.path[:outer]
}

// isSecret reports whether a key, or a query string, names what must not become searchable in the clear.
func isSecret(key string) bool {
	for i := range len(key) {
		switch key[i] | 0x20 {
		case 'p':
			if hasFold(key[i:], "passw") || hasFold(key[i:], "passphrase") || hasFold(key[i:], "private_key") {
				return true
			}
		case 's':
			if hasFold(key[i:], "secret") {
				return true
			}
		case 't':
			if hasFold(key[i:], "token") {
				return true
			}
		case 'a':
			if hasFold(key[i:], "authorization") || hasFold(key[i:], "api_key") || hasFold(key[i:], "apikey") {
				return true
			}
		case 'c':
			if hasFold(key[i:], "cookie") || hasFold(key[i:], "credential") {
				return true
			}
		}
	}
	return false
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
