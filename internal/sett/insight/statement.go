package insight

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// The bounds of a query in BadgerQL.
const (
	maxQuery   = 8_000  // bytes
	maxRows    = 1_000  // that it returns
	maxBetween = 10_000 // rows between two functions
	usualRows  = 100    // events, if it has no limit
	maxColumns = 50
	maxAggs    = 20
	maxBys     = 4
	maxSorts   = 5
	maxTests   = 100 // comparisons of filters
	maxNesting = 30  // parentheses
	maxStages  = 10  // of a query
	maxTop     = 5   // uses of top() that events are read for once more
	mostTop    = 100 // values of a top()
)

// Statement is a query in a subset of BadgerQL: functions that are joined by pipes. A search may stand before the first pipe.
type Statement struct {
	Text      string
	stages    []*stage
	columns   []output // of the result
	lists     bool     // events are returned as they are
	groupings []*Stat  // all that groups events
	results   []output // of the last of them
	sort      []Sort   // of the result, by the names of columns or fields
	limit     int      // 0: none
	tops      []top
	parts     []part // of the text
	asked     []string
}

// output is a column of a result.
type output struct {
	name string
	of   *expr
}

// top asks for the most frequent values of an expression.
type top struct {
	n      int
	of     *expr
	filter all
}

// parser reads a statement.
type parser struct {
	Statement
	all      []token
	pos      int
	cur      *stage
	isTable  bool
	names    map[string]*expr // what names stand for: aliases, and behind stats all columns
	order    []string         // of the columns behind stats
	stat     *Stat            // whose functions are being read
	within   bool             // one of these functions
	noting   bool             // fields are asked for, and not only shown
	keys     []string         // of all fields
	virtuals []string         // fields with @
	counts   map[string]bool  // columns that are 0 where nothing is
	tests    int
	nesting  int
	steps    int // of all patterns
}

