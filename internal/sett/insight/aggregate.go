package insight

import (
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// autoStep is the step of a bin() without one until the time of the query is known.
const autoStep = -1

// The steps of a bin.
const (
	leastStep = time.Second
	mostStep  = Keep
	usualBins = 100 // about as many, if a query does not say
)

// units are those of a duration.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
	"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

func aggFunctions() []function {
	one := func(agg Func, about, example string) function {
		return function{name: string(agg), usage: string(agg) + "(a)", about: about, example: example, kind: kindAgg, least: 1, most: 1, agg: agg}
	}
	where := func(name, usage, about, example string, agg Func, args int) function {
		return function{name: name, usage: usage, about: about, example: example, kind: kindAgg, least: args, most: args, agg: agg}
	}
	return []function{
		{name: "count", usage: "count(), count(a) or count(condition)", about: "events, those with the value, or those of which the condition holds", example: `stats count() as n, count(status >= 500) as failed by path`, kind: kindAgg, most: 1, agg: Count},
		one(Unique, "different values", `stats unique(user.id) as users by path`),
		one(Sum, "the values added up", `stats sum(amount) as total by user.plan`),
		one(Avg, "the average", `stats avg(duration) as ms by path`),
		one(Min, "the lowest number", `stats min(duration) by path`),
		one(Max, "the highest number", `stats max(duration) by path`),
		{name: percentile, usage: "percentile(95, a)", about: "the number that 95 % of all do not exceed, within 1 %", example: `stats percentile(95, duration) as p95 by path`, kind: kindAgg, least: 2, most: 2, agg: Quantile},
		{name: "apdex", usage: "apdex(a, threshold)", about: "the share of numbers up to the threshold, and half of those up to four times of it", example: `stats round(apdex(duration, 200), 3) as apdex by path`, kind: kindAgg, least: 2, most: 2, agg: Apdex},
		one(First, "the first value by time, or in the order of a sort before stats", `stats first(status) by path`),
		one(Last, "the last value", `stats last(status) by path`),
		{name: "pickMax", usage: "pickMax(a, by)", about: "the value of the event with the highest second value", example: `stats pickMax(request_id, duration) as slowest by path`, kind: kindAgg, least: 2, most: 2, agg: Pick},
		{name: "top", usage: "top(n, a[, rank])", about: "a list of the most frequent values, or of those with the highest sum of rank. `by top(n, a)` keeps only these groups, and `filter a in top(n, a)` only their events", example: `stats top(3, path) as paths by event_type`, kind: kindAgg, least: 2, most: 3, agg: Top},
		{name: "rate", usage: "rate(function[, interval])", about: "a count or sum for each second, or interval, of the step of time", example: `stats rate(count(), 1m) as perMinute by bin(1h)`, kind: kindAgg, least: 1, most: 2, agg: rate},
		where("countIf", "countIf(condition)", "events of which the condition holds", `stats countIf(status >= 500) as failed by path`, Count, 1),
		where("sumIf", "sumIf(a, condition)", "`sum` of these events", `stats sumIf(amount, user.plan == "gold") as gold`, Sum, 2),
		where("avgIf", "avgIf(a, condition)", "`avg` of these events", `stats avgIf(duration, status < 400) as ms`, Avg, 2),
		where("minIf", "minIf(a, condition)", "`min` of these events", `stats minIf(duration, status < 400) as ms`, Min, 2),
		where("maxIf", "maxIf(a, condition)", "`max` of these events", `stats maxIf(duration, status < 400) as ms`, Max, 2),
		where("uniqueIf", "uniqueIf(a, condition)", "`unique` of these events", `stats uniqueIf(user.id, status >= 500) as users`, Unique, 2),
		where("percentileIf", "percentileIf(95, a, condition)", "`percentile` of these events", `stats percentileIf(95, duration, status < 400) as ms`, Quantile, 3),
		where("apdexIf", "apdexIf(a, threshold, condition)", "`apdex` of these events", `stats apdexIf(duration, 200, status < 400) as apdex`, Apdex, 3),
	}
}

// aggregate reads the arguments of a function of stats, whose result is a column of the groups.
func (p *parser) aggregate(from int, f *function) (*expr, error) {
	at := p.all[from]
	if p.stat == nil {
		return nil, queryProblem(at.at, "the function %s is one of stats. Write it as in stats %s.", f.name, f.usage)
	}
	if p.within {
		return nil, queryProblem(at.at, "the function %s may not be inside another function of stats.", f.name)
	}
	if f.agg == rate {
		return p.rate(from, f)
	}
	p.within = true
	args, err := p.arguments(f)
	p.within = false
	if err != nil {
		return nil, err
	}
	a, err := p.aggOf(f, args)
	if err != nil {
		return nil, err
	}
	a.Name = p.written(from)
	i := slices.IndexFunc(p.stat.Agg, func(have Agg) bool { return have.Name == a.Name })
	if i < 0 {
		if len(p.stat.Agg) == maxAggs {
			return nil, queryProblem(at.at, "there may be at most %d functions.", maxAggs)
		}
		i, p.stat.Agg = len(p.stat.Agg), append(p.stat.Agg, a)
	}
	return &expr{at: at.at, name: a.Name, key: p.stat.Agg[i].Name, fields: []string{a.Name}, size: 1}, nil
}

// aggOf returns the calculation that a function with its arguments is.
func (p *parser) aggOf(f *function, args []*expr) (a Agg, err error) {
	a.Func = f.agg
	if strings.HasSuffix(f.name, "If") {
		condition := args[len(args)-1]
		if err := p.mustTest(condition); err != nil {
			return a, err
		}
		a.where, args = condition.asFilter(), args[:len(args)-1]
	}
	switch {
	case len(args) == 0:
		return a, nil
	case a.Func == Count && args[0].test:
		a.where = args[0].asFilter()
		return a, nil
	}
	of := args[0]
	switch a.Func {
	case Quantile:
		of = args[1]
		a.Share, err = constantNumber(args[0], 0, 100, "a percentile is a number from 0 to 100")
		a.Share /= 100
	case Top:
		var n float64
		n, err = constantNumber(args[0], 1, mostTop, "top needs a number from 1 to 100")
		a.most, of = int(n), args[1]
		if len(args) == 3 {
			a.rank = args[2]
		}
	case Apdex:
		a.Share, err = constantNumber(args[1], 1e-9, 1e15, "apdex needs a number, the threshold")
	case Pick:
		a.rank = args[1]
	case First, Last:
		if sort := p.cur.list.sort; len(sort) > 0 {
			a.rank, a.desc = sort[0].of, sort[0].desc
		}
	}
	if a.Key = of.key; a.Key == "" {
		a.of = of
	}
	return a, err
}

// constantNumber returns the number that an expression is, within some bounds.
func constantNumber(x *expr, least, most float64, what string) (float64, error) {
	if x.lit == nil || x.lit.Kind != Number || x.lit.Num < least || x.lit.Num > most {
		return 0, queryProblem(x.at, "%s, not %s.", what, phrase.Quote(x.name))
	}
	return x.lit.Num, nil
}

// rate reads rate(count(), 1m).
func (p *parser) rate(from int, f *function) (*expr, error) {
	x, err := p.sum()
	if err != nil {
		return nil, err
	}
	each := interval{1, "s"}
	if p.accept(",") {
		if each, err = p.interval(); err != nil {
			return nil, err
		}
	}
	if each.length() == 0 {
		return nil, queryProblem(p.all[from].at, "rate needs an interval such as 1s, 1m or 1h.")
	}
	if err := p.expect(")", f.says()); err != nil {
		return nil, err
	}
	made, err := p.made(from, func(e *env, a []Value) Value {
		n, ok := a[0].number()
		if !ok || e.step == 0 {
			return Value{}
		}
		return finite(n * float64(each.length().Microseconds()) / float64(e.step))
	}, x)
	if err == nil {
		made.rowly = true
	}
	return made, err
}

// stats reads aggregates, and what they are grouped by.
func (p *parser) stats(at token) error {
	stat := &Stat{}
	p.cut(false)
	p.stat = stat
	var shown []output
	if !p.peek().is("by") {
		err := p.list(maxAggs, "functions", func() error {
			from, before := p.pos, len(stat.Agg)
			x, err := p.sum()
			if err != nil {
				return p.noAgg(from, err)
			}
			if other := p.notAgg(x); other != "" && len(stat.Agg) > before {
				return queryProblem(x.at, "%s is a field, and not the same for all events of a group. Put it into a function of stats, such as max().", phrase.Quote(other))
			}
			if len(stat.Agg) == before && !p.usesAgg(x) {
				return queryProblem(p.all[from].at, "%s is not a function of stats that is supported. Supported: %s.%s", p.all[from], phrase.And(functionNames(kindAgg)), p.all[from].meant(functionNames(kindAgg)))
			}
			name, err := p.alias(x.name)
			shown = append(shown, output{name, x})
			return err
		})
		if err != nil {
			return err
		}
	}
	p.stat = nil
	if p.accept("by") {
		if err := p.list(maxBys, "fields to group by", func() error { return p.by(stat) }); err != nil {
			return err
		}
	}
	return p.group(at, stat, shown)
}

// usesAgg reports whether an expression has a function of stats in it.
func (p *parser) usesAgg(x *expr) bool {
	return slices.ContainsFunc(p.stat.Agg, func(a Agg) bool { return slices.Contains(x.fields, a.Name) || x.key == a.Name })
}

// notAgg returns a field of an expression that is no function of stats; "" if there is none.
func (p *parser) notAgg(x *expr) string {
	for _, key := range x.fields {
		if !slices.ContainsFunc(p.stat.Agg, func(a Agg) bool { return a.Name == key }) {
			return key
		}
	}
	return ""
}

// noAgg says which functions there are, where the first word of a result is none.
func (p *parser) noAgg(from int, err error) error {
	t := p.all[from]
	if _, known := functionOf(t.text); t.kind != wordToken || known || !p.all[min(from+1, len(p.all)-1)].is("(") {
		return err
	}
	return queryProblem(t.at, "%s is not a function of stats that is supported. Supported: %s.%s", t, phrase.And(functionNames(kindAgg)), t.meant(functionNames()))
}

// group ends a stage by stats, and begins the one of its groups. Its columns are those by which events are grouped, and the results.
func (p *parser) group(at token, stat *Stat, results []output) error {
	var names []string
	for _, b := range stat.By {
		names = append(names, b.Name)
	}
	for _, r := range results {
		names = append(names, r.name)
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return queryProblem(at.at, "two columns have the name %s. Give one of them another name with as.", phrase.Quote(name))
		}
	}
	for i := range stat.Agg { // which the groups have under names of their own
		name := stat.Agg[i].Name
		for _, r := range results {
			r.of.rename(name, hidden+name)
		}
		stat.Agg[i].Name = hidden + name
	}
	p.counts = map[string]bool{}
	for _, r := range results {
		for _, a := range stat.Agg {
			p.counts[r.name] = p.counts[r.name] || a.Name == r.of.key && (a.Func == Count || a.Func == Unique)
		}
	}
	p.ended().stat = stat
	p.begin(true)
	for _, b := range stat.By {
		p.define(output{b.Name, &expr{name: b.Name, key: b.Name, fields: []string{b.Name}, size: 1}})
	}
	for _, r := range results {
		r.of.name = r.name
		p.define(r)
	}
	p.groupings = append(p.groupings, stat)
	p.results = results
	return nil
}

