package insight

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
)

const operators = "==, !=, <, <=, >, >=, in, between, like, ilike and match"

// comparison reads an expression, and what it is compared with if an operator follows.
func (p *parser) comparison() (*expr, error) {
	from := p.pos
	x, err := p.sum()
	if err != nil {
		return nil, err
	}
	inverse := false
	if p.peek().is("not") {
		p.next()
		inverse = true
	}
	op := p.peek()
	made, err := p.compared(from, x, op, inverse)
	if err != nil || made == nil {
		if inverse && err == nil {
			err = queryProblem(op.at, "after not, one of in, between, like, ilike and match is expected, not %s.", op)
		}
		if err == nil {
			made = x
		}
		return made, err
	}
	if p.tests++; p.tests > maxTests {
		return nil, queryProblem(op.at, "there may be at most %d comparisons.", maxTests)
	}
	made.test = true
	if inverse {
		made = p.inverse(from, made)
	}
	return made, nil
}

// inverse holds for rows that have the value, but of which the comparison does not hold.
func (p *parser) inverse(from int, of *expr) *expr {
	x, calc := *of, of.calc
	x.name = p.written(from)
	x.calc = func(e *env, args []Value) Value {
		return boolValue(args[0].Kind != Absent && !calc(e, args).isTrue())
	}
	if of.filter != nil {
		x.filter = all{test{key: of.fields[0], holds: isThere}, not{of.filter}}
	}
	return &x
}

// compared reads an operator with its operands; nil if there is none.
func (p *parser) compared(from int, x *expr, op token, inverse bool) (*expr, error) {
	if op.kind != wordToken && op.kind != signToken {
		return nil, nil
	}
	switch text := strings.ToLower(op.text); text {
	case "in":
		return p.oneOf(from, x)
	case "between":
		return p.between(from, x)
	case "like", "ilike":
		return p.like(from, x, text == "ilike")
	case "match":
		return p.match(from, x)
	case "==", "=", "!=", "<>", "<", "<=", ">", ">=":
		if inverse {
			return nil, nil
		}
		p.next()
		y, err := p.sum()
		if err != nil {
			return nil, err
		}
		if y.lit != nil && y.lit.Kind == Absent {
			return nil, queryProblem(y.at, "compare with null by isNull() or isNotNull().")
		}
		return p.ordered(from, x, op, y)
	}
	return nil, nil
}

// isThere holds for all values but null.
func isThere(v Value) bool { return v.Kind != Absent }

// ordered compares two expressions.
func (p *parser) ordered(from int, x *expr, op token, y *expr) (*expr, error) {
	if x.key == "" && x.rowly && x.name == atPreview {
		return nil, queryProblem(x.at, "@preview cannot be compared. Name a field.")
	}
	if err := p.mustBeTimes(x, y); err != nil {
		return nil, err
	}
	equal, not := op.is("==") || op.is("="), op.is("!=") || op.is("<>")
	var holds func(e *env, a, b Value) bool
	switch {
	case equal:
		holds = (*env).equal
	case not:
		holds = func(e *env, a, b Value) bool { return a.Kind != Absent && b.Kind != Absent && !e.equal(a, b) }
	default:
		o := Op(op.text)
		holds = func(e *env, a, b Value) bool { return e.ordered(o, a, b) }
	}
	made, err := p.made(from, func(e *env, args []Value) Value { return boolValue(holds(e, args[0], args[1])) }, x, y)
	if err != nil || x.key == "" || y.lit == nil || p.table() {
		return made, err
	}
	v := *y.lit
	switch f := equals(x.key, []Value{v}); {
	case equal:
		made.filter = f
	case not:
		made.filter = all{test{key: x.key, holds: isThere}, negation(f)}
	default:
		o := Op(op.text)
		made.filter = test{key: x.key, holds: func(have Value) bool { return (&env{}).ordered(o, have, v) }}
	}
	return made, nil
}

func negation(f Filter) Filter { return not{f} }

// mustBeTimes returns the problem of a time that is compared with a text that is none.
func (p *parser) mustBeTimes(x, y *expr) error {
	for _, pair := range [][2]*expr{{x, y}, {y, x}} {
		if is, with := pair[0], pair[1]; is.rowly && is.name == atTime && with.lit != nil && with.lit.Kind == Text {
			if _, ok := readDate(with.lit.Text, time.UTC); !ok {
				return queryProblem(with.at, "%s is not a time. Write it as in \"2026-11-18 10:30:00\".", with.name)
			}
		}
	}
	return nil
}

// equal reports whether two values are the same. A list has each of its elements.
func (e *env) equal(a, b Value) (is bool) {
	switch {
	case a.Kind == Absent || b.Kind == Absent:
		return false
	case a.Kind == Number && b.Kind == Number:
		return a.Num == b.Num
	case a.Kind == Moment || b.Kind == Moment:
		return e.ordered(Equal, a, b)
	}
	if b.Kind == List && a.Kind != List {
		a, b = b, a
	}
	a.texts(func(text string) { is = is || text == b.Text })
	return is || a.Text == b.Text
}

