package event

import (
	"bytes"
	"slices"
	"strings"

	"sett/internal/event/payload"
)

// maxFirst is how many bytes the facets may take that come before all others: half of the room.
const maxFirst = payload.MaxFacets / 2

// facetRoom shares the room for the facets of a notice, so that none is crowded out by a section with too many: those
// that are searched for most come first, and each section has a fair share of what they leave. What a section does not
// need, the others may use. A section that has too much keeps what was sent first.
type facetRoom struct {
	first    lines
	sections lines // one after another
	ends     []int // where each ends
	line     []byte
	left     map[string]bool // keys of which values have no place
}

// leave notes that a value of a key has no place.
func (r *facetRoom) leave(key string) {
	if r.left == nil {
		r.left = map[string]bool{}
	}
	if len(r.left) <= payload.MostMarks {
		r.left[key] = true
	}
}

// leaveLines notes that some facets have no place.
func (r *facetRoom) leaveLines(facets []byte) {
	for line := range bytes.Lines(facets) {
		key, _, _ := bytes.Cut(line, []byte{'='})
		r.leave(string(key))
	}
}

// lines is a list of facets, a newline behind each. The first that no longer fits ends it.
type lines struct {
	out  []byte
	most int // bytes
	full bool
}

func (l *lines) add(key []byte, value string) (fits bool) {
	if l.full {
		return false
	}
	before := len(l.out)
	l.out = append(payload.AppendFacet(l.out, key, []byte(value)), '\n')
	if len(l.out) > l.most {
		l.out, l.full = l.out[:before], true
	}
	return !l.full
}

// reset empties the room for the facets of a notice.
func (r *facetRoom) reset() {
	r.first = lines{out: r.first.out[:0], most: maxFirst}
	r.sections = lines{out: r.sections.out[:0], most: payload.MaxFacets}
	r.ends = r.ends[:0]
	clear(r.left)
}

// endSection lets the next section begin.
func (r *facetRoom) endSection() {
	end := len(r.sections.out)
	r.ends = append(r.ends, end)
	r.sections.most, r.sections.full = end+payload.MaxFacets, false
}

// add appends a facet to its section or, if it is early and there is room, to the first.
func (r *facetRoom) add(key []byte, value string, early bool) {
	switch {
	case bytes.IndexByte(key, '=') >= 0 || payload.MayBeCut(string(key)): // a facet would be that of another key
		r.leave(string(key))
	case early && r.first.add(key, value):
	case !r.sections.add(key, value):
		r.leave(string(key))
	}
}

// hasFirst reports whether a facet is among the first.
func (r *facetRoom) hasFirst(key []byte, value string) bool {
	r.line = append(payload.AppendFacet(append(r.line[:0], '\n'), key, []byte(value)), '\n')
	return bytes.HasPrefix(r.first.out, r.line[1:]) || bytes.Contains(r.first.out, r.line)
}

// text returns a copy of all facets that have a place, the way that faults.Report keeps them.
func (r *facetRoom) text() string {
	first, rest := r.first.out, r.sections.out
	share := r.share(payload.MaxFacets - len("\n") - len(first))
	var b strings.Builder
	b.Grow(min(len("\n")+len(first)+len(rest), payload.MaxFacets) + marksRoom)
	b.WriteByte('\n')
	b.Write(first)
	start := 0
	for _, end := range r.ends {
		section := rest[start:end]
		if len(section) > share {
			fits := bytes.LastIndexByte(section[:share], '\n') + 1
			r.leaveLines(section[fits:])
			section = section[:fits]
		}
		b.Write(section)
		start = end
	}
	payload.WriteMarks(&b, r.left)
	return b.String()
}

// marksRoom is how many bytes the marks of most notices take at most.
const marksRoom = 64

// share returns the bytes that a section may have at most, so that all sections together take no more than room.
func (r *facetRoom) share(room int) int {
	sizes := make([]int, 0, 8)
	start := 0
	for _, end := range r.ends {
		sizes = append(sizes, end-start)
		start = end
	}
	slices.Sort(sizes)
	for i, size := range sizes {
		if share := room / (len(sizes) - i); size > share {
			return share
		}
		room -= size
	}
	return payload.MaxFacets
}
