package insight

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett"
)

// test holds if a field has a value of which a function holds.
type test struct {
	key   string
	holds func(v Value) bool
	exact []string // texts of which the value is one, for filters of chunks; none: any
}

func (c test) keys() []string { return []string{c.key} }

func (c test) rows(f *Frame) (column.Set, error) {
	found := column.NewSet(len(f.At))
	return found, f.addWhere(found, c.key, c.holds)
}

func (c test) needs() [][]column.Term {
	if len(c.exact) == 0 {
		return [][]column.Term{{column.Present(c.key)}}
	}
	return compare{names: []string{c.key}, op: Equal, operands: c.exact}.needs()
}

// during holds for events of some times.
type during struct{ holds func(at int64) bool }

func (d during) keys() []string         { return nil }
func (d during) needs() [][]column.Term { return nil }

func (d during) rows(f *Frame) (column.Set, error) {
	found := column.NewSet(len(f.At))
	for row, at := range f.At {
		if d.holds(at) {
			found.Add(row)
		}
	}
	return found, nil
}

func (p *parser) filters(token) error {
	f, err := p.anyOf()
	p.filter = append(p.filter, f)
	return err
}

func (p *parser) anyOf() (Filter, error) {
	f, err := p.allOf()
	if !p.peek().is("or") {
		return f, err
	}
	either := some{f}
	for err == nil && p.accept("or") {
		f, err = p.allOf()
		either = append(either, f)
	}
	return either, err
}

func (p *parser) allOf() (Filter, error) {
	f, err := p.negated()
	if !p.peek().is("and") {
		return f, err
	}
	both := all{f}
	for err == nil && p.accept("and") {
		f, err = p.negated()
		both = append(both, f)
	}
	return both, err
}

func (p *parser) negated() (Filter, error) {
	if t := p.peek(); p.nesting == maxNesting {
		return nil, queryProblem(t.at, "there are too many parentheses inside one another.")
	}
	p.nesting++
	defer func() { p.nesting-- }()
	if p.accept("not") {
		f, err := p.negated()
		return not{f}, err
	}
	if !p.accept("(") {
		return p.test()
	}
	f, err := p.anyOf()
	if err != nil {
		return nil, err
	}
	return f, p.expect(")", "a closing parenthesis is missing.")
}

// test reads a comparison, or a function that compares.
func (p *parser) test() (Filter, error) {
	t := p.peek()
	if p.tests++; p.tests > maxTests {
		return nil, queryProblem(t.at, "there may be at most %d comparisons.", maxTests)
	}
	if t.kind == wordToken && len(p.tokens) > 1 && p.tokens[1].is("(") {
		return p.function(strings.ToLower(t.text))
	}
	_, key, err := p.field()
	if err != nil {
		return nil, err
	}
	if key == atPreview {
		return nil, queryProblem(t.at, "@preview cannot be compared. Name a field.")
	}
	inverse := p.accept("not")
	op := p.next()
	f, err := p.comparison(key, op, inverse)
	if err == nil && inverse {
		f = all{test{key: key, holds: isThere}, not{f}}
	}
	return f, err
}

func isThere(v Value) bool { return v.Kind != Absent }

// function reads isNull(field), isNotNull(field) or startsWith(field, "text").
func (p *parser) function(name string) (Filter, error) {
	t := p.next()
	if name != "isnull" && name != "isnotnull" && name != "startswith" {
		return nil, queryProblem(t.at, "the function %s is not supported in filter. Supported: isNull(), isNotNull() and startsWith().%s", t, t.meant([]string{"isNull", "isNotNull", "startsWith"}))
	}
	p.next()
	at := p.peek().at
	_, key, err := p.field()
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(key, "@") {
		return nil, queryProblem(at, "the name of a field is expected, not %s.", key)
	}
	f := Filter(test{key: key, holds: isThere})
	switch name {
	case "isnull":
		f = not{f}
	case "startswith":
		if err := p.expect(",", `startsWith needs a field and a text, as in startsWith(path, "/api").`); err != nil {
			return nil, err
		}
		begin, err := p.text()
		if err != nil {
			return nil, err
		}
		f = test{key: key, holds: hasText(func(text string) bool { return strings.HasPrefix(text, begin) })}
	}
	return f, p.expect(")", "a closing parenthesis is missing.")
}

