package sourcemap

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
)

// The longest that names of files may be. Some bundlers put whole files there, as data URLs.
const (
	longestRoot    = 500
	longestDebugID = 64
	longestSource  = 1000
)

// Parse decodes a source map: JSON, also after the line ")]}'" that keeps browsers from running it. An error of type *Error is for the one
// who sent the text; there is no other.
func Parse(text []byte, limits Limits) (*Map, error) {
	if len(text) > limits.Bytes {
		return nil, errorf("The source map has %d bytes, and at most %d are accepted. Split the bundle, or build the map without sourcesContent", len(text), limits.Bytes)
	}
	r := reader{scanner{text: withoutPrefix(text)}, limits, &Map{}}
	r.document(part{}, 0)
	if r.peek() != 0 {
		r.fail("text after the end")
	}
	if r.err != nil {
		return nil, r.err
	}
	byPosition := func(a, b segment) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column)) }
	if !slices.IsSortedFunc(r.m.segments, byPosition) {
		slices.SortStableFunc(r.m.segments, byPosition)
	}
	return r.m, nil
}

// withoutPrefix drops a byte order mark, and the line that keeps browsers from running the text.
func withoutPrefix(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(text, []byte(")]}")) {
		return text
	}
	_, text, _ = bytes.Cut(text, []byte("\n"))
	return text
}

// reader reads a map into m.
type reader struct {
	scanner
	limits Limits
	m      *Map
}

// members are where the members of a map are in its text, which may have them in any order; 0: nowhere.
type members struct {
	root                                                  string
	sources, contents, ignored, names, mappings, sections int
}

// document reads a map, or one in a section of another map, at a depth from 0.
func (r *reader) document(p part, depth int) {
	if r.peek() != '{' {
		r.fail("expected an object")
		return
	}
	found := r.find()
	end := r.at
	if r.err == nil && found.mappings == 0 && found.sections == 0 {
		r.err = errorf(`The source map has neither "mappings" nor "sections". Send the .map file that your bundler writes, not the minified file`)
	}
	p.firstSource, p.firstName = len(r.m.sources), len(r.m.names)
	r.visit(found.sources, func() { r.sources(found.root) })
	r.visit(found.contents, func() { r.contents(p.firstSource) })
	r.visit(found.ignored, func() { r.ignore(p.firstSource) })
	r.visit(found.names, r.names)
	p.sources, p.names = len(r.m.sources)-p.firstSource, len(r.m.names)-p.firstName
	r.visit(found.mappings, func() { r.mappings(p) })
	r.visit(found.sections, func() { r.sections(p, depth) })
	r.at = end
}

// find reads the short members of a map, and finds the others.
func (r *reader) find() (found members) {
	places := map[string]*int{
		"sources": &found.sources, "sourcesContent": &found.contents, "names": &found.names, "mappings": &found.mappings, "sections": &found.sections,
		"ignoreList": &found.ignored, "x_google_ignoreList": &found.ignored,
	}
	r.members(func(key string) {
		switch place := places[key]; {
		case place != nil:
			r.peek()
			*place = r.at
			r.skip()
		case key == "version":
			if version := r.integer(math.MaxInt32); version != 3 && r.err == nil {
				r.err = errorf("The source map has version %d. Have your bundler write version 3", version)
			}
		case key == "sourceRoot":
			found.root = r.root()
		case (key == "debugId" || key == "debug_id") && r.peek() == '"':
			r.m.DebugID = CleanDebugID(r.unquoted())
		default:
			r.skip()
		}
	})
	return found
}

// CleanDebugID returns a debug ID in lower case; "" for a text that is none. Nearly all are UUIDs.
func CleanDebugID(text string) string {
	text = strings.ToLower(text)
	if len(text) > longestDebugID || strings.Trim(text, "0123456789abcdef-") != "" {
		return ""
	}
	return text
}

// visit reads a member that was found before.
func (r *reader) visit(at int, read func()) {
	if at == 0 || r.err != nil {
		return
	}
	r.at = at
	read()
}