// hidden is before the names of results that are not columns by themselves.
const hidden = "\x00"

// rename replaces the key of a field.
func (x *expr) rename(from, to string) {
	if x.key == from {
		x.key = to
	}
	for i, key := range x.fields {
		if key == from {
			x.fields = slices.Clone(x.fields)
			x.fields[i] = to
		}
	}
	for _, a := range x.args {
		a.rename(from, to)
	}
}

// by reads what events are grouped by.
func (p *parser) by(stat *Stat) error {
	from, t := p.pos, p.peek()
	if t.is("top") && p.ahead(1).is("(") {
		return p.byTop(stat)
	}
	x, err := p.anyOf()
	if err != nil {
		return err
	}
	if x.rowly && (x.name == atTime || x.name == atPreview) {
		return queryProblem(t.at, "events cannot be grouped by %s. Group them by time with bin(1h).", x.name)
	}
	b := By{Name: p.written(from), Key: x.key, Step: x.step}
	if x.key == "" && x.step == 0 {
		b.Key, b.of = calculatedKey, x
	}
	if x.step != 0 && p.table() {
		b.Key, b.of, b.Step = calculatedKey, x, 0
	}
	b.Name, err = p.alias(b.Name)
	stat.By = append(stat.By, b)
	return err
}

// calculatedKey is the key of what is no field. No query can ask for it.
const calculatedKey = "@calculated"

// StepOf returns a step for a time of which a query does not say one.
func StepOf(length time.Duration) time.Duration {
	for _, step := range []time.Duration{
		time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour,
	} {
		if length/step <= usualBins {
			return step
		}
	}
	return 2 * time.Hour
}