// ParseStatement reads a query. The error is Invalid, and says where the query is wrong and what is supported.
func ParseStatement(text string) (*Statement, error) {
	if len(text) > maxQuery {
		return nil, sett.Refuse("query", "must have at most %d bytes", maxQuery)
	}
	p := &parser{Statement: Statement{Text: text}, names: map[string]*expr{}, cur: &stage{}, counts: map[string]bool{}}
	rest, at, err := p.search(text)
	if err == nil {
		p.all, err = tokens(rest, at)
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
	return p.finish()
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
	p.cur.filter = all{terms}
	return rest, utf8.RuneCountInString(search) + 1, nil
}

// clauses reads all that is joined by pipes.
func (p *parser) clauses() error {
	for strings.TrimSpace(p.Text) != "" {
		t := p.peek()
		c, err := p.clauseOf(t)
		if err != nil {
			return err
		}
		p.noting = c.asks
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
		if len(p.stages) >= maxStages {
			return queryProblem(end.at, "the query has too many functions one after another.")
		}
	}
	return nil
}

// clauseOf returns the function with a name, and takes the name. A condition at the start of a query is a filter.
func (p *parser) clauseOf(t token) (clause, error) {
	for _, c := range clauses() {
		if t.is(c.name) {
			p.next()
			return c, nil
		}
	}
	if len(p.parts) == 0 && p.startsCondition() {
		return clauseNamed("filter"), nil
	}
	names := clauseNames()
	return clause{}, queryProblem(t.at, "%s is not a function that is supported. Supported: %s.%s", t, phrase.And(names), t.meant(names))
}

// startsCondition reports whether a query begins with a condition instead of a function.
func (p *parser) startsCondition() bool {
	t, next := p.peek(), p.ahead(1)
	switch {
	case t.kind == quotedWord, t.is("not"), t.is("("), strings.HasPrefix(t.text, "@"):
		return true
	case t.kind != wordToken:
		return false
	case next.is("("):
		f, ok := functionOf(t.text)
		return ok && f.test
	}
	return slices.ContainsFunc([]string{"==", "=", "!=", "<>", "<", "<=", ">", ">=", "in", "between", "like", "ilike", "match", "::"}, next.is)
}

func (p *parser) peek() token { return p.all[p.pos] }

// ahead returns a later token.
func (p *parser) ahead(n int) token { return p.all[min(p.pos+n, len(p.all)-1)] }

// next takes a token; the last one stays.
func (p *parser) next() token {
	t := p.all[p.pos]
	if t.kind != endToken {
		p.pos++
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

func (p *parser) text() (string, error) {
	t := p.next()
	if t.kind != textToken {
		return "", queryProblem(t.at, "a text in quotes is expected, not %s.", t)
	}
	return t.text, nil
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
		if !p.accept(",") {
			return nil
		}
	}
}

// table reports whether rows are those behind stats.
func (p *parser) table() bool { return p.isTable }

// ended ends a stage, and returns it.
func (p *parser) ended() *stage {
	p.stages = append(p.stages, p.cur)
	return p.cur
}

// begin begins the next stage; that of a table has only the columns that are defined then.
func (p *parser) begin(table bool) {
	p.cur, p.sort, p.limit = &stage{}, nil, 0
	if table {
		p.isTable, p.names, p.order, p.columns = true, map[string]*expr{}, nil, nil
	}
}

// define gives a column behind stats its name.
func (p *parser) define(o output) {
	if _, known := p.names[o.name]; !known {
		p.order = append(p.order, o.name)
	}
	p.names[o.name] = o.of
}

// cut ends a stage whose rows are limited already, so that what follows is about the rows that are left.
func (p *parser) cut(always bool) {
	list := &p.cur.list
	if !always && list.limit == 0 && list.per == 0 {
		return
	}
	ended := p.ended()
	if !p.isTable { // the columns follow when all fields are known
		sort := p.sort
		p.begin(false)
		p.cur.list.sort, p.sort = ended.list.sort, sort
		return
	}
	for _, name := range p.order {
		ended.list.columns = append(ended.list.columns, output{name, p.names[name]})
	}
	order, shown := p.order, p.columns
	p.begin(true)
	for _, name := range order {
		p.define(output{name, columnExpr(name)})
	}
	for _, c := range shown {
		p.columns = append(p.columns, output{c.name, columnExpr(c.name)})
	}
}

// columnExpr returns the expression of a column of a table.
func columnExpr(name string) *expr {
	return &expr{name: name, key: name, fields: []string{name}, size: 1}
}

// finish ends the last stage, and decides what each returns.
func (p *parser) finish() (*Statement, error) {
	last := p.ended()
	switch {
	case len(p.columns) > 0:
	case p.isTable:
		for _, name := range p.order {
			p.columns = append(p.columns, output{name, p.names[name]})
		}
	default:
		p.lists = len(p.stages) == 1
		for _, name := range []string{atTime, atPreview} {
			p.virtual(name)
			p.columns = append(p.columns, output{name, virtualExpr(name, 1)})
		}
	}
	last.list.columns, last.list.last, last.list.whole = p.columns, true, p.lists
	for _, s := range p.stages[:len(p.stages)-1] {
		if s.stat == nil && s.expand == nil && s.list.columns == nil {
			for _, key := range p.keys {
				s.list.columns = append(s.list.columns, output{key, columnExpr(key)})
			}
			for _, name := range p.virtuals {
				s.list.columns = append(s.list.columns, output{name, virtualExpr(name, 1)})
			}
		}
	}
	return &p.Statement, nil
}

// rowsWanted is how many rows the statement returns at most.
func (s *Statement) rowsWanted() int {
	switch {
	case s.limit > 0:
		return min(s.limit, maxRows)
	case s.Counts() || s.stages[len(s.stages)-1].list.per > 0:
		return maxRows
	}
	return usualRows
}

// Counts reports whether the statement groups events.
func (s *Statement) Counts() bool { return len(s.groupings) > 0 }

// Plan returns what the statement needs of the events of a time. In days and weeks, it steps through those of a zone.
func (s *Statement) Plan(from, to time.Time, zone *time.Location) Plan {
	p := Plan{Filter: s.stages[0].filter, From: Micros(from), To: Micros(to), Rows: s.rowsWanted(), statement: s, zone: zone}
	auto := StepOf(to.Sub(from)).Microseconds()
	if len(s.groupings) > 0 {
		p.Stat = s.groupings[0].in(zone, auto)
		if len(s.groupings) > 1 {
			p.Stat = &Stat{}
		}
	}
	p.known = make([]map[string]bool, len(s.tops))
	return p
}

// in returns the calculation with the zone of its steps, and those that follow from the time of the query.
func (s *Stat) in(zone *time.Location, auto int64) *Stat {
	made := *s
	made.By = slices.Clone(s.By)
	for i, b := range made.By {
		if b.Step == autoStep {
			made.By[i].Step = auto
		}
		made.By[i].Zone = zone
	}
	return &made
}
