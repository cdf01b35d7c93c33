package scrub

import (
	"strings"
	"unsafe"

	"sett/internal/sett/scan"
)

// Reader takes in a notice while it is scrubbed, so that nothing has to walk it again. It never sees what is removed.
type Reader interface {
	// Section is called where a member of the notice begins: its error, request, server, details or correlation_context, which may be anything but an object.
	Section(name string, isObject bool)
	// Member is called with the JSON of each member of these objects. The value begins at an offset of the scrubbed notice. It has the memory of
	// the document, or its own.
	Member(section, key, value string, at int)
}

// Read is Notice for a document in UTF-8 that is read on the way. Without rules nothing is replaced. The error is that of a document that is
// not JSON, or has too many levels or keys; what was read by then does not count.
func (r *Rules) Read(doc, room []byte, reader Reader) ([]byte, Counts, error) {
	if r == nil {
		r = &keepAll
	}
	text := unsafe.String(unsafe.SliceData(doc), len(doc)) // in place: nothing changes doc meanwhile
	s := scrubber{Rules: r, Scanner: scan.New(text), doc: text, hasPath: r.usual && !r.off && strings.Contains(text, `"PATH"`), reader: reader}
	s.notice()
	if err := s.End(); err != nil {
		return doc, Counts{}, err
	}
	if len(s.edits) == 0 {
		return doc, Counts{}, nil
	}
	return applied(room, text, 0, s.edits), s.counts, nil
}

// keepAll are rules that replace nothing.
var keepAll = Rules{off: true}

// place is where a value begins.
type place struct {
	start, edits, grown int
}

// placeIn returns the place of the value that comes next, if its section is read.
func (s *scrubber) placeIn(section string) (p place) {
	if section != "" && s.reader != nil {
		s.Peek()
		p = place{s.Pos(), len(s.edits), s.grown}
	}
	return p
}

// begin begins a section of the notice, if the notice is read.
func (s *scrubber) begin(section string) {
	if s.reader == nil {
		return
	}
	isObject := s.Peek() == '{'
	if s.reader.Section(section, isObject); isObject {
		s.section = section
	}
}

// enter returns the section whose object comes next. Objects inside of it are not sections.
func (s *scrubber) enter() (section string) {
	section, s.section = s.section, ""
	return section
}

// read passes the value that began at a place to the reader, if its section is read.
func (s *scrubber) read(section, key string, p place) {
	if section == "" || s.reader == nil || s.Err() != nil {
		return
	}
	value := s.doc[p.start:s.Pos()]
	if edits := s.edits[p.edits:]; len(edits) > 0 {
		value = string(applied(nil, value, p.start, edits))
	}
	s.reader.Member(section, key, value, p.start+p.grown)
}
