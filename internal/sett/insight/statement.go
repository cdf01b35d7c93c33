package insight

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// The bounds of a query in BadgerQL.
const (
	maxQuery   = 8_000 // bytes
	maxRows    = 1_000 // that it returns
	usualRows  = 100   // events, if it has no limit
	maxColumns = 50
	maxAggs    = 20
	maxBys     = 4
	maxSorts   = 5
	maxTests   = 100 // comparisons of filters
	maxNesting = 30  // parentheses
)

// The names that begin with @.
const (
	atTime    = "@ts"
	atPreview = "@preview"
)

// Statement is a query in a subset of BadgerQL: fields, filter, stats, sort, limit and only, joined by pipes. A search may stand before the first pipe.
type Statement struct {
	Text    string
	columns []shown // none: the usual ones
	filter  all
	stat    *Stat
	sort    []Sort
	limit   int    // 0: none
	parts   []part // of the text
}

// shown is a column of the result. Of a statement with stats, the key is the name of their column.
type shown struct{ name, key string }

// parser reads a statement.
type parser struct {
	Statement
	tokens  []token
	aliases map[string]string // of fields, to their keys
	tests   int
	nesting int
	steps   int // of all patterns
}

// clause is a function of the language that stands between pipes.
type clause struct {
	name string
	rank int // those with a higher rank come later, but for only, which may stand anywhere behind stats
	read func(p *parser, at token) error
}

func clauses() []clause {
	return []clause{
		{"fields", 0, (*parser).fields},
		{"filter", 0, (*parser).filters},
		{"stats", 1, (*parser).stats},
		{"sort", 2, (*parser).sorts},
		{"limit", 3, (*parser).limits},
		{"only", 2, (*parser).only},
	}
}

func clauseNames() (names []string) {
	for _, c := range clauses() {
		names = append(names, c.name)
	}
	return names
}

// ParseStatement reads a query. The error is Invalid, and says where the query is wrong and what is supported.
func ParseStatement(text string) (*Statement, error) {
	if len(text) > maxQuery {
		return nil, sett.Refuse("query", "must have at most %d bytes", maxQuery)
	}
	p := &parser{Statement: Statement{Text: text}, aliases: map[string]string{}}
	rest, at, err := p.search(text)
	if err == nil {
		p.tokens, err = tokens(rest, at)
	}
	if err != nil {
		return nil, err
	}
	if p.peek().is("|") { // as in a query that was copied from its second line on
		p.next()
	}
	if err := p.clauses(); err != nil {
		return nil, err
	}
	return &p.Statement, nil
}

// search reads the search that a query begins with, if one does. It returns the rest, and the number of its first character.
func (p *parser) search(text string) (rest string, at int, err error) {
	search, rest, ok := cutSearch(text)
	if !ok {
		return text, 1, nil
	}
	terms, problem := readSearch(search)
	if problem != "" {
		return "", 1, queryProblem(1, "a search %s", problem)
	}
	p.filter = terms
	return rest, utf8.RuneCountInString(search) + 1, nil
}

// clauses reads all that is joined by pipes.
func (p *parser) clauses() error {
	rank, used := 0, []string{}
	for strings.TrimSpace(p.Text) != "" {
		t := p.next()
		c, err := clauseOf(t)
		if err != nil {
			return err
		}
		if c.rank < rank && c.name != "only" || c.rank > 0 && slices.Contains(used, c.name) {
			return queryProblem(t.at, "%s may not follow %s. The order is: fields and filter, stats, only, sort, limit.", c.name, used[len(used)-1])
		}
		used, rank = append(used, c.name), max(rank, c.rank)
		if err := c.read(p, t); err != nil {
			return err
		}
		end := p.next()
		p.parts = append(p.parts, part{c.name, t.at - 1, end.at - 1})
		if end.kind == endToken {
			break
		} else if !end.is("|") {
			return queryProblem(end.at, "%s is not expected here. Functions are joined by |.%s", end, end.meant([]string{"by", "as", "and", "or", "desc"}))
		}
	}
	return nil
}

