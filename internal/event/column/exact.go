package column

import (
	"bytes"
	"slices"
	"strings"

	"sett/internal/event/payload"
)

// Exact is a value that is looked for under some keys, or under any. Unlike the value of a Term it has no stars: each stands for itself.
type Exact struct {
	value string            // as facets spell it
	keys  map[string]uint64 // with the hash of the facet; nil for any
	marks []string          // of notices whose facets may leave it out; nil for any
}

// NewExact returns an Exact of a value, in any case, under some keys, or under any if there are none.
func NewExact(value string, keys ...string) *Exact {
	e := &Exact{value: strings.TrimPrefix(payload.FacetLine("", value), "=")}
	if len(keys) > 0 {
		e.keys = map[string]uint64{}
	}
	for _, key := range keys {
		line := payload.FacetLine(key, value)
		key = strings.TrimSuffix(line, "="+e.value)
		e.keys[key] = hashOf(line)
		e.marks = append(append(e.marks, payload.MarksFor(key)...), payload.MarkOf(payload.MarkQuery(key)))
	}
	return e
}

// Is reports whether a text is the value, in any case.
func (e *Exact) Is(text string) bool {
	return strings.TrimPrefix(payload.FacetLine("", text), "=") == e.value
}

func (e *Exact) asks(key string) bool {
	_, ok := e.keys[key]
	return ok || e.keys == nil
}

// Match reports whether a notice with these facets has the value, as far as they say.
func (e *Exact) Match(facets string) Truth {
	has := false
	if strings.Contains(facets, "="+e.value+"\n") {
		lines(facets, func(key, value, _ string) { has = has || value == e.value && e.asks(key) })
	}
	switch {
	case has && !e.MayBeCut():
		return Yes
	case has, e.keys == nil && payload.LeavesOut(facets), e.keys != nil && payload.IsMarked(facets, e.marks):
		return Maybe
	}
	return No
}

// MayBeCut reports whether the value is so long that what facets have of another may look the same.
func (e *Exact) MayBeCut() bool { return payload.MayBeCut(e.value) }

// MayBeMarked reports whether the facets of a notice may leave the value out, by all marks of its block.
func (e *Exact) MayBeMarked(all string) bool {
	return slices.ContainsFunc(strings.Fields(all), e.wants)
}

func (e *Exact) wants(mark string) bool { return e.keys == nil || slices.Contains(e.marks, mark) }

// Marked returns the rows of a block whose facets may leave the value out. p is the part that holds the marks.
func (e *Exact) Marked(p *Part, rows int) (Set, error) { return markedRows(p, rows, e.wants) }

// Filters returns the numbers of the filters to ask; none if they cannot tell.
func (e *Exact) Filters() (numbers []int) {
	for key := range e.keys {
		numbers = append(numbers, filterOf(key))
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// MayHave asks the filter with that number of a block. False is certain, as far as the filter knows the keys.
func (e *Exact) MayHave(number int, f Filter) bool {
	for key, hash := range e.keys {
		if filterOf(key) == number && f.mayHave(hash) {
			return true
		}
	}
	return false
}

// In returns the numbers of the parts that may hold the value, and of the one that holds marks.
func (e *Exact) In() (numbers []int) {
	if e.keys == nil {
		for i := range Parts {
			numbers = append(numbers, i)
		}
	}
	for key := range e.keys {
		numbers = append(numbers, partOf(key), MarksPart)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// Rows returns the rows of a part that have the value.
func (e *Exact) Rows(p *Part, rows int) (Set, error) {
	found := NewSet(rows)
	line := []byte(e.value + "\n")
	for _, key := range p.Keys() {
		if !e.asks(key) {
			continue
		}
		b, _, err := p.stored(key)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(b, line) {
			continue
		}
		c, err := openColumn(b)
		if err != nil {
			return nil, err
		}
		wanted := -1
		for i, value := range c.values() {
			if string(value) == e.value {
				wanted = i
				break
			}
		}
		for row, v := range c.each(rows) {
			if v == wanted {
				found.Add(row)
			}
		}
	}
	return found, nil
}
