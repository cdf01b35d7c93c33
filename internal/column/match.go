package column

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"sett/internal/payload"
	"sett/internal/query"
)

// Term is a term of a search about what was sent with a notice.
type Term struct {
	Filter int // the number of the filter that knows of its key
	Part   int // and that of the part which holds it

	key     string
	keyHash uint64
	negated bool
	values  []value
}

// value is one of the values that a term asks for.
type value struct {
	kind valueKind
	text string // of facets, lower case; of a pattern, with stars
	hash uint64 // of the facet
}

type valueKind int

const (
	whole valueKind = iota
	pattern
	absent // an empty value, or none
)

// Terms returns the terms of a search about what was sent with a notice.
func Terms(s query.Search) (terms []Term) {
	for _, t := range s.Terms {
		key, ok := t.FacetKey()
		if !ok {
			continue
		}
		key = strings.TrimSuffix(payload.FacetLine(key, ""), "=")
		term := Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), negated: t.Negated}
		for _, v := range t.Values {
			term.values = append(term.values, valueOf(key, t.Pattern(v)))
		}
		terms = append(terms, term)
	}
	return terms
}

// Whole returns the term for one value of a key, in which a star is only a star.
func Whole(key, text string) Term {
	return Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), values: []value{wholeOf(key, text)}}
}

// Present returns the term for any value of a key.
func Present(key string) Term {
	return Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), values: []value{{kind: pattern, text: "*"}}}
}

func valueOf(key, text string) value {
	switch {
	case text == "":
		return value{kind: absent}
	case strings.Contains(text, "*"):
		return value{kind: pattern, text: foldPattern(text)}
	}
	return wholeOf(key, text)
}

func wholeOf(key, text string) value {
	line := payload.FacetLine(key, text)
	return value{kind: whole, text: line[len(key)+1:], hash: hashOf(line)}
}

// foldPattern spells a pattern as facets are spelled.
func foldPattern(text string) string {
	parts := strings.Split(text, "*")
	for i, part := range parts {
		parts[i] = strings.TrimPrefix(payload.FacetLine("", part), "=")
	}
	return strings.Join(parts, "*")
}

// Facet returns what identifies the facet that the term asks for; ok is false if it asks for anything but one whole value. It is a hash: who sends
// two values that share it only gets wrong counts of their own notices.
func (t *Term) Facet() (facet uint64, negated, ok bool) {
	if len(t.values) != 1 || t.values[0].kind != whole {
		return 0, false, false
	}
	return t.values[0].hash, t.negated, true
}

// Whole reports whether the term asks for whole values only, so that the quick filter of a bundle can rule them out.
func (t *Term) Whole() bool {
	return !t.negated && !slices.ContainsFunc(t.values, func(v value) bool { return v.kind != whole })
}

// Append appends what identifies the term: two terms that ask for the same have the same, and no others.
func (t *Term) Append(b []byte) []byte {
	text := func(text string) { b = append(binary.AppendUvarint(b, uint64(len(text))), text...) }
	text(t.key)
	b = binary.AppendUvarint(strconv.AppendBool(b, t.negated), uint64(len(t.values)))
	for _, v := range t.values {
		b = append(b, byte(v.kind))
		text(v.text)
	}
	return b
}

// Answer is what a filter says of the rows of a block.
type Answer int

// The answers: none of its rows match, some may, or all do.
const (
	None Answer = iota
	Some
	Every
)

// Ask asks the filter of a block. A block without the filter has nothing of the term's key.
func (t *Term) Ask(f Filter) Answer {
	for _, v := range t.values {
		switch v.kind {
		case absent:
			return Some
		case whole:
			if f.mayHave(v.hash) {
				return Some
			}
		case pattern:
			if f.mayHaveKey(t.keyHash) {
				return Some
			}
		}
	}
	if t.negated {
		return Every
	}
	return None
}

// Rows returns the rows of a part that match. p is nil if the block has nothing of that part.
func (t *Term) Rows(p *Part, rows int) (Set, error) {
	found := NewSet(rows)
	var c opened
	if p != nil {
		var err error
		if c, _, err = p.column(t.key); err != nil {
			return nil, err
		}
	}
	wanted := make([]bool, c.distinct)
	any := false
	for i, v := range c.values() {
		wanted[i] = slices.ContainsFunc(t.values, func(w value) bool { return w.matches(unsafe.String(unsafe.SliceData(v), len(v))) }) // nothing keeps it
		any = any || wanted[i]
	}
	wantsAbsent := slices.ContainsFunc(t.values, func(w value) bool { return w.kind == absent })
	if any || wantsAbsent {
		has := NewSet(rows)
		for row, v := range c.each(rows) {
			has.Add(row)
			if wanted[v] {
				found.Add(row)
			}
		}
		if wantsAbsent {
			found.Or(has.not(rows))
		}
	}
	if t.negated {
		found = found.not(rows)
	}
	return found, nil
}

// matches reports whether a value of a notice is as asked for.
func (w value) matches(text string) bool {
	switch w.kind {
	case absent:
		return text == ""
	case whole:
		return text == w.text
	}
	return payload.MatchesPattern(text, w.text)
}

// Match reports whether all terms hold of the facets of one notice.
func Match(terms []Term, facets string) bool {
	return !slices.ContainsFunc(terms, func(t Term) bool { return t.hold(facets) == t.negated })
}

func (t *Term) hold(facets string) bool {
	return slices.ContainsFunc(t.values, func(w value) bool {
		if w.kind == whole {
			return strings.Contains(facets, "\n"+t.key+"="+w.text+"\n")
		}
		has := false
		for rest := facets; ; {
			i := strings.Index(rest, "\n"+t.key+"=")
			if i < 0 {
				return w.kind == absent && !has
			}
			rest = rest[i+len(t.key)+2:]
			text, _, _ := strings.Cut(rest, "\n")
			if has = true; w.matches(text) {
				return true
			}
			rest = rest[len(text):]
		}
	})
}
