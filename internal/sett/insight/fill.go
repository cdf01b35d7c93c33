package insight

import (
	"math"
	"slices"
	"strings"

	"sett/internal/sett"
)

// filling adds rows that are missing between the values of a column.
type filling struct {
	column   string
	name     string // of the column afterwards
	desc     bool
	carry    int // 1: values of the row before; -1: of the row behind; 0: neither
	from, to *expr
	step     stepOf
	across   string // column whose values are filled each for itself; "": none
	bounded  bool   // each only between its own first and last value
	includes []*expr
	with     map[string]*expr
	zero     map[string]bool
}

// stepOf is how far two values of a column are apart; the zero value is not known.
type stepOf struct {
	micros int64 // of a time; autoStep: as the time of the query says
	width  float64
}

// fill reads a column whose missing steps are to be added.
func (p *parser) fill(at token) error {
	if !p.isTable {
		return queryProblem(at.at, "fill is for the groups of stats, as in stats count() as n by bin(1h) as t | fill t.")
	}
	f := &filling{with: map[string]*expr{}, zero: map[string]bool{}}
	t, from := p.peek(), p.pos
	x, err := p.sum()
	if err != nil {
		return err
	}
	name, ok := p.nearColumn(x)
	if !ok {
		return queryProblem(t.at, "fill needs a column, not %s.", p.written(from))
	}
	f.column = name
	f.step = p.stepFor(x.key)
	if f.name, err = p.alias(name); err != nil {
		return err
	}
	if f.name != name && p.names[f.name] != nil {
		return queryProblem(t.at, "two columns have the name %s. Give one of them another name with as.", f.name)
	}
	if err := p.fillOptions(f); err != nil {
		return err
	}
	if f.step == (stepOf{}) {
		return queryProblem(at.at, "fill needs a step, as in fill %s step 10, because the column is neither a bin() nor a bucket().", f.name)
	}
	for name := range p.counts {
		f.zero[name] = true
	}
	p.cut(true)
	p.stages[len(p.stages)-1].fill = f
	if f.name != name {
		p.renameColumn(name, f.name)
	}
	p.names[atFill] = &expr{name: atFill, key: atFill, fields: []string{atFill}, size: 1, loose: true}
	return nil
}

// renameColumn gives a column of the stage another name.
func (p *parser) renameColumn(from, to string) {
	delete(p.names, from)
	p.names[to] = columnExpr(to)
	for i, name := range p.order {
		if name == from {
			p.order[i] = to
		}
	}
	for i, c := range p.columns {
		if c.name == from {
			p.columns[i] = output{to, p.names[to]}
		}
	}
}

// stepFor returns how far the values of a column that events are grouped by are apart.
func (p *parser) stepFor(key string) stepOf {
	if len(p.groupings) == 0 {
		return stepOf{}
	}
	for _, b := range p.groupings[len(p.groupings)-1].By {
		switch {
		case b.Name != key:
		case b.Step != 0:
			return stepOf{micros: b.Step}
		case b.of != nil:
			return stepOf{width: b.of.width}
		}
	}
	return stepOf{}
}

func (p *parser) fillOptions(f *filling) (err error) {
	for err == nil {
		switch t := p.peek(); {
		case p.accept("asc"):
		case p.accept("desc"):
			f.desc = true
		case p.accept("up"):
			f.carry = -1
		case p.accept("down"):
			f.carry = 1
		case p.accept("from"):
			f.from, err = p.constantOf("from")
		case p.accept("to"):
			f.to, err = p.constantOf("to")
		case p.accept("step"):
			f.step, err = p.fillStep()
		case p.accept("across"):
			err = p.fillAcross(f)
		case p.accept("with"):
			err = p.list(maxColumns, "columns", func() error { return p.fillWith(f) })
		case t.is("|") || t.kind == endToken:
			return nil
		default:
			return queryProblem(t.at, "%s is not expected in fill. There are asc, desc, up, down, from, to, step, across and with.", t)
		}
	}
	return err
}

// constantOf reads a value that depends on no row.
func (p *parser) constantOf(of string) (*expr, error) {
	t := p.peek()
	x, err := p.sum()
	if err == nil && (len(x.fields) > 0 || x.rowly && !virtualFields[x.name].always && x.name != "now()") {
		return nil, queryProblem(t.at, "%s needs a value that is the same for all rows.", of)
	}
	return x, err
}

func (p *parser) fillStep() (s stepOf, err error) {
	t := p.peek()
	if t.kind == durationToken || p.ahead(1).kind == wordToken && units[strings.TrimSuffix(strings.ToLower(p.ahead(1).text), "s")] > 0 {
		i, err := p.interval()
		if err == nil && i.length() < leastStep {
			err = queryProblem(t.at, "a step from 1s to 7d is expected, such as 5m or 1h, not %s.", t)
		}
		return stepOf{micros: i.length().Microseconds()}, err
	}
	x, err := p.constantOf("step")
	if err != nil {
		return s, err
	}
	if x.lit == nil || x.lit.Kind != Number || !(x.lit.Num > 0) {
		return s, queryProblem(t.at, "a step is a positive number, or an interval such as 5m.")
	}
	return stepOf{width: x.lit.Num}, nil
}

func (p *parser) fillAcross(f *filling) error {
	t := p.peek()
	x, err := p.sum()
	if err != nil {
		return err
	}
	name, ok := p.nearColumn(x)
	if !ok || name == f.column {
		return queryProblem(t.at, "across needs another column, not %s.", t)
	}
	f.across = name
	f.bounded = p.accept("bounded")
	if !p.accept("including") {
		return nil
	}
	if err := p.expect("[", `including needs a list, as in including ["a", "b"].`); err != nil {
		return err
	}
	err = p.list(maxTests, "values", func() error {
		x, err := p.constantOf("including")
		f.includes = append(f.includes, x)
		return err
	})
	if err != nil {
		return err
	}
	return p.expect("]", "the end of the list is missing.")
}

