package event

import (
	"cmp"
	"net"
	"slices"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/event/useragent"
	"sett/internal/sett/scan"
)

// Facets collects what searches over notices read (faults.Report.Facets): first the most common fields – hostname, revision, the user,
// the URL and IP address of the request – and then section after section. The zero value is ready; it keeps its
// memory for the next notice.
type Facets struct {
	room   facetRoom
	notice notice // what is being read
	clean  []byte // a notice without what was removed
	path   []byte // where leaves are, such as "context.user"
	early  bool   // what is added is searched for most
	agent  string // the User-Agent
	users  int    // facets that name the user
}

// Shrink lets go of memory for the body of a notice that is larger than so many bytes.
func (f *Facets) Shrink(most int) {
	if cap(f.clean) > most {
		f.clean = nil
	}
}

// of returns the facets of a notice, with its hostname, revision and user as they are stored.
func (f *Facets) of(n *notice, hostname, revision, user string) string {
	f.room.reset()
	f.early, f.users, f.agent = true, 0, ""
	f.addText("hostname", hostname)
	f.addText("revision", revision)
	f.addUser(user)
	f.addName("level", n.failure.level)
	f.addName("handled", n.failure.handled)
	f.addName("trace", n.trace)
	hasHost := f.addURL(n.request.url)
	f.early = false
	f.addFiles(&n.failure.trace)
	f.room.endSection()
	f.addCGI(n.request.cgi, hasHost)
	f.addProgram(&n.program)
	f.room.endSection()
	f.addSection("context", n.request.context)
	f.addSection("params", n.request.params)
	f.addSection("session", n.request.session)
	return f.room.text()
}

// add appends one facet, if there is room for it. A query string that names a secret is left out of the value.
func (f *Facets) add(key []byte, value string) {
	if i := strings.IndexByte(value, '?'); i >= 0 && payload.IsSecret(value[i:]) {
		value = value[:i]
		f.room.leave(payload.MarkQuery(string(key)))
	}
	f.room.add(key, value, f.early)
}

// addText appends a facet if its value is not empty.
func (f *Facets) addText(key, value string) {
	if value != "" {
		f.add([]byte(key), value)
	}
}

// addName appends a facet without what is blank around its value, unless that is all.
func (f *Facets) addName(key, value string) { f.addText(key, payload.UserText(value)) }

// addProgram appends what the details, or else the User-Agent, say of where it happened.
func (f *Facets) addProgram(p *program) {
	browser, os, device := useragent.Names(f.agent)
	f.agent, f.early = "", true
	f.addName("browser", cmp.Or(nameIn(p.browser, "name"), browser))
	f.addName("os", cmp.Or(nameIn(p.os, "name"), os))
	f.addName("device", cmp.Or(nameIn(p.device, payload.ModelKeys...), device))
	f.early = false
}

// nameIn returns the first text that an object has under some keys, as payload.Facts does.
func nameIn(json string, keys ...string) (name string) {
	if json == "" {
		return ""
	}
	best := len(keys)
	s := scan.New(json)
	for key := range s.Members {
		i := slices.Index(keys, key)
		if i < 0 || i > best || s.Peek() != '"' {
			s.Value()
			continue
		}
		if text := strings.TrimSpace(s.Text()); text != "" {
			name, best = text, i
		}
	}
	return name
}

// addUser appends a value that names the affected user, unless it is there already.
func (f *Facets) addUser(value string) {
	value = payload.UserText(value)
	if value == "" || f.room.hasFirst([]byte("user"), value) {
		return
	}
	if f.users == payload.MaxUsers {
		f.room.leave("user")
		return
	}
	f.users++
	early := f.early
	f.early = true
	f.addText("user", value)
	f.early = early
}

// addFiles appends the files of the application's frames, or else the file of the top frame.
func (f *Facets) addFiles(t *trace) {
	chosen := t.chosen()
	if !chosen.best.IsApp(chosen.best) {
		f.addText("file", t.top.file)
		return
	}
	for _, file := range chosen.files {
		f.addText("file", file)
	}
}