func clauseOf(t token) (clause, error) {
	for _, c := range clauses() {
		if t.is(c.name) {
			return c, nil
		}
	}
	names := clauseNames()
	return clause{}, queryProblem(t.at, "%s is not a function that is supported. Supported: %s.%s", t, phrase.And(names), t.meant(names))
}

func (p *parser) peek() token { return p.tokens[0] }

// next takes a token; the last one stays.
func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != endToken {
		p.tokens = p.tokens[1:]
	}
	return t
}

// accept takes the next token if it is a word or sign.
func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(text, why string) error {
	if t := p.peek(); !t.is(text) {
		return queryProblem(t.at, "%s is not expected here: %s", t, why)
	}
	p.next()
	return nil
}

// name reads a name, and a hint of its type, which is not needed: each value has its type.
func (p *parser) name() (string, error) {
	t := p.next()
	if t.kind != wordToken && t.kind != quotedWord || t.text == "" {
		return "", queryProblem(t.at, "the name of a field is expected, not %s.", t)
	}
	if p.peek().is("(") {
		return "", queryProblem(t.at, "the function %s is not supported here. Supported are names of fields; in filter also isNull(), isNotNull() and startsWith(); in stats %s.", t, aggNames())
	}
	if len(p.tokens) > 3 && p.tokens[0].is("[") && p.tokens[1].is("*") && p.tokens[2].is("]") { // all elements of a list, as always
		p.tokens = p.tokens[3:]
	}
	if p.accept("::") {
		if hint := p.next(); hint.kind != wordToken || !isHint(hint.text) {
			return "", queryProblem(hint.at, "%s is not a type. Types are int, float, str, bool and datetime.", hint)
		}
	}
	return t.text, nil
}

func isHint(text string) bool {
	switch strings.ToLower(text) {
	case "int", "integer", "float", "str", "string", "bool", "boolean", "datetime", "json":
		return true
	}
	return false
}

// field reads the name of a field and returns its key.
func (p *parser) field() (name, key string, err error) {
	t := p.peek()
	if name, err = p.name(); err != nil {
		return "", "", err
	}
	if key, ok := p.aliases[name]; ok {
		return name, key, nil
	}
	if strings.HasPrefix(name, "@") && name != atTime && name != atPreview {
		return "", "", queryProblem(t.at, "the field %s is not supported. Of those with @, there are @ts and @preview.", t)
	}
	return name, name, nil
}

// alias reads the name that follows "as", if one does.
func (p *parser) alias(name string) (string, error) {
	if !p.accept("as") {
		return name, nil
	}
	t := p.next()
	if t.kind != wordToken && t.kind != quotedWord || t.text == "" || strings.HasPrefix(t.text, "@") {
		return "", queryProblem(t.at, "a name is expected after as, not %s.", t)
	}
	return t.text, nil
}

// operator returns the problem of a token that follows a field where only a comma, an alias or a pipe may.
func (p *parser) operator() error {
	if t := p.peek(); t.kind == signToken && strings.Contains("+-*/%", t.text) {
		return queryProblem(t.at, "calculations are not supported.")
	}
	return nil
}

// list reads what is separated by commas.
func (p *parser) list(most int, what string, read func() error) error {
	for n := 1; ; n++ {
		if t := p.peek(); n > most {
			return queryProblem(t.at, "there may be at most %d %s.", most, what)
		}
		if err := read(); err != nil {
			return err
		}
		if err := p.operator(); err != nil {
			return err
		}
		if !p.accept(",") {
			return nil
		}
	}
}

func (p *parser) fields(token) error {
	return p.list(maxColumns, "fields", func() error {
		at := p.peek().at
		name, key, err := p.field()
		if err != nil {
			return err
		}
		if err := p.operator(); err != nil {
			return err
		}
		if name, err = p.alias(name); err != nil {
			return err
		}
		if len(p.columns) == maxColumns {
			return queryProblem(at, "there may be at most %d fields.", maxColumns)
		}
		p.aliases[name] = key
		p.show(shown{name, key})
		return nil
	})
}

