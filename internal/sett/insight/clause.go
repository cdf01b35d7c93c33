package insight

import (
	"slices"
	"strconv"
	"strings"

	"sett/internal/base/phrase"
)

// clause is a function of the language that stands between pipes.
type clause struct {
	name, usage, about string
	example            string
	asks               bool // its fields are asked for: it matters whether events have them
	read               func(p *parser, at token) error
}

func clauses() []clause {
	return []clause{
		{"filter", "filter condition", "keeps the events of which the condition holds; behind `stats` the rows", `stats count() as n by event_type | filter n > 1`, true, (*parser).filters},
		{"stats", "stats function [as a], … [by e [as a], …]", "calculates for groups of events. Behind it, there are only its columns", `stats count() as n, avg(duration) by path`, true, (*parser).stats},
		{"sort", "sort e [asc or desc], …", "sorts, the highest first unless `asc` follows. Without it, events are newest first, and groups in the order of time or of their size", `fields path, duration | sort duration, path asc`, false, (*parser).sorts},
		{"limit", "limit n [by e, …]", "returns the first rows, or so many for each value", `fields @preview | limit 1 by event_type`, false, (*parser).limits},
		{"fields", "fields e [as a], …", "adds columns. Without it, and without `stats`, they are `@ts` and `@preview`", `fields path, duration / 1000 as seconds`, false, (*parser).fields},
		{"only", "only e [as a], …", "shows only these columns", `stats count() as n by path, status | only status, n`, false, (*parser).only},
		{"unique", "unique a, …", "keeps one event for each combination of values", `unique path, status | fields path, status`, true, (*parser).unique},
		{"expand", "expand a[*] [as b], …", "makes a row for each element of a list; several lists run in parallel", `expand tags[*] as tag | stats count() as n by tag`, true, (*parser).expand},
		{"parse", "parse a /(?<name>…)/", "makes columns of what the named groups of a regular expression find; null without a match", `parse path /orders\/(?<id>[0-9]+)/ | fields id`, true, (*parser).parse},
		{"fill", "fill a [as b] [asc, desc, up or down] [from x] [to y] [step z] [across c [bounded] [including [v, …]]] [with d[=e], …]", "adds the rows that are missing between steps. Counts are 0 in them, and other columns null, or with `up` and `down` those of the next or previous row. `@fill` is true in these rows", `stats count() as n by bin(1m) as t | fill t | only t, n`, false, (*parser).fill},
	}
}

func clauseNames() (names []string) {
	for _, c := range clauses() {
		names = append(names, c.name)
	}
	return names
}

func clauseNamed(name string) clause {
	all := clauses()
	return all[slices.IndexFunc(all, func(c clause) bool { return c.name == name })]
}

func (p *parser) filters(token) error {
	p.cut(false)
	x, err := p.condition()
	if err == nil {
		p.cur.filter = all(cheapFirst(append(p.cur.filter, x.asFilter())))
	}
	return err
}

// column reads an expression, and the name that follows "as", if one does.
func (p *parser) column() (o output, named bool, err error) {
	from := p.pos
	if o.of, err = p.anyOf(); err != nil {
		return o, false, err
	}
	before := p.pos
	o.name, err = p.alias(p.written(from))
	return o, p.pos != before, err
}

func (p *parser) fields(token) error {
	if p.isTable && p.columns == nil {
		for _, name := range p.order {
			p.columns = append(p.columns, output{name, p.names[name]})
		}
	}
	return p.list(maxColumns, "fields", func() error {
		at := p.peek().at
		o, named, err := p.column()
		if err == nil {
			err = p.show(at, o, named)
		}
		return err
	})
}

// show adds a column, or replaces the one with its name.
func (p *parser) show(at int, o output, named bool) error {
	if named && p.isTable {
		p.define(o)
	} else if named {
		p.names[o.name] = o.of
	}
	for i, have := range p.columns {
		if have.name == o.name {
			p.columns[i] = o
			return nil
		}
	}
	if len(p.columns) == maxColumns {
		return queryProblem(at, "there may be at most %d fields.", maxColumns)
	}
	p.columns = append(p.columns, o)
	return nil
}

// only reads which columns are shown, and in which order.
func (p *parser) only(token) error {
	p.columns = nil
	return p.list(maxColumns, "fields", func() error {
		at := p.peek().at
		o, named, err := p.column()
		if err != nil {
			return err
		}
		if name, ok := p.nearColumn(o.of); ok && !named {
			o.name = name
		}
		return p.show(at, o, named)
	})
}