// ordered compares by size: numbers with numbers, texts with texts, and times with times and their texts.
func (e *env) ordered(o Op, a, b Value) bool {
	if a.Kind == Moment || b.Kind == Moment {
		first, ok := e.time(a)
		second, both := e.time(b)
		return ok && both && o.of(first.Compare(second))
	}
	return comparable2(o, a, b)
}

// comparable2 compares numbers and texts.
func comparable2(o Op, a, b Value) bool {
	x, first := a.number()
	y, second := b.number()
	switch {
	case b.Kind == Number || a.Kind == Number:
		return first && second && o.of(Compare(NumberValue(x), NumberValue(y)))
	case a.Kind == Text && b.Kind == Text:
		return o.of(strings.Compare(a.Text, b.Text))
	}
	return false
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
		return slices.ContainsFunc(values, func(wanted Value) bool { return (&env{}).equal(v, wanted) })
	}
	return c
}

// oneOf reads a list, or top().
func (p *parser) oneOf(from int, x *expr) (*expr, error) {
	p.next()
	if p.peek().is("top") && p.ahead(1).is("(") {
		return p.inTop(from, x)
	}
	end := "]"
	if t := p.next(); t.is("(") {
		end = ")"
	} else if !t.is("[") {
		return nil, queryProblem(t.at, `a list is expected, as in ["a", "b"], not %s.`, t)
	}
	args, values := []*expr{x}, []Value{}
	err := p.list(maxTests, "values", func() error {
		y, err := p.sum()
		if err != nil {
			return err
		}
		if args = append(args, y); y.lit != nil {
			values = append(values, *y.lit)
		}
		return p.mustBeTimes(x, y)
	})
	if err != nil {
		return nil, err
	}
	if err := p.expect(end, "the end of the list is missing."); err != nil {
		return nil, err
	}
	made, err := p.made(from, func(e *env, args []Value) Value {
		return boolValue(slices.ContainsFunc(args[1:], func(v Value) bool { return e.equal(args[0], v) }))
	}, args...)
	if err == nil && x.key != "" && len(values) == len(args)-1 && !p.table() {
		made.filter = equals(x.key, values)
	}
	return made, err
}

func (p *parser) between(from int, x *expr) (*expr, error) {
	p.next()
	low, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.expect("and", "between needs two values, as in between 200 and 299."); err != nil {
		return nil, err
	}
	high, err := p.sum()
	if err != nil {
		return nil, err
	}
	if err := p.mustBeTimes(x, low); err != nil {
		return nil, err
	}
	if err := p.mustBeTimes(x, high); err != nil {
		return nil, err
	}
	made, err := p.made(from, func(e *env, a []Value) Value {
		return boolValue(e.ordered(GreaterEqual, a[0], a[1]) && e.ordered(LessEqual, a[0], a[2]))
	}, x, low, high)
	if err == nil && x.key != "" && low.lit != nil && high.lit != nil && !p.table() {
		from, to := *low.lit, *high.lit
		made.filter = test{key: x.key, holds: func(v Value) bool {
			return (&env{}).ordered(GreaterEqual, v, from) && (&env{}).ordered(LessEqual, v, to)
		}}
	}
	return made, err
}

// like compares with a pattern: % stands for any text, and _ for one character.
func (p *parser) like(from int, x *expr, fold bool) (*expr, error) {
	p.next()
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
	return p.matched(from, x, t, b.String()+`\z`)
}

func (p *parser) match(from int, x *expr) (*expr, error) {
	p.next()
	t := p.next()
	if t.kind != regexToken && t.kind != textToken {
		return nil, queryProblem(t.at, "a regular expression is expected, as in /timeout|refused/, not %s.", t)
	}
	return p.matched(from, x, t, t.text)
}

func (p *parser) matched(from int, x *expr, at token, text string) (*expr, error) {
	if x.rowly && x.name == atTime {
		return nil, queryProblem(at.at, "compare @ts by ==, <, <=, >, >= or between.")
	}
	pattern, err := p.regex(at, text)
	if err != nil {
		return nil, err
	}
	made, err := p.made(from, func(e *env, args []Value) Value {
		return boolValue(hasText(func(text string) bool { return pattern.matches(e.scope, text) })(args[0]))
	}, x)
	if err == nil && x.key != "" && !p.table() {
		made.filter = test{key: x.key, text: pattern}
	}
	return made, err
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

// What a regular expression may have, and all of a query together.
const (
	maxPattern  = 500 // bytes
	maxSteps    = 300 // for each character that it looks at
	maxAllSteps = 1_000
)

// pattern is a regular expression with what it takes.
type pattern struct {
	*regexp.Regexp
	steps int
}

func (r *pattern) matches(s *scope, text string) bool {
	return s.afford(r, text) && r.MatchString(text)
}

// afford counts the work of a pattern, and reports whether there is time for it.
func (s *scope) afford(r *pattern, text string) bool {
	return s == nil || s.spend(r.steps*(1+len(text))/8) == nil
}

func (p *parser) regex(at token, text string) (*pattern, error) {
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
	return &pattern{expression, steps}, nil
}