// root reads what the names of all sources begin with.
func (r *reader) root() string {
	root := r.unquoted()
	if len(root) > longestRoot && r.err == nil {
		r.err = errorf("The sourceRoot of the source map has more than %d characters. Set a shorter one in your bundler", longestRoot)
	}
	if root != "" && !strings.HasSuffix(root, "/") {
		root += "/"
	}
	return root
}

func (r *reader) sources(root string) {
	r.elements(func() {
		if len(r.m.sources) == r.limits.Sources {
			r.err = tooMany("sources", r.limits.Sources)
			return
		}
		name := r.unquoted()
		if name != "" && !isAbsolute(name) {
			name = root + name
		}
		r.m.sources = append(r.m.sources, source{name: cutTo(name, longestSource)})
	})
}

// isAbsolute reports whether the name of a source is a URL, or a path from the root of a file system.
func isAbsolute(name string) bool {
	drive := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/')
	return drive || strings.HasPrefix(name, "/") || strings.Contains(name, "://")
}

// contents reads the original files of the sources from first on.
func (r *reader) contents(first int) {
	i := first
	r.elements(func() {
		if i < len(r.m.sources) {
			r.m.sources[i].content = r.unquoted()
			i++
			return
		}
		r.skip()
	})
}

// ignore reads which of the sources from first on are not the application's.
func (r *reader) ignore(first int) {
	r.elements(func() {
		if c := r.peek(); c < '0' || c > '9' { // no place in the list
			r.skip()
			return
		}
		if i := r.integer(math.MaxInt32); r.err == nil && i < len(r.m.sources)-first {
			r.m.sources[first+i].ignored = true
		}
	})
}

func (r *reader) names() {
	r.elements(func() {
		if len(r.m.names) == r.limits.Names {
			r.err = tooMany("names", r.limits.Names)
			return
		}
		r.m.names = append(r.m.names, r.unquoted())
	})
}

func (r *reader) mappings(p part) {
	q := r.quoted()
	if r.err != nil {
		return
	}
	mappings := q[1 : len(q)-1]
	if bytes.IndexByte(mappings, '\\') >= 0 { // some encoders write "\/"
		r.at -= len(q)
		mappings = []byte(r.unquoted())
	}
	n := countSegments(mappings)
	if n > r.limits.Segments-len(r.m.segments) {
		r.err = tooMany("segments", r.limits.Segments)
		return
	}
	segments, err := appendSegments(slices.Grow(r.m.segments, n), mappings, p)
	if err != nil && r.err == nil {
		r.err = err
	}
	r.m.segments = segments
}

// sections reads the maps of an index map.
func (r *reader) sections(p part, depth int) {
	if depth == r.limits.Depth {
		r.err = errorf("The source map has sections in sections, %d deep. Have your bundler write one map", r.limits.Depth)
		return
	}
	r.elements(func() {
		if r.limits.Sections == 0 {
			r.err = errorf("The source map has too many sections. Have your bundler write one map without sections")
			return
		}
		r.limits.Sections--
		r.section(p, depth)
	})
}

func (r *reader) section(p part, depth int) {
	line, column, at := 0, 0, 0
	r.scanner.members(func(key string) {
		switch key {
		case "offset":
			line, column = r.offset()
		case "map":
			r.peek()
			at = r.at
			r.skip()
		default:
			r.skip()
		}
	})
	if r.err == nil && at == 0 {
		r.err = errorf(`A section of the source map has no "map". Have your bundler put the maps of all sections into the file, not their URLs`)
	}
	if line > 0 {
		p.column = 0
	}
	if int64(p.line)+int64(line) > math.MaxInt32 || int64(p.column)+int64(column) > math.MaxInt32 {
		r.fail("an offset is too large")
	}
	end := r.at
	r.visit(at, func() { r.document(part{line: p.line + int32(line), column: p.column + int32(column)}, depth+1) })
	r.at = end
}

func (r *reader) offset() (line, column int) {
	r.scanner.members(func(key string) {
		switch key {
		case "line":
			line = r.integer(math.MaxInt32)
		case "column":
			column = r.integer(math.MaxInt32)
		default:
			r.skip()
		}
	})
	return line, column
}

// cutTo returns the beginning of a text.
func cutTo(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "")
	}
	return text
}
