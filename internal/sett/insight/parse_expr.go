package insight

import (
	"slices"
	"strconv"
	"strings"

	"sett/internal/base/phrase"
)

// condition reads what is true or false.
func (p *parser) condition() (*expr, error) {
	x, err := p.anyOf()
	if err != nil {
		return nil, err
	}
	return x, p.mustTest(x)
}

// mustTest returns the problem of an expression that is neither true nor false.
func (p *parser) mustTest(x *expr) error {
	if x.test || x.loose {
		return nil
	}
	if t := p.peek(); x.key != "" || x.lit != nil {
		return queryProblem(t.at, "an operator is expected, not %s. Supported: %s.%s", t, operators, t.meant([]string{"in", "between", "like", "ilike", "match"}))
	}
	return queryProblem(x.at, "a condition is expected, such as a comparison, not %s.", phrase.Quote(x.name))
}

func (p *parser) anyOf() (*expr, error) { return p.joined("or", p.allOf, orFilter, orCalc) }

func (p *parser) allOf() (*expr, error) { return p.joined("and", p.negated, andFilter, andCalc) }

// joined reads conditions that are joined by a word.
func (p *parser) joined(word string, read func() (*expr, error), filter func([]Filter) Filter, calc func(*env, []Value) Value) (*expr, error) {
	from := p.pos
	x, err := read()
	if err != nil || !p.peek().is(word) {
		return x, err
	}
	args, filters := []*expr{x}, []Filter{}
	if err := p.mustTest(x); err != nil {
		return nil, err
	}
	for p.accept(word) {
		if x, err = read(); err != nil {
			return nil, err
		}
		if err := p.mustTest(x); err != nil {
			return nil, err
		}
		args = append(args, x)
	}
	for _, a := range args {
		filters = append(filters, a.asFilter())
	}
	made, err := p.made(from, calc, args...)
	if err == nil {
		made.test, made.filter = true, filter(filters)
	}
	return made, err
}

func orFilter(all []Filter) Filter { return some(all) }

func andFilter(filters []Filter) Filter { return all(cheapFirst(filters)) }

// cheapFirst puts filters last that are calculated, so that they are asked about fewer rows.
func cheapFirst(filters []Filter) []Filter {
	filters = slices.Clone(filters) // which others may share
	slices.SortStableFunc(filters, func(a, b Filter) int {
		_, first := a.(calculated)
		_, second := b.(calculated)
		switch {
		case first == second:
			return 0
		case first:
			return 1
		}
		return -1
	})
	return filters
}

func orCalc(_ *env, args []Value) Value { return boolValue(slices.ContainsFunc(args, Value.isTrue)) }

func andCalc(_ *env, args []Value) Value {
	return boolValue(!slices.ContainsFunc(args, Value.isNotTrue))
}

func (v Value) isNotTrue() bool { return !v.isTrue() }

// asFilter returns the filter of a condition.
func (x *expr) asFilter() Filter {
	if x.filter != nil {
		return x.filter
	}
	return calculated{x}
}

func (p *parser) negated() (*expr, error) {
	from := p.pos
	if !p.peek().is("not") {
		return p.comparison()
	}
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.unnest()
	p.next()
	x, err := p.negated()
	if err != nil {
		return nil, err
	}
	if err := p.mustTest(x); err != nil {
		return nil, err
	}
	made, err := p.made(from, func(_ *env, args []Value) Value { return boolValue(!args[0].isTrue()) }, x)
	if err == nil {
		made.test, made.filter = true, not{x.asFilter()}
	}
	return made, err
}

func (p *parser) nest() error {
	if p.nesting++; p.nesting > maxNesting {
		return queryProblem(p.peek().at, "there are too many parentheses inside one another.")
	}
	return nil
}

func (p *parser) unnest() { p.nesting-- }

// sum reads what is joined by + and -.
func (p *parser) sum() (*expr, error) { return p.calculated([]string{"+", "-"}, p.product) }

// product reads what is joined by *, / and %.
func (p *parser) product() (*expr, error) { return p.calculated([]string{"*", "/", "%"}, p.signed) }

func (p *parser) calculated(signs []string, read func() (*expr, error)) (*expr, error) {
	from := p.pos
	x, err := read()
	for err == nil && p.peek().kind == signToken && slices.Contains(signs, p.peek().text) {
		sign := p.next().text
		var y *expr
		if y, err = read(); err == nil {
			x, err = p.made(from, arithmetic[sign], x, y)
		}
	}
	return x, err
}

