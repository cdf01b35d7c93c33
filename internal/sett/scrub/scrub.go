// Package scrub removes secrets and personal data from what clients report. It takes the JSON of a notice or any other document, and the
// rules of its project. It returns the same document with the matching values replaced, and how many these were. It keeps nothing of a
// document, and never reads what it replaces in any other way. It also has erasures: whom one is about, and what may be kept of them.
package scrub

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"

	"sett/internal/sett/scan"
)

// Filtered replaces a value.
const Filtered = "[FILTERED]"

// Kind is why a value is replaced.
type Kind int

// The kinds.
const (
	ByName       Kind = iota // its key, or the name before it in a text, is that of a secret
	ByCard                   // it is the number of a payment card
	ByCredential             // it has the form of a credential, such as a password in a URL or a private key
	ByShell                  // it is a variable of a shell
	ByPattern                // a pattern of the project matches it
	ByBound                  // the patterns of the project take too long for it: it is replaced whole
	Kinds
)

// String returns the name under which values of this kind are counted.
func (k Kind) String() string {
	return [Kinds]string{"name", "card", "credential", "environment", "pattern", "unchecked"}[k]
}

// Counts is how many values were replaced, by kind.
type Counts [Kinds]int

// Total returns how many values were replaced.
func (c Counts) Total() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Found is a value that was replaced.
type Found struct {
	Kind Kind
	Path string // its keys, with dots between them; of an array, the key of the array
}

// edit replaces a part of a document.
type edit struct {
	start, end int
	text       string // JSON
}

// scrubber walks a document and collects what is to be replaced.
type scrubber struct {
	*Rules
	scan.Scanner
	hasPath bool // the document has a key PATH: there may be the environment of a shell
	edits   []edit
	grown   int // bytes that the edits add to the document
	counts  Counts
	path    []string // nil unless the paths are wanted
	found   func(Found)
	reader  Reader // nil unless the notice is read
	doc     string // for the reader
	section string // whose members come next and are read; "" for none
	bracket int    // one more than where the first bracket opens in the text that is cleaned; 0: nothing has asked yet
}

// Notice appends to room the JSON of a notice as the contract describes it, scrubbed, and returns it with the counts. It returns doc itself if nothing
// is replaced, or if doc is not JSON: its reader says so then. What the protocol needs in clear – the token of the event, the methods and
// source lines of its frames – is kept.
func (r *Rules) Notice(doc, room []byte) ([]byte, Counts) {
	return r.run(doc, room, nil, (*scrubber).notice)
}

// CleanText returns a text without what is secret in it, and adds to counts what was removed.
func (r *Rules) CleanText(text string, counts *Counts) string {
	if r == nil || r.off {
		return text
	}
	s := scrubber{Rules: r}
	clean, _ := s.clean(text)
	for kind, n := range s.counts {
		counts[kind] += n
	}
	return clean
}

// Explain calls found with each value of a notice that Notice replaces.
func (r *Rules) Explain(doc []byte, found func(Found)) { r.run(doc, nil, found, (*scrubber).notice) }

func (r *Rules) run(doc, room []byte, found func(Found), walk func(*scrubber)) ([]byte, Counts) {
	if r == nil || r.off || len(doc) == 0 || !utf8.Valid(doc) {
		return doc, Counts{}
	}
	text := unsafe.String(&doc[0], len(doc)) // in place: nothing changes doc meanwhile
	s := scrubber{Rules: r, Scanner: scan.New(text), hasPath: r.usual && strings.Contains(text, `"PATH"`), found: found}
	walk(&s)
	if s.End() != nil || len(s.edits) == 0 {
		return doc, Counts{}
	}
	return applied(room, text, 0, s.edits), s.counts
}

// applied appends to room a part of a document, which begins at start, with the edits.
func applied(room []byte, part string, start int, edits []edit) []byte {
	last := 0
	for _, e := range edits {
		room = append(append(room, part[last:e.start-start]...), e.text...)
		last = e.end - start
	}
	return append(room, part[last:]...)
}

// edit replaces a part of the document by a text.
func (s *scrubber) edit(start, end int, text string) {
	s.edits = append(s.edits, edit{start, end, text})
	s.grown += len(text) - (end - start)
}

// note counts a value that is replaced.
func (s *scrubber) note(kind Kind) {
	s.counts[kind]++
	if s.found != nil {
		s.found(Found{kind, strings.Join(s.path, ".")})
	}
}

// within runs f with a key added to the path.
func (s *scrubber) within(key string, f func()) {
	if s.found == nil {
		f()
		return
	}
	s.path = append(s.path, key)
	f()
	s.path = s.path[:len(s.path)-1]
}

// notice walks a notice.
func (s *scrubber) notice() {
	for key := range s.Members {
		switch key {
		case "error":
			s.begin(key)
			s.within(key, s.failure)
		case "request", "server", "details", "correlation_context":
			s.begin(key)
			s.member(key)
		case "api_key":
			s.within(key, func() { s.replace(ByName) })
		default:
			s.member(key)
		}
		s.section = ""
	}
}