// addURL appends the address of the request, without a user and password in it, and its host if it has one.
func (f *Facets) addURL(url string) (hasHost bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		f.addText("request.url", url)
		return false
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
		url = scheme + "://" + host + tail
	}
	f.addText("request.url", url)
	f.addHost(host)
	return host != ""
}

// addHost appends a host as it is and, where it has a port, without it.
func (f *Facets) addHost(host string) {
	f.addText("request.host", host)
	if !strings.Contains(host, ":") {
		return
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		f.addText("request.host", name)
	}
}

// addCGI appends the variables of the request under the names that people search for: request.user_agent for
// HTTP_USER_AGENT, request.method for REQUEST_METHOD, request.remote_addr for REMOTE_ADDR.
func (f *Facets) addCGI(json string, hasHost bool) {
	s := scan.New(json)
	for key := range s.Members {
		f.path = append(f.path[:0], "request"...)
		f.early = isEarlyVariable(key)
		switch key {
		case "HTTP_USER_AGENT":
			if s.Peek() != '"' {
				f.member(&s, "user_agent")
				continue
			}
			f.agent = s.Text()
			f.addText("request.user_agent", f.agent)
		case "HTTP_HOST":
			if host := s.Text(); !hasHost {
				f.addHost(host)
			}
		case "REQUEST_METHOD":
			f.member(&s, "method")
		case "QUERY_STRING":
			if query := s.Text(); !payload.IsSecret(query) {
				f.addText("request.query_string", query)
			} else {
				f.room.leave("request.query_string")
			}
		default:
			f.member(&s, strings.TrimPrefix(key, "HTTP_"))
		}
	}
	f.early = false
}

func isEarlyVariable(key string) bool {
	switch key {
	case "HTTP_HOST", "REQUEST_METHOD", "HTTP_USER_AGENT", "HTTP_REFERER", "REMOTE_ADDR":
		return true
	}
	return false
}

// addSection appends every scalar of a section of the request, under the dotted path of its keys.
func (f *Facets) addSection(section, json string) {
	s := scan.New(json)
	f.path = append(f.path[:0], section...)
	if s.Peek() == '{' {
		for key := range s.Members {
			f.early = namesUser(key)
			f.member(&s, key)
		}
	} else if json != "" {
		f.path = append(f.path, ".value"...) // as sett.ReadPayload shows it
		f.leaves(&s)
	}
	f.early = false
	f.room.endSection()
}

// namesUser reports whether a key of a section is about the user: "user" itself, or "user_id".
func namesUser(key string) bool {
	rest, ok := strings.CutPrefix(key, "user")
	return ok && (rest == "" || rest[0] == '_' || rest[0] == '.')
}

func (f *Facets) leaves(s *scan.Scanner) {
	switch s.Peek() {
	case '{':
		for key := range s.Members {
			f.member(s, key)
		}
	case '[':
		for range s.Elements {
			f.leaves(s) // elements repeat the key
		}
	case '"', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 't', 'f':
		value := s.Text()
		f.add(f.path, value)
		if payload.NamesUser(f.path) {
			f.addUser(value)
		}
	default: // null
		s.Value()
	}
}

// member appends the leaves of one member. A path that is too long to be searched for is not followed, so that a
// hostile key is not copied for each of its leaves.
func (f *Facets) member(s *scan.Scanner, key string) {
	if payload.IsSecret(key) || len(f.path)+len(key) > payload.MaxFacetText {
		s.Value()
		if len(key) <= payload.MaxFacetText {
			f.room.leave(string(f.path) + "." + key)
		} else {
			f.room.leave(string(f.path))
		}
		return
	}
	outer := len(f.path)
	f.path = append(append(f.path, '.'), key...)
	f.leaves(s)
	f.path = f.path[:outer]
}
