package column

import (
	"bytes"
	"slices"
	"strings"

	"sett/internal/payload"
)

// Exact is a value that is looked for under some keys, or under any. Unlike the value of a Term it has no stars: each stands for itself.
type Exact struct {
	value string            // as facets spell it
	keys  map[string]uint64 // with the hash of the facet; nil for any
}

// NewExact returns an Exact of a value, in any case, under some keys, or under any if there are none.
func NewExact(value string, keys ...string) *Exact {
	e := &Exact{value: strings.TrimPrefix(payload.FacetLine("", value), "=")}
	if len(keys) > 0 {
		e.keys = map[string]uint64{}
	}
	for _, key := range keys {
		line := payload.FacetLine(key, value)
		e.keys[strings.TrimSuffix(line, "="+e.value)] = hashOf(line)
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

// Match reports whether a notice with these facets has the value.
func (e *Exact) Match(facets string) (has bool) {
	if !strings.Contains(facets, "="+e.value+"\n") {
		return false
	}
	lines(facets, func(key, value, _ string) { has = has || value == e.value && e.asks(key) })
	return has
}

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

// In returns the numbers of the parts that may hold the value.
func (e *Exact) In() (numbers []int) {
	if e.keys == nil {
		for i := range Parts {
			numbers = append(numbers, i)
		}
	}
	for key := range e.keys {
		numbers = append(numbers, partOf(key))
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
