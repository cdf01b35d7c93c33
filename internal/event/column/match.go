package column

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"sett/internal/event/payload"
	"sett/internal/event/query"
)

// Term is a term of a search about what was sent with a notice.
type Term struct {
	Filter int // the number of the filter that knows of its key
	Part   int // and that of the part which holds it

	key     string
	keyHash uint64
	negated bool
	values  []value
	marks   []string // of notices whose facets may leave values out that the term asks for
}

// value is one of the values that a term asks for.
type value struct {
	kind valueKind
	text string // of facets, lower case; of a pattern, with stars
	hash uint64 // of the facet
	deep bool   // whether it matches may depend on what is cut off a long value
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
		marks := payload.MarksFor(key)
		key = strings.TrimSuffix(payload.FacetLine(key, ""), "=")
		term := Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), negated: t.Negated, marks: marks}
		for _, v := range t.Values {
			value := valueOf(key, t.Pattern(v))
			if term.values = append(term.values, value); value.deep || strings.Contains(value.text, "?") {
				term.marks = append(term.marks, payload.MarksForQuery(key)...)
			}
		}
		terms = append(terms, term)
	}
	return terms
}

// Whole returns the term for one value of a key, in which a star is only a star. It compares long values without their ends.
func Whole(key, text string) Term {
	v := wholeOf(key, text)
	v.deep = false
	return Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), values: []value{v}, marks: payload.MarksFor(key)}
}

// Key returns the key that the term asks for.
func (t *Term) Key() string { return t.key }

// Present returns the term for any value of a key.
func Present(key string) Term {
	return Term{Filter: filterOf(key), Part: partOf(key), key: key, keyHash: hashOf(key), values: []value{{kind: pattern, text: "*"}}}
}

func valueOf(key, text string) value {
	switch {
	case text == "":
		return value{kind: absent}
	case strings.Contains(text, "*"):
		text = foldPattern(text)
		return value{kind: pattern, text: text, deep: strings.IndexByte(text, '*') < len(text)-1 || payload.MayBeCut(text)}
	}
	return wholeOf(key, text)
}

func wholeOf(key, text string) value {
	line := payload.FacetLine(key, text)
	text = line[len(key)+1:]
	return value{kind: whole, text: text, hash: hashOf(line), deep: payload.MayBeCut(text)}
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
		b = strconv.AppendBool(append(b, byte(v.kind)), v.deep)
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

// RulesOut reports whether the quick filter of a bundle is sure that none of its notices matches. One of an earlier version knows of no marks.
func (t *Term) RulesOut(f Filter) bool {
	has := func(mark string) bool { return f.mayHave(hashOf(payload.MarkKey + "=" + mark)) }
	return t.Ask(f) == None && has(payload.MarkKnown) && !slices.ContainsFunc(t.marks, has)
}

// MayBeMarked reports whether a notice may have a mark of the term, by all marks of its block.
func (t *Term) MayBeMarked(all string) bool {
	return slices.ContainsFunc(t.marks, func(mark string) bool { return strings.Contains(all, " "+mark+" ") })
}

// Rows returns the rows of a part that match, and those of which that is not sure: marked are the rows whose facets may leave out values of
// the term. p is nil if the block has nothing of that part.
func (t *Term) Rows(p *Part, rows int, marked Set) (sure, unsure Set, err error) {
	sure, unsure = NewSet(rows), NewSet(rows)
	var c opened
	if p != nil {
		if c, _, err = p.column(t.key); err != nil {
			return nil, nil, err
		}
	}
	wanted := make([]Truth, c.distinct)
	any := false
	for i, v := range c.values() {
		wanted[i] = t.ofValue(unsafe.String(unsafe.SliceData(v), len(v))) // nothing keeps it
		any = any || wanted[i] != No
	}
	wantsAbsent := slices.ContainsFunc(t.values, func(w value) bool { return w.kind == absent })
	if any || wantsAbsent {
		has := NewSet(rows)
		for row, v := range c.each(rows) {
			has.Add(row)
			switch wanted[v] {
			case Yes:
				sure.Add(row)
			case Maybe:
				unsure.Add(row)
			case No:
			}
		}
		if wantsAbsent {
			absent := has.not(rows)
			absent.Without(marked)
			sure.Or(absent)
		}
	}
	unsure.Or(marked)
	unsure.Without(sure)
	if t.negated {
		sure.Or(unsure)
		sure = sure.not(rows)
	}
	return sure, unsure, nil
}

// Marked returns the rows of a block whose facets may leave out values of the term. p is the part that holds the marks.
func (t *Term) Marked(p *Part, rows int) (Set, error) {
	return markedRows(p, rows, func(mark string) bool { return slices.Contains(t.marks, mark) })
}

// markedRows returns the rows of a block that have a wanted mark.
func markedRows(p *Part, rows int, wants func(mark string) bool) (Set, error) {
	found := NewSet(rows)
	if p == nil {
		return found, nil
	}
	c, _, err := p.column(payload.MarkKey)
	if err != nil {
		return nil, err
	}
	wanted := make([]bool, c.distinct)
	for i, v := range c.values() {
		wanted[i] = wants(string(v))
	}
	for row, v := range c.each(rows) {
		if wanted[v] {
			found.Add(row)
		}
	}
	return found, nil
}

// MarksPart is the number of the part that holds marks.
var MarksPart = partOf(payload.MarkKey)

// Truth is whether a term holds of a notice, as far as its facets say.
type Truth int

// The truths.
const (
	No Truth = iota
	Maybe
	Yes
)

// ofValue reports whether a value of a notice is asked for. One that is cut off may be another one than it seems.
func (t *Term) ofValue(text string) (truth Truth) {
	cut := payload.MayBeCut(text)
	for _, w := range t.values {
		switch {
		case cut && w.deep:
			truth = max(truth, Maybe)
		case w.matches(text):
			return Yes
		}
	}
	return truth
}

// matches reports whether a value of a notice is as asked for.
func (w value) matches(text string) bool {
	switch w.kind {
	case absent:
		return text == ""
	case whole:
		return text == w.text
	}
	return query.MatchesPattern(text, w.text)
}

// Match reports whether all terms hold of the facets of one notice.
func Match(terms []Term, facets string) Truth {
	all := Yes
	for i := range terms {
		if all = min(all, terms[i].hold(facets)); all == No {
			break
		}
	}
	return all
}

func (t *Term) hold(facets string) Truth {
	truth := t.ofFacets(facets)
	if truth != Yes && payload.IsMarked(facets, t.marks) {
		truth = Maybe
	}
	if t.negated {
		return Yes - truth
	}
	return truth
}

// ofFacets reports whether a notice has a value that is asked for, as far as its facets have room. That none is there is never sure of marked ones.
func (t *Term) ofFacets(facets string) (truth Truth) {
	has := false
	if !t.Whole() || slices.ContainsFunc(t.values, func(w value) bool { return w.deep }) {
		for rest := facets; ; has = true {
			i := strings.Index(rest, "\n"+t.key+"=")
			if i < 0 {
				break
			}
			rest = rest[i+len(t.key)+2:]
			text, _, _ := strings.Cut(rest, "\n")
			if truth = max(truth, t.ofValue(text)); truth == Yes {
				return Yes
			}
			rest = rest[len(text):]
		}
	}
	for _, w := range t.values {
		switch {
		case w.kind == whole && !w.deep && strings.Contains(facets, "\n"+t.key+"="+w.text+"\n"):
			return Yes
		case w.kind == absent && !has && !payload.IsMarked(facets, t.marks):
			return Yes
		}
	}
	return truth
}