// show adds a column, or replaces the one with its name.
func (p *parser) show(c shown) {
	for i, have := range p.columns {
		if have.name == c.name {
			p.columns[i] = c
			return
		}
	}
	p.columns = append(p.columns, c)
}

func (p *parser) limits(token) error {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	if t.kind != numberToken || err != nil || n < 1 {
		return queryProblem(t.at, "a whole number of rows is expected, not %s.", t)
	}
	if p.peek().is("by") {
		return queryProblem(p.peek().at, "limit by is not supported.")
	}
	p.limit = n
	return nil
}

// sorts reads by which columns rows are sorted.
func (p *parser) sorts(token) error {
	return p.list(maxSorts, "fields to sort by", func() error {
		s, err := p.sortKey()
		if err != nil {
			return err
		}
		if p.accept("desc") {
			s.Desc = true
		} else {
			p.accept("asc")
		}
		p.sort = append(p.sort, s)
		return nil
	})
}

func (p *parser) sortKey() (Sort, error) {
	t := p.peek()
	if p.stat == nil {
		_, key, err := p.field()
		if key == atPreview {
			return Sort{}, queryProblem(t.at, "events cannot be sorted by @preview.")
		}
		return Sort{Name: key}, err
	}
	name, err := p.column()
	if err != nil {
		return Sort{}, err
	}
	if column, ok := p.stat.column(name); ok {
		return Sort{Name: column}, nil
	}
	return Sort{}, p.noColumn(t, name)
}

func (p *parser) noColumn(t token, name string) error {
	names := p.stat.names()
	return queryProblem(t.at, "there is no column %s. Columns are %s.%s", phrase.Quote(name), phrase.And(names), token{text: name}.meant(names))
}

// column reads the name of a column of stats: an alias, or a function as it was written.
func (p *parser) column() (string, error) {
	if len(p.tokens) > 1 && p.tokens[1].is("(") {
		if p.peek().is("bin") {
			b, err := p.bin()
			return b.Name, err
		}
		a, err := p.agg()
		return a.Name, err
	}
	return p.name()
}

// only reads which columns are shown, and in which order.
func (p *parser) only(token) error {
	p.columns = nil
	return p.list(maxColumns, "fields", func() error {
		t := p.peek()
		if p.stat == nil {
			name, key, err := p.field()
			if err == nil {
				p.show(shown{name, key})
			}
			return err
		}
		name, err := p.column()
		if err != nil {
			return err
		}
		column, ok := p.stat.column(name)
		if !ok {
			return p.noColumn(t, name)
		}
		p.show(shown{column, column})
		return nil
	})
}

// rowsWanted is how many rows the statement returns at most.
func (s *Statement) rowsWanted() int {
	switch {
	case s.limit > 0:
		return min(s.limit, maxRows)
	case s.stat != nil:
		return maxRows
	}
	return usualRows
}

// shownColumns are the columns of the result.
func (s *Statement) shownColumns() (all []shown) {
	switch {
	case len(s.columns) > 0:
		return s.columns
	case s.stat == nil:
		return []shown{{atTime, atTime}, {atPreview, atPreview}}
	}
	for _, name := range s.stat.names() {
		all = append(all, shown{name, name})
	}
	return all
}

// Plan returns what the statement needs of the events of a time. In days and weeks, it steps through those of a zone.
func (s *Statement) Plan(from, to time.Time, zone *time.Location) Plan {
	p := Plan{Filter: s.filter, From: Micros(from), To: Micros(to), Sort: s.sort, Rows: s.rowsWanted()}
	if s.stat == nil {
		p.Keys = s.keys()
		return p
	}
	stat := *s.stat
	stat.By = append([]By{}, stat.By...)
	for i, b := range stat.By {
		if b.Step == autoStep {
			stat.By[i].Step = StepOf(to.Sub(from)).Microseconds()
		}
		stat.By[i].Zone = zone
	}
	p.Stat = &stat
	return p
}

// keys returns the keys that the columns show; none if they show all.
func (s *Statement) keys() (keys []string) {
	for _, c := range s.shownColumns() {
		if c.key == atPreview {
			return nil
		}
		keys = append(keys, c.key)
	}
	return keys
}
