package serve

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// MuxOptions is what a mux needs beside its routes. Every field may be left zero.
type MuxOptions struct {
	// Wrap puts something around each route's handler, such as authentication; also around that of the route NotFound.
	Wrap func(Route, Handler) Handler
	// Log takes one line per request; nil: none is written.
	Log *slog.Logger
	// Error writes err; the default is AnswerError. Another function must use Explain to get a text for users.
	Error func(w http.ResponseWriter, r *http.Request, err error)
	// HTTPS says that browsers reach all routes by https, and are to use nothing else from then on.
	HTTPS bool
	// Bodies bounds what request bodies hold; nil: nothing does.
	Bodies *Bodies
	// Answers counts what is answered; nil: nothing does.
	Answers *Answers
	// Addresses are those of the server. A request may come with the path of one of them before its own; without it, if a proxy
	// has removed it.
	Addresses []string
}

// NewMux returns the handler of a route table, with request log, security headers and recovery from panics. Trailing
// and doubled slashes are accepted everywhere and never redirected. An unknown path is answered with 404 and a wrong
// method with 405 and Allow, in the form of every other error. It panics when two routes contradict each other
// or a path ends in a slash.
func NewMux(routes []Route, opts MuxOptions) http.Handler {
	m := &mux{opts: opts}
	for _, rt := range routes {
		if rt.Path != "/" && strings.HasSuffix(rt.Path, "/") {
			panic("serve: the path of route " + rt.Name + " ends in a slash and would never match")
		}
		m.patterns.Handle(rt.pattern(), m.handler(rt))
		if rt.NoHead {
			m.noHead = append(m.noHead, http.MethodHead+" "+rt.Path)
		}
		if !slices.Contains(m.methods, rt.Method) {
			m.methods = append(m.methods, rt.Method)
		}
	}
	slices.Sort(m.methods)
	m.fallback = m.handler(Route{Name: NotFound, Permission: accounts.Public, Handle: m.notFound})
	m.patterns.Handle(fallbackPattern, m.fallback)
	m.keepWords(routes)
	m.setPrefixes(opts.Addresses)
	for _, pattern := range m.noHead {
		m.refused[pattern] = true
		m.patterns.Handle(pattern, m.fallback)
	}
	return Log(opts.Log, countAnswers(opts.Answers, guardBodies(opts.Bodies, SecurityHeaders(strict(opts.HTTPS, m)))))
}

type mux struct {
	opts     MuxOptions
	patterns http.ServeMux
	fallback http.Handler
	methods  []string        // of all routes, sorted
	noHead   []string        // patterns of GET routes that HEAD must not reach
	refused  map[string]bool // patterns that keepWords made
	prefixes []string        // paths below which the routes are served too, not escaped
}

// fallbackPattern is less specific than the pattern of any route, so it gets what no route matches.
const fallbackPattern = "/"

// keepWords keeps the fixed words of paths from being taken for ids: where the path of a route is also that of a more
// general one with another method, as /projects/occurrences is of /projects/{project_id}, that method gets the fallback.
func (m *mux) keepWords(routes []Route) {
	m.refused = map[string]bool{}
	served, segments := map[string]bool{}, make([][]string, len(routes))
	for i, rt := range routes {
		served[rt.pattern()], segments[i] = true, strings.Split(rt.Path, "/")
	}
	for i, rt := range routes {
		for j, general := range routes {
			if !generalizes(segments[j], segments[i]) {
				continue
			}
			if pattern := general.Method + " " + rt.Path; !served[pattern] {
				served[pattern], m.refused[pattern] = true, true
				m.patterns.Handle(pattern, m.fallback)
			}
		}
	}
}

// generalizes reports whether a path matches all that another one does, and more, because it has names in braces where
// the other has words. Both are given as their segments.
func generalizes(g, p []string) bool {
	wider := false
	for i, segment := range g {
		switch named := strings.HasPrefix(segment, "{"); {
		case i >= len(p):
			return false
		case named && strings.HasSuffix(segment, "...}"):
			return true
		case named && !strings.HasPrefix(p[i], "{"):
			wider = true
		case !named && segment != p[i]:
			return false
		}
	}
	return wider && len(g) == len(p)
}