// hasText returns a test of the texts of a value.
func hasText(holds func(text string) bool) func(v Value) bool {
	return func(v Value) (is bool) {
		if v.Kind != Absent {
			v.texts(func(text string) { is = is || holds(text) })
		}
		return is
	}
}

const operators = "==, !=, <, <=, >, >=, in, between, like, ilike and match"

// comparison reads what follows a field and an operator.
func (p *parser) comparison(key string, op token, inverse bool) (Filter, error) {
	switch {
	case op.is("in"):
		return p.oneOf(key)
	case op.is("between"):
		return p.between(key)
	case op.is("like") || op.is("ilike"):
		return p.like(key, op.is("ilike"))
	case op.is("match"):
		return p.match(key)
	case inverse:
		return nil, queryProblem(op.at, "after not, one of in, between, like, ilike and match is expected, not %s.", op)
	case op.is("==") || op.is("="):
		return p.equal(key)
	case op.is("!=") || op.is("<>"):
		f, err := p.equal(key)
		return all{test{key: key, holds: isThere}, not{f}}, err
	case op.is("<") || op.is("<=") || op.is(">") || op.is(">="):
		return p.ordered(key, Op(op.text))
	}
	return nil, queryProblem(op.at, "an operator is expected, not %s. Supported: %s.%s", op, operators, op.meant([]string{"in", "between", "like", "ilike", "match"}))
}

// value reads a text, number, true, false or null.
func (p *parser) value() (v Value, err error) {
	t := p.next()
	minus := t.kind == signToken && t.text == "-"
	if minus {
		t = p.next()
	}
	switch {
	case t.kind == numberToken:
		n, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return v, queryProblem(t.at, "%s is not a number.", t)
		}
		if minus {
			n = -n
		}
		return NumberValue(n), nil
	case minus:
	case t.kind == textToken:
		return Value{Kind: Text, Text: t.text}, nil
	case t.is("true") || t.is("false"):
		return Value{Kind: Bool, Text: strings.ToLower(t.text)}, nil
	case t.is("null"):
		return v, queryProblem(t.at, "compare with null by isNull() or isNotNull().")
	}
	return v, queryProblem(t.at, "a text in quotes, a number, true or false is expected, not %s.", t)
}

func (p *parser) text() (string, error) {
	t := p.next()
	if t.kind != textToken {
		return "", queryProblem(t.at, "a text in quotes is expected, not %s.", t)
	}
	return t.text, nil
}

func (p *parser) equal(key string) (Filter, error) {
	if key == atTime {
		return p.ordered(key, Equal)
	}
	v, err := p.value()
	return equals(key, []Value{v}), err
}

// equals holds if a field has one of some values.
func equals(key string, values []Value) test {
	const exact = 1e15 // up to which there is one way to write a whole number
	c := test{key: key}
	for _, v := range values {
		c.exact = append(c.exact, v.Text)
		if v.Kind == Number && (v.Num > exact || v.Num < -exact) {
			c.exact = nil
			break
		}
	}
	c.holds = func(v Value) bool {
		return slices.ContainsFunc(values, func(wanted Value) bool {
			return v.Kind == Number && wanted.Kind == Number && v.Num == wanted.Num || hasText(func(text string) bool { return text == wanted.Text })(v)
		})
	}
	return c
}