// nearColumn returns the column of stats that an expression is.
func (p *parser) nearColumn(x *expr) (string, bool) {
	if !p.isTable {
		return "", false
	}
	for _, name := range p.order {
		if p.names[name] == x {
			return name, true
		}
	}
	return "", false
}

// sorts reads by what rows are sorted. Without a direction, the highest is first.
func (p *parser) sorts(token) error {
	p.cut(false)
	p.cur.list.sort, p.sort = nil, nil
	return p.list(maxSorts, "fields to sort by", func() error {
		t, from := p.peek(), p.pos
		x, err := p.anyOf()
		if err != nil {
			return err
		}
		if x.rowly && x.name == atPreview {
			return queryProblem(t.at, "events cannot be sorted by @preview.")
		}
		desc := !p.peek().is("asc")
		if p.peek().is("asc") || p.peek().is("desc") {
			p.next()
		}
		name := p.written(from)
		if column, ok := p.nearColumn(x); ok {
			name = column
		}
		if x.key != "" && !p.isTable {
			name = x.key
		}
		if x.rowly && x.name == atTime {
			name = atTime
		}
		p.sort = append(p.sort, Sort{name, desc})
		p.cur.list.sort = append(p.cur.list.sort, order{x, desc})
		return nil
	})
}

func (p *parser) limits(token) error {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != numberToken || err != nil || n < 1 {
		return queryProblem(t.at, "a whole number of rows is expected, not %s.", t)
	}
	if p.accept("by") {
		return p.limitBy(n)
	}
	if p.cur.list.limit > 0 {
		p.cut(true)
	}
	p.cur.list.limit, p.limit = n, n
	return nil
}

// limitBy reads for what rows are limited.
func (p *parser) limitBy(n int) error {
	p.cut(false)
	p.cur.list.per = n
	return p.list(maxBys, "fields", func() error {
		x, err := p.anyOf()
		p.cur.list.by = append(p.cur.list.by, x)
		return err
	})
}

func (p *parser) unique(token) error { return p.limitBy(1) }

// expand reads lists, each element of which becomes a row.
func (p *parser) expand(at token) error {
	p.cut(len(p.cur.list.sort) > 0)
	var names []string
	err := p.list(maxBys, "lists", func() error {
		t := p.peek()
		of, err := p.field()
		if err != nil {
			return err
		}
		if of.key == "" && of.rowly {
			return queryProblem(t.at, "%s is no list.", t)
		}
		name, err := p.alias(of.name)
		names = append(names, name)
		p.cur.expand = append(p.cur.expand, expansion{of, name})
		return err
	})
	if err != nil {
		return err
	}
	p.ended()
	table := p.isTable
	p.cur, p.sort, p.limit = &stage{}, nil, 0
	for _, name := range names {
		p.names[name] = columnExpr(name)
		if table && !slices.Contains(p.order, name) {
			p.order = append(p.order, name)
		}
		if !table && !slices.Contains(p.keys, name) {
			p.keys = append(p.keys, name)
		}
		for i, c := range p.columns {
			if c.name == name {
				p.columns[i].of = p.names[name]
			}
		}
	}
	return nil
}

// parse reads a regular expression whose named groups are columns.
func (p *parser) parse(token) error {
	from := p.pos
	of, err := p.primary()
	if err != nil {
		return err
	}
	t := p.next()
	if t.kind != regexToken && t.kind != textToken {
		return queryProblem(t.at, `a regular expression is expected, as in parse path /(?<id>\d+)/, not %s.`, t)
	}
	found, err := p.regex(t, t.text)
	if err != nil {
		return err
	}
	named := 0
	for i, name := range found.SubexpNames() {
		if name == "" {
			continue
		}
		named++
		x, err := p.made(from, func(e *env, a []Value) Value {
			if a[0].Kind == Absent || !e.afford(found, a[0].Text) {
				return Value{}
			}
			m := found.FindStringSubmatchIndex(a[0].Text)
			if m == nil || m[2*i] < 0 {
				return Value{}
			}
			return textValue(a[0].Text[m[2*i]:m[2*i+1]])
		}, of)
		if err != nil {
			return err
		}
		x.name, x.size = name, x.size+1
		if err := p.show(t.at, output{name, x}, true); err != nil {
			return err
		}
	}
	if named == 0 {
		return queryProblem(t.at, "the regular expression needs a named group, as in (?<id>[0-9]+).")
	}
	return nil
}

