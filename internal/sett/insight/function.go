package insight

import (
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/phrase"
)

// function is a function of the language: what is written before parentheses.
type function struct {
	name, usage, about, example string
	kind                        string // such as numbers
	least, most                 int    // arguments
	test, loose                 bool   // it is true or false, or may be
	calc                        func(e *env, args []Value) Value
	read                        func(p *parser, from int) (*expr, error) // its arguments, if they have a syntax of their own
	agg                         Func                                     // of stats
}

// The kinds of functions, as the manual has them.
const (
	kindTest    = "Functions that test and choose"
	kindNumber  = "Numbers"
	kindText    = "Texts"
	kindTime    = "Times"
	kindConvert = "Conversion"
	kindOther   = "URLs, JSON and lists"
	kindAgg     = "Functions of stats"
)

var functionByName map[string]*function

func init() { //nolint:gochecknoinits // the functions and their reader refer to each other
	functionByName = map[string]*function{}
	for _, f := range functions() {
		functionByName[strings.ToLower(f.name)] = &f
	}
	for other, name := range map[string]string{"coalesce": "either"} {
		functionByName[other] = functionByName[name]
	}
}

// functions returns all functions of the language.
func functions() []function {
	return slices.Concat(testFunctions(), numberFunctions(), textFunctions(), timeFunctions(), convertFunctions(), otherFunctions(), aggFunctions())
}

func functionOf(name string) (*function, bool) {
	f, ok := functionByName[strings.ToLower(name)]
	return f, ok
}

func functionNames(kinds ...string) (names []string) {
	for _, f := range functions() {
		if len(kinds) == 0 || slices.Contains(kinds, f.kind) {
			names = append(names, f.name)
		}
	}
	return names
}

// call reads a function with its arguments. Behind stats, it may be the name of a column.
func (p *parser) call() (*expr, error) {
	t, from := p.peek(), p.pos
	if p.table() && (p.stat == nil || p.within) {
		if x, ok := p.columnCall(); ok {
			return x, nil
		}
	}
	f, ok := functionOf(t.text)
	if !ok {
		return nil, queryProblem(t.at, "the function %s is not supported. Supported: %s.%s", t, phrase.And(functionNames()), t.meant(functionNames()))
	}
	p.next()
	p.next()
	if err := p.nest(); err != nil {
		return nil, err
	}
	defer p.unnest()
	if f.agg != "" {
		return p.aggregate(from, f)
	}
	if f.read != nil {
		return f.read(p, from)
	}
	args, err := p.arguments(f)
	if err != nil {
		return nil, err
	}
	return p.called(from, f, args)
}

// called returns a function of arguments that were read.
func (p *parser) called(from int, f *function, args []*expr) (*expr, error) {
	x, err := p.made(from, f.calc, args...)
	if err == nil {
		x.test, x.loose = f.test, f.loose
		if f.name == "bucket" {
			x.width = widthOf(args)
		}
	}
	return x, err
}

// arguments reads expressions up to the closing parenthesis.
func (p *parser) arguments(f *function) (args []*expr, err error) {
	if !p.peek().is(")") {
		err = p.list(maxTests, "arguments", func() error {
			x, err := p.anyOf()
			args = append(args, x)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if t := p.peek(); len(args) < f.least || len(args) > f.most {
		return nil, queryProblem(t.at, "%s", f.says())
	}
	return args, p.expect(")", "a closing parenthesis is missing.")
}

// says returns how the function is called.
func (f *function) says() string { return fmt.Sprintf("%s is written as %s.", f.name, f.usage) }

func testFunctions() []function {
	return []function{
		{name: "isNull", usage: "isNull(a)", about: "events or rows without the value", example: `filter isNull(user.plan) | stats count()`, kind: kindTest, least: 1, most: 1, read: readNull(true)},
		{name: "isNotNull", usage: "isNotNull(a)", about: "events or rows with the value", example: `filter isNotNull(user.plan) | stats count()`, kind: kindTest, least: 1, most: 1, read: readNull(false)},
		{name: "startsWith", usage: `startsWith(a, "x")`, about: "the text begins so", example: `filter startsWith(path, "/api") | stats count()`, kind: kindTest, least: 2, most: 2, read: readStartsWith},
		{name: "if", usage: "if(condition, a, b)", about: "the first value if the condition is true, else the second", example: `fields if(status >= 500, "failed", "fine") as result`, kind: kindTest, least: 3, most: 3, loose: true, calc: func(_ *env, a []Value) Value {
			if a[0].isTrue() {
				return a[1]
			}
			return a[2]
		}},
		{name: "cond", usage: "cond(condition, a, condition, b, …, default)", about: "the value behind the first condition that is true, else the last value", example: `fields cond(status < 400, "fine", status < 500, "refused", "failed") as result`, kind: kindTest, least: 3, most: maxTests, loose: true, calc: calcCond},
		{name: "either", usage: "either(a, b, …)", about: "the first value that is not null; `coalesce` is the same", example: `fields either(user.plan, "none") as plan`, kind: kindTest, least: 1, most: maxTests, loose: true, calc: func(_ *env, a []Value) Value {
			for _, v := range a {
				if v.Kind != Absent {
					return v
				}
			}
			return Value{}
		}},
	}
}

func calcCond(_ *env, a []Value) Value {
	for len(a) > 1 {
		if a[0].isTrue() {
			return a[1]
		}
		a = a[2:]
	}
	if len(a) == 1 {
		return a[0]
	}
	return Value{}
}

// readNull reads the argument of isNull and isNotNull.
func readNull(null bool) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		name := map[bool]string{true: "isNull", false: "isNotNull"}[null]
		args, err := p.arguments(functionByName[strings.ToLower(name)])
		if err != nil {
			return nil, err
		}
		x, err := p.made(from, func(_ *env, a []Value) Value { return boolValue((a[0].Kind == Absent) == null) }, args...)
		if err != nil {
			return nil, err
		}
		x.test = true
		if key := args[0].key; key != "" {
			x.filter = test{key: key, holds: isThere}
			if null {
				x.filter = not{x.filter}
			}
		}
		p.tests++
		return x, nil
	}
}

func readStartsWith(p *parser, from int) (*expr, error) {
	args, err := p.arguments(functionByName["startswith"])
	if err != nil {
		return nil, err
	}
	x, err := p.made(from, func(_ *env, a []Value) Value {
		return boolValue(hasText(func(text string) bool { return strings.HasPrefix(text, a[1].Text) })(a[0]) && a[1].Kind == Text)
	}, args...)
	if err != nil {
		return nil, err
	}
	x.test = true
	if lit := args[1].lit; args[0].key != "" && lit != nil && lit.Kind == Text && !p.table() {
		begin := lit.Text
		x.filter = test{key: args[0].key, holds: hasText(func(text string) bool { return strings.HasPrefix(text, begin) })}
	}
	p.tests++
	return x, nil
}
