package payload

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// A notice has marks among its facets: they say which of its values the facets leave out, so that a search knows when it has to read what was
// sent. The key of a mark is one that no client can send. Its value is
//
//   - MarkKnown: all that the facets leave out has a mark. Notices that an earlier version stored have none;
//   - the hash of a key whose values, or some of them, are left out;
//   - MarkAny: the values of any key may be left out.
//
// A search may also ask for MarkEarlier, which no notice has: what it looks for may be missing from facets without MarkKnown, however few they are.
const (
	MarkKey     = "\x01"
	MarkKnown   = "-"
	MarkAny     = "*"
	MarkEarlier = "?"
)

// longFacets is how long facets are at least of which an earlier version has left something out for want of room: the most that each of five
// sections can leave unused is one facet.
const longFacets = MaxFacets - 6*(2*MaxFacetText+2)

// MaxUsers is how many facets may name the user of a notice: one for each way to do so.
const MaxUsers = 8

// markBegin begins each mark.
const markBegin = "\n" + MarkKey + "="

// MarkOf returns the mark for values of a key that are left out.
func MarkOf(key string) string {
	const first, factor = 2166136261, 16777619 // FNV-1a of 32 bits
	h := uint32(first)
	for _, c := range []byte(foldText(key)) {
		h = (h ^ uint32(c)) * factor
	}
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], h)
	return hex.EncodeToString(b[:])
}

// MarksFor returns the marks that a notice may have whose facets leave out values of a key: of the key, or of one that contains it. Earlier
// versions left out keys that name a secret, are long or have a "=", and had no key for users.
func MarksFor(key string) []string {
	marks := []string{MarkAny, MarkOf(key)}
	for i, c := range key {
		if c == '.' && i > 0 {
			marks = append(marks, MarkOf(key[:i]))
		}
	}
	if key == "user" || IsSecret(key) || MayBeCut(key) || strings.Contains(key, "=") {
		marks = append(marks, MarkEarlier)
	}
	return marks
}

// MarksForQuery returns the marks that a notice may have whose facets leave the query string out of an address under a key.
func MarksForQuery(key string) []string { return []string{MarkOf(MarkQuery(key)), MarkEarlier} }

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

// IsMarked reports whether the facets of a notice may leave out what has one of some marks.
func IsMarked(facets string, marks []string) bool {
	at := strings.Index(facets, markBegin)
	if at < 0 {
		return isFull(facets) || slices.Contains(marks, MarkEarlier)
	}
	for _, mark := range marks {
		if strings.Contains(facets[at:], markBegin+mark+"\n") {
			return true
		}
	}
	return false
}

// LeavesOut reports whether the facets of a notice may leave anything out.
func LeavesOut(facets string) (any bool) {
	known := false
	Marks(facets, func(mark string) { known, any = true, any || mark != MarkKnown })
	return any || !known
}

// isFull reports whether an earlier version may have had no room for more of the facets of a notice.
func isFull(facets string) bool {
	return len(facets) >= longFacets || strings.Count(facets, "\nuser=") >= MaxUsers
}

// MostMarks is of how many keys a notice says that it leaves values out; with more, it says so of all keys.
const MostMarks = 64

// WriteMarks writes, behind some facets, the marks for keys of which they leave values out, and MarkKnown.
func WriteMarks(b *strings.Builder, left map[string]bool) {
	write := func(mark string) {
		b.WriteString(markBegin[1:])
		b.WriteString(mark)
		b.WriteByte('\n')
	}
	if len(left) > MostMarks {
		write(MarkAny)
		left = nil
	}
	keys := make([]string, 0, MostMarks) // on the stack
	for key := range left {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		write(MarkOf(key))
	}
	write(MarkKnown)
}

// WithMarks returns facets with marks for some keys of which they leave values out.
func WithMarks(facets string, left map[string]bool) string {
	var b strings.Builder
	b.WriteString(cmp.Or(facets, "\n"))
	WriteMarks(&b, left)
	return b.String()
}

// Known returns the facets of a notice with marks: an earlier version has stored them if they have none. Then what they leave out is looked for in
// its body, of which the backtrace may be missing. user is the affected user.
func Known(facets, user string, b Body) string {
	if strings.Contains(facets, markBegin) {
		return facets
	}
	if isFull(facets) {
		return WithMarks(facets+MarkKey+"="+MarkAny+"\n", nil)
	}
	r, err := b.reader()
	if err != nil {
		return WithMarks(facets, nil)
	}
	all, _ := r.facets(b.JSON, "") // what cannot be read is not found
	all.addUser(user)
	return all.complete(facets)
}

// complete returns facets of an earlier version with the users that they lack, and the marks for what else they leave out.
func (a payloadFacets) complete(facets string) string {
	left := map[string]bool{}
	secret := func(value string) bool {
		return slices.ContainsFunc(a, func(f facet) bool { return f.value == value && IsSecret(f.key) })
	}
	for i, f := range a {
		line := FacetLine(f.key, f.value) + "\n"
		before, _, query := strings.Cut(f.value, "?")
		switch {
		case strings.Contains(facets, "\n"+line):
		case i > 0 && a[i-1].key == f.key && strings.HasPrefix(a[i-1].value, f.value+"?"): // it stands for the one before
		case f.key == "user" && !secret(f.value):
			facets = cmp.Or(facets, "\n") + line
		case query && strings.Contains(facets, "\n"+FacetLine(f.key, before)+"\n"):
			left[MarkQuery(f.key)] = true
		default:
			left[f.key] = true
		}
	}
	return WithMarks(facets, left)
}

// MayBeCut reports whether a value of facets may be only the beginning of what was sent.
func MayBeCut(value string) bool { return len(value) > MaxFacetText-utf8.UTFMax }
