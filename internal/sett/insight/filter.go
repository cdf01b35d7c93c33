package insight

import (
	"slices"
	"strconv"
	"strings"

	"sett/internal/event/column"
	"sett/internal/event/query"
)

// Filter says which events are wanted.
type Filter interface {
	// rows returns those of a frame. It need not look at others than among.
	rows(f *Frame, among column.Set) (column.Set, error)

	// needs returns groups of terms: a chunk of whose filters one group has no answer but column.None has none of the events.
	needs() [][]column.Term

	// keys returns the keys that are asked for.
	keys() []string
}

// Op is how a value is compared.
type Op string

// The operators.
const (
	Equal        Op = "=="
	Less         Op = "<"
	LessEqual    Op = "<="
	Greater      Op = ">"
	GreaterEqual Op = ">="
	Contains     Op = "contains"
	Has          Op = "has" // any value
)

// compare holds if one of the keys has a value of which the operator and one of the operands hold.
type compare struct {
	names    []string
	op       Op
	operands []string
}

func (c compare) keys() []string { return c.names }

func (c compare) rows(f *Frame, _ column.Set) (column.Set, error) {
	found := column.NewSet(len(f.At))
	for _, name := range c.names {
		err := f.addWhere(found, name, func(v Value) bool {
			return slices.ContainsFunc(c.operands, func(o string) bool { return c.op.holds(v, o) })
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// holds compares a value with an operand, as both are typed.
func (o Op) holds(v Value, operand string) (is bool) {
	if o == Has {
		return v.Kind != Absent
	}
	if v.Kind == Absent {
		return false
	}
	switch o {
	case Equal:
		v.texts(func(text string) { is = is || equal(text, operand) })
		return is
	case Contains:
		v.texts(func(text string) { is = is || containsFold(text, operand) })
		return is
	}
	a, number := v.number()
	b, err := strconv.ParseFloat(operand, 64)
	order := 0
	switch {
	case number && err == nil && a < b:
		order = -1
	case number && err == nil && a > b:
		order = 1
	case number && err == nil:
	case err == nil: // a text is neither more nor less than a number
		return false
	default:
		order = strings.Compare(v.Text, operand)
	}
	return o.of(order)
}

func equal(text, operand string) bool {
	if strings.Contains(operand, "*") {
		return query.MatchesPattern(strings.ToLower(text), strings.ToLower(operand))
	}
	return strings.EqualFold(text, operand)
}

func containsFold(text, part string) bool {
	if len(part) > len(text) && len(strings.ToLower(part)) > len(strings.ToLower(text)) {
		return false
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

func (c compare) needs() [][]column.Term {
	var group []column.Term
	for _, name := range c.names {
		for _, o := range c.operands {
			if c.op == Equal && !strings.Contains(o, "*") {
				group = append(group, column.Whole(name, o))
			} else {
				group = append(group, column.Present(name))
			}
		}
	}
	return [][]column.Term{group}
}

// anywhere holds if a text of the event contains a text.
type anywhere struct{ text string }

func (a anywhere) keys() []string         { return nil }
func (a anywhere) needs() [][]column.Term { return nil }

func (a anywhere) rows(f *Frame, among column.Set) (column.Set, error) {
	keys, err := f.Keys()
	if err != nil {
		return nil, err
	}
	c := compare{keys, Contains, []string{a.text}}
	return c.rows(f, among)
}

type all []Filter

func (a all) rows(f *Frame, among column.Set) (column.Set, error) {
	found := slices.Clone(among)
	for _, filter := range a {
		rows, err := filter.rows(f, found)
		if err != nil {
			return nil, err
		}
		found.And(rows)
		if found.Len() == 0 {
			break
		}
	}
	return found, nil
}

func (a all) needs() (groups [][]column.Term) {
	for _, filter := range a {
		groups = append(groups, filter.needs()...)
	}
	return groups
}

func (a all) keys() (keys []string) {
	for _, filter := range a {
		keys = append(keys, filter.keys()...)
	}
	return keys
}

type some []Filter

func (s some) rows(f *Frame, among column.Set) (column.Set, error) {
	found := column.NewSet(len(f.At))
	for _, filter := range s {
		rows, err := filter.rows(f, among)
		if err != nil {
			return nil, err
		}
		found.Or(rows)
	}
	return found, nil
}

func (s some) needs() [][]column.Term {
	var group []column.Term
	for _, filter := range s {
		groups := filter.needs()
		if len(groups) != 1 {
			return nil
		}
		group = append(group, groups[0]...)
	}
	return [][]column.Term{group}
}

func (s some) keys() []string { return all(s).keys() }

type not struct{ Filter }

func (n not) rows(f *Frame, among column.Set) (column.Set, error) {
	rows, err := n.Filter.rows(f, among)
	if err != nil {
		return nil, err
	}
	found := column.All(len(f.At))
	found.Without(rows)
	return found, nil
}

func (n not) needs() [][]column.Term { return nil }

// test holds if a field has a value of which a function holds, or a pattern.
type test struct {
	key   string
	holds func(v Value) bool
	text  *pattern // instead of holds
	exact []string // texts of which the value is one, for filters of chunks; none: any
}

func (c test) keys() []string { return []string{c.key} }

func (c test) rows(f *Frame, _ column.Set) (column.Set, error) {
	found, holds := column.NewSet(len(f.At)), c.holds
	if c.text != nil {
		holds = hasText(func(text string) bool { return c.text.matches(f.scope, text) })
	}
	return found, f.addWhere(found, c.key, holds)
}

func (c test) needs() [][]column.Term {
	if len(c.exact) == 0 {
		return [][]column.Term{{column.Present(c.key)}}
	}
	return compare{names: []string{c.key}, op: Equal, operands: c.exact}.needs()
}

// isCheap reports whether a filter asks for nothing but keys that are cheap to read.
func isCheap(f Filter, cheap func(key string) bool) bool {
	switch f := f.(type) {
	case all:
		return !slices.ContainsFunc(f, func(part Filter) bool { return !isCheap(part, cheap) })
	case some:
		return isCheap(all(f), cheap)
	case not:
		return isCheap(f.Filter, cheap)
	case calculated:
		if f.rowly { // it may look at the whole event
			return false
		}
	}
	keys := f.keys()
	return len(keys) > 0 && !slices.ContainsFunc(keys, func(key string) bool { return !cheap(key) })
}