// alias reads the name that follows "as", if one does.
func (p *parser) alias(name string) (string, error) {
	if !p.accept("as") {
		return name, nil
	}
	t := p.next()
	if t.kind != wordToken && t.kind != quotedWord || t.text == "" || strings.HasPrefix(t.text, "@") || strings.Contains(t.text, hidden) {
		return "", queryProblem(t.at, "a name is expected after as, not %s.", t)
	}
	return t.text, nil
}

// field reads the name of a field or column, and a hint of its type, which is not needed: each value has its type.
func (p *parser) field() (*expr, error) {
	t, from := p.next(), p.pos-1
	if t.kind != wordToken && t.kind != quotedWord || t.text == "" || strings.Contains(t.text, hidden) || t.kind == wordToken && slices.Contains(reserved, strings.ToLower(t.text)) {
		return nil, queryProblem(t.at, "the name of a field is expected, not %s.", t)
	}
	element, err := p.element()
	if err != nil {
		return nil, err
	}
	if p.accept("::") {
		if hint := p.next(); hint.kind != wordToken || !isHint(hint.text) {
			return nil, queryProblem(hint.at, "%s is not a type. Types are int, float, str, bool and datetime.", hint)
		}
	}
	x, err := p.named(t)
	if err != nil || element < 0 {
		return x, err
	}
	return p.made(from, func(_ *env, a []Value) Value {
		all := elements(a[0])
		if element >= len(all) {
			return Value{}
		}
		return all[element]
	}, x)
}

// element reads [*] for all elements of a list, or [0] for one of them; -1 is all.
func (p *parser) element() (int, error) {
	if !p.peek().is("[") {
		return -1, nil
	}
	t := p.ahead(1)
	n, err := strconv.Atoi(t.text)
	if !t.is("*") && (t.kind != numberToken || err != nil || n < 0) || !p.ahead(2).is("]") {
		return 0, queryProblem(t.at, "the number of an element or * is expected, not %s.", t)
	}
	p.pos += 3
	if t.is("*") {
		return -1, nil
	}
	return n, nil
}

func isHint(text string) bool {
	switch strings.ToLower(text) {
	case "int", "integer", "float", "str", "string", "bool", "boolean", "datetime", "json":
		return true
	}
	return false
}

// named returns what a name stands for.
func (p *parser) named(t token) (*expr, error) {
	name := t.text
	if x, ok := p.names[name]; ok {
		return x, nil
	}
	if p.isTable {
		return p.columnNamed(t)
	}
	if strings.HasPrefix(name, "@") {
		if _, ok := virtualFields[name]; !ok {
			names := virtualNames()
			return nil, queryProblem(t.at, "the field %s is not supported. Of those with @, there are %s.%s", t, phrase.And(names), t.meant(names))
		}
		p.virtual(name)
		return virtualExpr(name, t.at), nil
	}
	if !slices.Contains(p.keys, name) {
		p.keys = append(p.keys, name)
	}
	if p.noting && !slices.Contains(p.asked, name) {
		p.asked = append(p.asked, name)
	}
	return &expr{at: t.at, name: name, key: name, fields: []string{name}, size: 1}, nil
}

// columnNamed returns the column behind stats with a name, or the only one that is a function of this name.
func (p *parser) columnNamed(t token) (*expr, error) {
	if v, ok := virtualFields[t.text]; ok && v.always {
		return virtualExpr(t.text, t.at), nil
	}
	found := ""
	for _, have := range p.order {
		if strings.HasPrefix(have, t.text+"(") {
			if found != "" {
				found = ""
				break
			}
			found = have
		}
	}
	if found != "" {
		return p.names[found], nil
	}
	return nil, queryProblem(t.at, "there is no column %s. Columns are %s.%s", phrase.Quote(t.text), phrase.And(p.order), t.meant(p.order))
}

// columnCall returns the column that was named by writing its function again.
func (p *parser) columnCall() (*expr, bool) {
	from, depth := p.pos, 0
	for i := from + 1; i < len(p.all); i++ {
		switch {
		case p.all[i].is("("):
			depth++
		case p.all[i].is(")"):
			depth--
		}
		if depth == 0 {
			p.pos = i + 1
			break
		}
	}
	if x, ok := p.names[p.written(from)]; ok {
		return x, true
	}
	p.pos = from
	return nil, false
}
