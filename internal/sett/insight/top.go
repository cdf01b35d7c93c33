package insight

import "slices"

// inTop reads what follows "in" in a in top(5, a).
func (p *parser) inTop(from int, x *expr) (*expr, error) {
	i, _, err := p.topCall()
	if err != nil {
		return nil, err
	}
	return p.amongTop(from, x, i)
}

// amongTop returns the condition that a value is one of the most frequent ones.
func (p *parser) amongTop(from int, x *expr, i int) (*expr, error) {
	made, err := p.made(from, func(e *env, a []Value) Value {
		if a[0].Kind == Absent || i >= len(e.tops) || e.tops[i] == nil {
			return boolValue(a[0].Kind != Absent)
		}
		return boolValue(e.tops[i][a[0].key()])
	}, x)
	if err == nil {
		made.test = true
	}
	return made, err
}

// topCall reads top(5, a), for which events are read once before.
func (p *parser) topCall() (number int, of *expr, err error) {
	at := p.next()
	p.next()
	n, err := p.sum()
	if err != nil {
		return 0, nil, err
	}
	if n.lit == nil || n.lit.Kind != Number || n.lit.Num < 1 || n.lit.Num > mostTop {
		return 0, nil, queryProblem(n.at, "top needs a number from 1 to %d.", mostTop)
	}
	if err := p.expect(",", functionByName["top"].says()); err != nil {
		return 0, nil, err
	}
	if of, err = p.sum(); err != nil {
		return 0, nil, err
	}
	if err := p.expect(")", "a closing parenthesis is missing."); err != nil {
		return 0, nil, err
	}
	switch {
	case len(p.stages) > 0:
		return 0, nil, queryProblem(at.at, "top() is about events here: it may not stand behind stats, limit, unique or expand.")
	case len(p.tops) == maxTop:
		return 0, nil, queryProblem(at.at, "there may be at most %d top().", maxTop)
	}
	p.tops = append(p.tops, top{int(n.lit.Num), of, slices.Clone(p.cur.filter)})
	return len(p.tops) - 1, of, nil
}

// byTop reads what follows "by" in by top(5, a): only these groups are kept.
func (p *parser) byTop(stat *Stat) error {
	from := p.pos
	i, of, err := p.topCall()
	if err != nil {
		return err
	}
	name := p.written(from)
	among, err := p.amongTop(from, of, i)
	if err != nil {
		return err
	}
	p.cur.filter = append(p.cur.filter, calculated{among})
	b := By{Key: of.key}
	if of.key == "" {
		b.Key, b.of = calculatedKey, of
	}
	b.Name, err = p.alias(name)
	stat.By = append(stat.By, b)
	return err
}

// First returns the plans whose results the plan needs, for Know.
func (p Plan) First() (plans []Plan) {
	if p.statement == nil {
		return nil
	}
	for i, t := range p.statement.tops {
		a := Agg{Name: "top", Func: Top, most: t.n, Key: t.of.key}
		if a.Key == "" {
			a.of = t.of
		}
		asks := &Statement{stages: []*stage{{stat: &Stat{Agg: []Agg{a}}}, {list: listing{columns: []output{{"top", columnExpr("top")}}, last: true}}}}
		next := Plan{Project: p.Project, Streams: p.Streams, From: p.From, To: p.To, Rows: 1, statement: asks, zone: p.zone, known: p.known[:i:i]}
		if len(t.filter) > 0 {
			next.Filter = t.filter
		}
		plans = append(plans, next)
	}
	return plans
}

// Know gives the plan the result of one of those that come first.
func (p Plan) Know(i int, r Result) {
	p.known[i] = map[string]bool{}
	for _, row := range r.Rows {
		for _, v := range elements(row[0]) {
			p.known[i][v.key()] = true
		}
	}
}
