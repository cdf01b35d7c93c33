package insight

import (
	"fmt"
	"slices"
	"strconv"
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

// aggregates are the functions of stats, as queries name them.
var aggregates = []Func{Count, Unique, Sum, Avg, Min, Max}

// percentile is the name of the function that a query gives a share.
const percentile = "percentile"

func aggNames() string {
	var names []string
	for _, f := range aggregates {
		names = append(names, string(f)+"()")
	}
	return phrase.And(append(names, percentile+"(95, field)"))
}

func aggWords() (words []string) {
	for _, f := range aggregates {
		words = append(words, string(f))
	}
	return append(words, percentile)
}

// stats reads aggregates, and what they are grouped by.
func (p *parser) stats(at token) error {
	p.columns, p.stat = nil, &Stat{}
	if !p.peek().is("by") {
		err := p.list(maxAggs, "functions", func() error {
			a, err := p.agg()
			if err == nil {
				a.Name, err = p.alias(a.Name)
			}
			p.stat.Agg = append(p.stat.Agg, a)
			return err
		})
		if err != nil {
			return err
		}
	}
	if p.accept("by") {
		if err := p.list(maxBys, "fields to group by", p.by); err != nil {
			return err
		}
	}
	names := p.stat.names()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return queryProblem(at.at, "two columns have the name %s. Give one of them another name with as.", phrase.Quote(name))
		}
	}
	return nil
}

// agg reads an aggregate, such as avg(duration).
func (p *parser) agg() (a Agg, err error) {
	t := p.next()
	name := strings.ToLower(t.text)
	if t.kind != wordToken || !slices.Contains(aggregates, Func(name)) && name != percentile {
		return a, queryProblem(t.at, "%s is not a function of stats that is supported. Supported: %s.%s", t, aggNames(), t.meant(aggWords()))
	}
	if err := p.expect("(", "the function "+name+" needs parentheses."); err != nil {
		return a, err
	}
	a.Func = Func(name)
	written := ""
	if name == percentile {
		if written, err = p.share(&a); err != nil {
			return a, err
		}
	}
	if a.Func != Count || !p.peek().is(")") {
		field, key, err := p.field()
		if err != nil {
			return a, err
		}
		if strings.HasPrefix(key, "@") {
			return a, queryProblem(t.at, "functions of stats are not supported for %s.", key)
		}
		a.Key, written = key, written+field
	}
	if err := p.operator(); err != nil {
		return a, err
	}
	a.Name = name + "(" + written + ")"
	return a, p.expect(")", "a closing parenthesis is missing.")
}

// share reads the number of a percentile, and the comma behind it.
func (p *parser) share(a *Agg) (written string, err error) {
	t := p.next()
	n, err := strconv.ParseFloat(t.text, 64)
	if t.kind != numberToken || err != nil || n < 0 || n > 100 {
		return "", queryProblem(t.at, "a percentile is a number from 0 to 100, not %s.", t)
	}
	a.Func, a.Share = Quantile, n/100
	return t.text + ", ", p.expect(",", "percentile needs a number and a field, as in percentile(95, duration).")
}

// by reads a field, or bin(), that events are grouped by.
func (p *parser) by() (err error) {
	var b By
	if p.peek().is("bin") && len(p.tokens) > 1 && p.tokens[1].is("(") {
		b, err = p.bin()
	} else {
		at := p.peek().at
		b.Name, b.Key, err = p.field()
		if err == nil && strings.HasPrefix(b.Key, "@") {
			return queryProblem(at, "events cannot be grouped by %s. Group them by time with bin(1h).", b.Key)
		}
	}
	if err != nil {
		return err
	}
	if err := p.operator(); err != nil {
		return err
	}
	b.Name, err = p.alias(b.Name)
	p.stat.By = append(p.stat.By, b)
	return err
}

// bin reads bin(5m), or bin(), whose step depends on the time of the query.
func (p *parser) bin() (b By, err error) {
	p.next()
	p.next()
	if p.accept(")") {
		return By{Name: "bin()", Step: autoStep}, nil
	}
	t := p.next()
	number := strings.TrimRight(t.text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	unit := strings.ToLower(t.text[len(number):])
	if t.kind == numberToken && p.peek().kind == wordToken {
		unit = strings.ToLower(p.next().text)
	}
	n, err := strconv.Atoi(number)
	length := units[strings.TrimSuffix(unit, "s")]
	if unit == "s" || unit == "ms" {
		length = units[unit]
	}
	step := time.Duration(n) * length
	if t.kind != numberToken && t.kind != durationToken || err != nil || n < 1 || n > 1e6 || step < leastStep || step > mostStep {
		return b, queryProblem(t.at, "a step from 1s to 7d is expected, such as 5m or 1h, not %s.", t)
	}
	return By{Name: fmt.Sprintf("bin(%d%s)", n, unit), Step: step.Microseconds()}, p.expect(")", "a closing parenthesis is missing.")
}

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

// names returns the names of all columns.
func (s *Stat) names() (names []string) {
	for _, b := range s.By {
		names = append(names, b.Name)
	}
	for _, a := range s.Agg {
		names = append(names, a.Name)
	}
	return names
}

// column returns the column with a name, or the only one that is a function of this name.
func (s *Stat) column(name string) (column string, ok bool) {
	found := 0
	for _, have := range s.names() {
		if have == name {
			return have, true
		}
		if strings.HasPrefix(have, name+"(") {
			column = have
			found++
		}
	}
	return column, found == 1
}
