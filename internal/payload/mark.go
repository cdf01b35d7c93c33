package payload

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"
)

// A notice has marks among its facets: they say which of its values the facets leave out, so that a search knows when it has to read what was
// sent. The key of a mark is one that no client can send. Its value is
//
//   - the hash of a key whose values, or some of them, are left out;
//   - MarkAny: the values of any key may be left out;
//   - MarkWhole: nothing is. Only facets that are so long that an earlier version may have left something out say so.
const (
	MarkKey   = "\x01"
	MarkAny   = "*"
	MarkWhole = "-"
)

// longFacets is how long facets are at least of which an earlier version has left something out for want of room: the most that each of five
// sections can leave unused is one facet.
const longFacets = MaxFacets - 6*(2*MaxFacetText+2)

// markBegin begins each mark.
const markBegin = "\n" + MarkKey + "="

// MarkOf returns the mark for values of a key that are left out.
func MarkOf(key string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(foldText(key))) // it never fails
	return fmt.Sprintf("%08x", h.Sum32())
}

// MarksFor returns the marks that a notice may have whose facets leave out values of a key: of the key, or of one that contains it.
func MarksFor(key string) []string {
	marks := []string{MarkAny, MarkOf(key)}
	for i, c := range key {
		if c == '.' && i > 0 {
			marks = append(marks, MarkOf(key[:i]))
		}
	}
	return marks
}

// MarkQuery is the key of the query string of an address, which the facets leave out if it looks like a secret.
func MarkQuery(key string) string { return key + "?" }

// Marks calls yield with each mark of the facets of a notice.
func Marks(facets string, yield func(mark string)) {
	for rest := facets; ; {
		_, after, ok := strings.Cut(rest, markBegin)
		if !ok {
			return
		}
		mark, _, _ := strings.Cut(after, "\n")
		yield(mark)
		rest = after[len(mark):]
	}
}

// IsMarked reports whether the facets of a notice have one of some marks.
func IsMarked(facets string, marks []string) bool {
	at := strings.Index(facets, markBegin)
	if at < 0 {
		return len(facets) >= longFacets // an earlier version stored them
	}
	for _, mark := range marks {
		if strings.Contains(facets[at:], markBegin+mark+"\n") {
			return true
		}
	}
	return false
}

// WithMark returns facets with a mark if they are long and have none.
func WithMark(facets, mark string) string {
	if len(facets) < longFacets || strings.Contains(facets, markBegin) {
		return facets
	}
	return facets + MarkKey + "=" + mark + "\n"
}

// MayBeCut reports whether a value of facets may be only the beginning of what was sent.
func MayBeCut(value string) bool { return len(value) > MaxFacetText-utf8.UTFMax }