func (p *parser) fillWith(f *filling) error {
	t := p.peek()
	x, err := p.field()
	if err != nil {
		return err
	}
	name, ok := p.nearColumn(x)
	if !ok {
		return queryProblem(t.at, "with needs a column, not %s.", t)
	}
	if !p.accept("=") {
		f.with[name] = nil
		return nil
	}
	f.with[name], err = p.constantOf("with")
	return err
}

// add adds the missing rows to a table.
func (f *filling) add(t *table, s *scope) error {
	at, across := slices.Index(t.names, f.column), slices.Index(t.names, f.across)
	e := &env{scope: s, f: &Frame{At: []int64{0}, made: true, scope: s, opened: map[string]*Column{}, open: func(string) (*Column, error) { return nil, nil }}}
	var names []Value
	parts := map[string][][]Value{}
	part := func(v Value) {
		if _, known := parts[v.key()]; !known {
			names, parts[v.key()] = append(names, v), nil
		}
	}
	for _, row := range t.rows {
		v := Value{}
		if across >= 0 {
			v = row[across]
		}
		part(v)
		parts[v.key()] = append(parts[v.key()], row)
	}
	for _, x := range f.includes {
		part(x.value(e))
	}
	if len(names) == 0 && across < 0 {
		part(Value{})
	}
	low, high, ok := f.bounds(e, t.rows, at)
	filled := table{names: append(slices.Clone(t.names), atFill)}
	if i := at; i >= 0 {
		filled.names[i] = f.name
	}
	for _, v := range names {
		from, to, there := low, high, ok
		if f.bounded {
			from, to, there = f.bounds(e, parts[v.key()], at)
		}
		rows, err := f.part(e, t, parts[v.key()], at, across, v, from, to, there)
		if err != nil {
			return err
		}
		if filled.rows = append(filled.rows, rows...); len(filled.rows) > maxBetween {
			return errFilled
		}
	}
	*t = filled
	return nil
}

var errFilled = sett.Refuse("query", "adds too many rows with fill: there may be %d. Choose a longer step, or a shorter time", maxBetween)

// bounds returns the first and the last value of rows, unless the query says them.
func (f *filling) bounds(e *env, rows [][]Value, at int) (low, high float64, ok bool) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		if v := row[at]; v.Kind == Number || v.Kind == Moment {
			low, high = min(low, v.Num), max(high, v.Num)
		}
	}
	if f.step.micros != 0 && !f.bounded {
		low, high = float64((&By{Step: f.micros(e), Zone: e.zone}).start(e.from)), float64(e.to-1)
	}
	for _, edge := range []struct {
		x  *expr
		to *float64
	}{{f.from, &low}, {f.to, &high}} {
		if edge.x == nil {
			continue
		}
		v := edge.x.value(e)
		if f.step.micros != 0 {
			t, is := e.time(v)
			if !is {
				return 0, 0, false
			}
			*edge.to = float64(t.UnixMicro())
			continue
		}
		n, is := v.number()
		if !is {
			return 0, 0, false
		}
		*edge.to = n
	}
	return low, high, low <= high
}

func (f *filling) micros(e *env) int64 {
	if f.step.micros == autoStep {
		return e.auto
	}
	return f.step.micros
}

// part adds the missing rows of one value of the column that is filled across.
func (f *filling) part(e *env, t *table, rows [][]Value, at, across int, name Value, low, high float64, ok bool) (all [][]Value, err error) {
	have := map[float64]bool{}
	for _, row := range rows {
		have[row[at].Num] = true
		all = append(all, append(slices.Clone(row), boolValue(false)))
	}
	step := f.step.width
	if f.step.micros != 0 {
		step = float64(f.micros(e))
	}
	if ok && (high-low)/step > maxBetween {
		return nil, errFilled
	}
	for i := 0; ok; i++ {
		n := low + float64(i)*step
		if f.step.micros != 0 {
			n = float64((&By{Step: int64(step), Zone: e.zone}).start(int64(n) + int64(step/2)))
			if f.from != nil || i == 0 && n < low {
				n = low + float64(i)*step
			}
		}
		if n > high {
			break
		}
		if !have[n] {
			have[n] = true
			all = append(all, f.row(e, t, at, across, name, n))
		}
	}
	slices.SortStableFunc(all, func(a, b []Value) int { return compareSorted(a[at], b[at], f.desc) })
	f.carried(t, all, at, across)
	return all, nil
}

// row returns a row that is missing.
func (f *filling) row(e *env, t *table, at, across int, name Value, n float64) []Value {
	row := make([]Value, len(t.names)+1)
	for i, column := range t.names {
		switch with, said := f.with[column]; {
		case i == at && f.step.micros != 0:
			row[i] = momentValue(int64(n))
		case i == at:
			row[i] = finite(n)
		case i == across:
			row[i] = name
		case said && with != nil:
			row[i] = with.value(e)
		case f.zero[column] && f.carry == 0 && !said:
			row[i] = NumberValue(0)
		}
	}
	row[len(t.names)] = boolValue(true)
	return row
}

// carried gives rows that were added the values of the row before or behind.
func (f *filling) carried(t *table, rows [][]Value, at, across int) {
	for i, column := range t.names {
		with, said := f.with[column]
		if i == at || i == across || said && with != nil || f.carry == 0 && !said {
			continue
		}
		before := Value{}
		for n := range rows {
			if f.carry < 0 {
				n = len(rows) - 1 - n
			}
			if rows[n][len(t.names)].isTrue() {
				rows[n][i] = before
			} else {
				before = rows[n][i]
			}
		}
	}
}