func (p *parser) signed() (*expr, error) {
	from := p.pos
	if !p.accept("-") {
		return p.primary()
	}
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.unnest()
	x, err := p.signed()
	if err != nil {
		return nil, err
	}
	if x.lit != nil && x.lit.Kind == Number {
		return p.constant(from, NumberValue(-x.lit.Num)), nil
	}
	return p.made(from, func(_ *env, args []Value) Value { return arithmetic["-"](nil, []Value{NumberValue(0), args[0]}) }, x)
}

// primary reads a constant, a field, a function, or what is in parentheses.
func (p *parser) primary() (*expr, error) {
	t, from := p.peek(), p.pos
	switch {
	case t.is("("):
		p.next()
		return p.enclosed()
	case t.kind == textToken:
		p.next()
		return p.constant(from, Value{Kind: Text, Text: t.text}), nil
	case t.kind == numberToken:
		p.next()
		n, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return nil, queryProblem(t.at, "%s is not a number.", t)
		}
		return p.constant(from, NumberValue(n)), nil
	case t.is("true") || t.is("false"):
		p.next()
		return p.constant(from, Value{Kind: Bool, Text: strings.ToLower(t.text)}), nil
	case t.is("null"):
		p.next()
		return p.constant(from, Value{}), nil
	case t.kind == wordToken && p.ahead(1).is("("):
		return p.call()
	}
	return p.field()
}

// enclosed reads what is behind an opening parenthesis.
func (p *parser) enclosed() (*expr, error) {
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.unnest()
	x, err := p.anyOf()
	if err != nil {
		return nil, err
	}
	return x, p.expect(")", "a closing parenthesis is missing.")
}

func (p *parser) constant(from int, v Value) *expr {
	return &expr{at: p.all[from].at, name: p.written(from), lit: &v, size: 1, loose: v.Kind == Bool}
}

// made returns a function of other expressions. That of constants alone is calculated now.
func (p *parser) made(from int, calc func(e *env, args []Value) Value, args ...*expr) (*expr, error) {
	x := &expr{at: p.all[from].at, name: p.written(from), args: args, calc: calc, size: 1}
	for _, a := range args {
		x.size += a.size
		x.rowly = x.rowly || a.rowly
		for _, key := range a.fields {
			if !slices.Contains(x.fields, key) {
				x.fields = append(x.fields, key)
			}
		}
	}
	if x.size > maxParts {
		return nil, queryProblem(x.at, "the expression is too large. With all that its fields stand for, it may have %d parts.", maxParts)
	}
	return x, nil
}

// written returns the tokens that were read as the name of a column: without hints, and in one spelling.
func (p *parser) written(from int) string {
	if p.all[from].kind == quotedWord && (from == p.pos-1 || p.pos == from+3 && p.all[from+1].is("::")) {
		return p.all[from].text
	}
	var b strings.Builder
	before := token{kind: signToken, text: "("}
	for i := from; i < p.pos; i++ {
		t := p.all[i]
		switch {
		case t.is("::"):
			i++
			continue
		case t.is("[") && i+2 < len(p.all) && p.all[i+1].is("*") && p.all[i+2].is("]"):
			i += 2
			continue
		case t.kind == signToken && strings.Contains("),]", t.text), before.is("("), before.is("["), t.is("(") && before.kind == wordToken:
		default:
			b.WriteByte(' ')
		}
		if b.Len() > maxName {
			return cutText(b.String(), maxName) + "…"
		}
		b.WriteString(t.raw(i+1 < len(p.all) && p.all[i+1].is("(")))
		before = t
	}
	return b.String()
}

// maxName is how many bytes of an expression are the name of its column.
const maxName = 100

// raw returns the token as it was typed, and the names of functions in one spelling.
func (t token) raw(called bool) string {
	switch {
	case t.kind == textToken:
		return quoted(t.text)
	case t.kind == quotedWord:
		return "`" + t.text + "`"
	case t.kind == regexToken:
		return "/" + t.text + "/"
	case called && t.kind == wordToken:
		if f, ok := functionOf(t.text); ok {
			return f.name
		}
	}
	return t.text
}