// failure walks an error object, or a cause.
func (s *scrubber) failure() {
	section := s.enter()
	for key := range s.Members {
		place := s.placeIn(section)
		switch key {
		case "token":
			s.Value()
		case "class", "fingerprint", "tags":
			s.within(key, func() { s.any(key, open) })
		case "backtrace":
			s.within(key, func() { s.frames() })
		case "causes", "cause":
			s.within(key, func() { s.causes() })
		default:
			s.member(key)
		}
		s.read(section, key, place)
	}
}

func (s *scrubber) causes() {
	if s.Peek() == '[' {
		for range s.Elements {
			s.cause()
		}
		return
	}
	s.cause()
}

func (s *scrubber) cause() {
	if s.Peek() == '{' {
		s.failure()
		return
	}
	s.any("", open)
}

// frames walks a backtrace, unless it is known to have nothing to replace.
func (s *scrubber) frames() {
	if s.off {
		s.Value()
		return
	}
	if s.known == nil || s.found != nil || s.Peek() != '[' {
		s.eachFrame()
		return
	}
	if s.known.skip(&s.Scanner) {
		return
	}
	from, edits := s.Scanner, len(s.edits)
	if s.eachFrame(); len(s.edits) == edits && s.Err() == nil {
		s.known.add(&from, &s.Scanner)
	}
}

func (s *scrubber) eachFrame() {
	if s.Peek() != '[' {
		s.any("", open)
		return
	}
	for range s.Elements {
		if s.Peek() == '{' {
			s.frame()
		} else {
			s.any("", open)
		}
	}
}

// frame walks a frame. Methods and source lines are code, which is no personal data, and most of a notice. The file can be the address of a
// page.
func (s *scrubber) frame() {
	for key := range s.Members {
		switch key {
		case "method", "number", "column", "class", "context", "source", "in_app", "type":
			s.Value()
		case "file":
			ahead := s.Scanner
			if !strings.ContainsAny(ahead.Value(), "?@") {
				s.Scanner = ahead
				continue
			}
			s.within(key, func() { s.any(key, open) })
		default:
			s.member(key)
		}
	}
}

// member walks the value of a key.
func (s *scrubber) member(key string) {
	s.within(key, func() { s.any(key, s.of(key)) })
}

// any walks a value. key is the nearest key above it, and level what that says.
func (s *scrubber) any(key string, level secrecy) {
	switch c := s.Peek(); {
	case s.off && s.section == "":
		s.Value()
	case !s.off && level > open && s.hides(c, key, level):
		s.replace(ByName)
	case c == '{':
		s.object()
	case c == '[':
		for range s.Elements {
			s.any(key, level)
		}
	case c == '"':
		s.string()
	case s.usual && '0' <= c && c <= '9':
		start := s.Pos()
		if value := s.Value(); isCard(value) {
			s.put(start, s.Pos(), ByCard)
		}
	default:
		s.Value()
	}
}

// hides reports whether a value that begins with a character is a secret below a key.
func (s *scrubber) hides(c byte, key string, level secrecy) bool {
	switch c {
	case '"':
		return true
	case '{', '[':
		return level == secret
	case 't', 'f', 'n':
		return false
	}
	return !countsSomething(key)
}

// object walks the members of an object. Of the environment of a shell, all variables that are not known to be harmless are replaced.
func (s *scrubber) object() {
	section := s.enter()
	inShell := s.hasPath && isShell(s.Scanner)
	for key := range s.Members {
		place := s.placeIn(section)
		if level := s.of(key); inShell && level == open && !isHarmlessVariable(key) && !s.isKept(key) {
			s.within(key, func() { s.replace(ByShell) })
		} else {
			s.within(key, func() { s.any(key, level) })
		}
		s.read(section, key, place)
	}
}

// string walks a text.
func (s *scrubber) string() {
	start := s.Pos()
	text := s.Text()
	if s.Err() != nil {
		return
	}
	if clean, changed := s.clean(text); changed {
		s.edit(start, s.Pos(), quoted(clean))
	}
}

// replace replaces the value that comes next, unless it is empty, or was filtered by the client.
func (s *scrubber) replace(kind Kind) {
	s.Peek()
	start := s.Pos()
	if value := s.Value(); !s.off && !isEmpty(value) {
		s.put(start, s.Pos(), kind)
	}
}

func (s *scrubber) put(start, end int, kind Kind) {
	if s.Err() != nil {
		return
	}
	s.edit(start, end, `"`+Filtered+`"`)
	s.note(kind)
}

// isEmpty reports whether a value of JSON says nothing, or says that it was filtered already.
func isEmpty(value string) bool {
	switch value {
	case "", `""`, "{}", "[]", "null", `"***"`, `"********"`, `"[REDACTED]"`:
		return true
	}
	return len(value) == len(Filtered)+2 && strings.EqualFold(value[1:len(value)-1], Filtered)
}

// quoted returns text as JSON.
func quoted(text string) string {
	json, _ := jsontext.AppendQuote(nil, text) // of valid UTF-8, it never fails
	return string(json)
}