func (p *parser) oneOf(key string) (Filter, error) {
	end := "]"
	if t := p.next(); t.is("(") {
		end = ")"
	} else if !t.is("[") {
		return nil, queryProblem(t.at, `a list is expected, as in ["a", "b"], not %s.`, t)
	}
	if key == atTime {
		return nil, queryProblem(p.peek().at, "compare @ts by ==, <, <=, >, >= or between.")
	}
	var values []Value
	err := p.list(maxTests, "values", func() error {
		v, err := p.value()
		values = append(values, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	return equals(key, values), p.expect(end, "the end of the list is missing.")
}

func (p *parser) between(key string) (Filter, error) {
	from, err := p.ordered(key, GreaterEqual)
	if err != nil {
		return nil, err
	}
	if err := p.expect("and", "between needs two values, as in between 200 and 299."); err != nil {
		return nil, err
	}
	to, err := p.ordered(key, LessEqual)
	return all{from, to}, err
}

// ordered compares by size. Numbers are compared with numbers alone, and texts with texts.
func (p *parser) ordered(key string, op Op) (Filter, error) {
	if key == atTime {
		return p.timed(op)
	}
	t := p.peek()
	v, err := p.value()
	if err == nil && v.Kind == Bool {
		return nil, queryProblem(t.at, "%s has no size. Compare with == or !=.", t)
	}
	return test{key: key, holds: func(have Value) bool {
		n, number := have.number()
		switch {
		case v.Kind == Number:
			return number && op.of(Compare(NumberValue(n), v))
		case have.Kind == Text:
			return op.of(strings.Compare(have.Text, v.Text))
		}
		return false
	}}, err
}

// timed compares the time of an event, in UTC unless the text says otherwise.
func (p *parser) timed(op Op) (Filter, error) {
	t := p.peek()
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	at, ok := readDate(text, time.UTC)
	if !ok {
		return nil, queryProblem(t.at, "%s is not a time. Write it as in \"2026-11-18 10:30:00\".", t)
	}
	wanted := at.UnixMicro()
	return during{func(at int64) bool {
		switch {
		case at < wanted:
			return op.of(-1)
		case at > wanted:
			return op.of(1)
		}
		return op.of(0)
	}}, nil
}

// of reports whether the operator holds of an order.
func (o Op) of(order int) bool {
	switch o {
	case Equal:
		return order == 0
	case Less:
		return order < 0
	case LessEqual:
		return order <= 0
	case Greater:
		return order > 0
	}
	return order >= 0
}

// like compares with a pattern: % stands for any text, and _ for one character.
func (p *parser) like(key string, fold bool) (Filter, error) {
	t := p.peek()
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString(`(?s`)
	if fold {
		b.WriteByte('i')
	}
	b.WriteString(`)\A`)
	for _, r := range text {
		switch r {
		case '%':
			b.WriteString(`.*`)
		case '_':
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return p.regex(key, t, b.String()+`\z`)
}

func (p *parser) match(key string) (Filter, error) {
	t := p.next()
	if t.kind != regexToken && t.kind != textToken {
		return nil, queryProblem(t.at, "a regular expression is expected, as in /timeout|refused/, not %s.", t)
	}
	return p.regex(key, t, t.text)
}

// What a regular expression may have, and all of a query together.
const (
	maxPattern  = 500 // bytes
	maxSteps    = 300 // for each character that it looks at
	maxAllSteps = 1_000
)

func (p *parser) regex(key string, at token, text string) (Filter, error) {
	if key == atTime {
		return nil, queryProblem(at.at, "compare @ts by ==, <, <=, >, >= or between.")
	}
	if len(text) > maxPattern {
		return nil, queryProblem(at.at, "a pattern may have at most %d bytes.", maxPattern)
	}
	steps, err := sett.PatternSteps(text)
	if err != nil {
		return nil, queryProblem(at.at, "the regular expression is not valid. Its syntax is RE2.")
	}
	if p.steps += steps; steps > maxSteps || p.steps > maxAllSteps {
		return nil, queryProblem(at.at, "the pattern takes too much work: %d steps for each character, and all patterns %d; %d and %d are possible. Write + or * instead of numbers such as {1,200}.", steps, p.steps, maxSteps, maxAllSteps)
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, queryProblem(at.at, "the regular expression is not valid. Its syntax is RE2.")
	}
	return test{key: key, holds: hasText(expression.MatchString)}, nil
}