// ServeHTTP runs the route of the cleaned path.
func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if climbs(r) || !storable(r.URL.Path) {
		m.fallback.ServeHTTP(w, r)
		return
	}
	clean := m.above(withCleanPath(r))
	m.patterns.ServeHTTP(w, clean)
}

// withCleanPath returns r, or a copy of it, with a path that http.ServeMux has no reason to redirect. The escaped form is
// cleaned, so that an escaped slash stays part of its segment.
func withCleanPath(r *http.Request) *http.Request {
	if p := r.URL.Path; r.URL.RawPath == "" && path.Clean(p) == p && strings.HasPrefix(p, "/") {
		return r
	}
	clean := r.WithContext(r.Context())
	u := *r.URL
	clean.URL = &u
	escaped := path.Clean("/" + u.EscapedPath())
	if plain, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = plain, escaped
	}
	return clean
}

// climbs reports whether the path has a . or .. segment. Such a path is always a mistake: a client put in an id without
// checking it, and must not reach, or delete, the parent.
func climbs(r *http.Request) bool {
	for segment := range strings.SplitSeq(r.URL.EscapedPath(), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// storable reports whether s is text that every database can hold: valid UTF-8 without NUL.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// handler runs the route's Handler inside its wrapping and answers the error that comes out of it.
func (m *mux) handler(rt Route) http.Handler {
	handle := rt.Handle
	if m.opts.Wrap != nil {
		handle = m.opts.Wrap(rt, handle)
	}
	handle = Recover(handle)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := factsOf(r.Context())
		f.route, f.tag, f.quiet, f.pageSize = rt.Path, rt.Tag, rt.Quiet, rt.pageSize()
		if err := handle(w, r); err != nil {
			m.answer(w, r, f, err)
		}
	})
}

func (m *mux) answer(w http.ResponseWriter, r *http.Request, f *facts, err error) {
	if f.answered {
		f.fail(err)
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
	if m.opts.Error != nil {
		m.opts.Error(w, r, err)
		return
	}
	AnswerError(w, r, err)
}

func (m *mux) notFound(w http.ResponseWriter, r *http.Request) error {
	allowed := m.allowed(r)
	if len(allowed) == 0 {
		return sett.Errorf(sett.NotFound, "Not found. Check the URL.")
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return sett.Errorf(sett.MethodNotAllowed, "This URL does not support %s; it supports %s.", r.Method,
		strings.Join(allowed, ", "))
}

// allowed lists the methods with which some route would have matched the path, sorted. A path that cannot be stored
// names nothing that exists, whatever the method.
func (m *mux) allowed(r *http.Request) []string {
	if climbs(r) || !storable(r.URL.Path) {
		return nil
	}
	var allowed []string
	try := *r
	for _, method := range m.methods {
		try.Method = method
		if _, pattern := m.patterns.Handler(&try); pattern == fallbackPattern || m.refused[pattern] {
			continue
		}
		allowed = append(allowed, method)
		if method == http.MethodGet && m.takesHead(&try) {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return slices.Compact(allowed) // HEAD may have a route of its own
}

// takesHead reports whether what answers GET answers HEAD too.
func (m *mux) takesHead(r *http.Request) bool {
	try := *r
	try.Method = http.MethodHead
	_, pattern := m.patterns.Handler(&try)
	return !m.refused[pattern]
}

// SecurityHeaders sets headers that forbid browsers to run scripts, frame pages and guess types. A page replaces the content
// policy by its own. The referrer stays within this host, because URLs of pages contain names of projects and people.
func SecurityHeaders(next http.Handler) http.Handler {
	fixed := http.Header{ // shared by all responses; never modified
		"X-Content-Type-Options":  {"nosniff"},
		"Referrer-Policy":         {"same-origin"},
		"X-Frame-Options":         {"DENY"},
		"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), fixed)
		next.ServeHTTP(w, r)
	})
}

// strict makes browsers use https for a year, if the server does (RFC 6797). It does not include subdomains, which are
// not ours.
func strict(https bool, next http.Handler) http.Handler {
	if !https {
		return next
	}
	year := []string{"max-age=31536000"} // shared by all answers
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Strict-Transport-Security"] = year
		next.ServeHTTP(w, r)
	})
}
