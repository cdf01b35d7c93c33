package insight

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"sett/internal/column"
)

// The bounds of a result. Events of further groups are counted in Result.Total only.
const (
	maxGroups   = 10_000
	fewerGroups = 1_000   // with quantiles, which take some 50 KB each at most
	maxDistinct = 500_000 // different values that are remembered, in all groups together
)

// Stat is a calculation over groups of events.
type Stat struct {
	By  []By
	Agg []Agg
}

// By is what events are grouped by: a key, or their time in steps.
type By struct {
	Name string // of the column
	Key  string
	Step int64 // microseconds, if the time is meant
}

// Agg is one calculation.
type Agg struct {
	Name string // of the column
	Func Func
	Key  string // none for a count of all events
}

// Func is how values are put together.
type Func string

// The functions.
const (
	Count  Func = "count"
	Unique Func = "unique"
	Sum    Func = "sum"
	Avg    Func = "avg"
	Min    Func = "min"
	Max    Func = "max"
	P50    Func = "p50"
	P75    Func = "p75"
	P90    Func = "p90"
	P95    Func = "p95"
	P99    Func = "p99"
)

// Funcs returns all functions.
func Funcs() []Func { return []Func{Count, Unique, Sum, Avg, Min, Max, P50, P75, P90, P95, P99} }

var shares = map[Func]float64{P50: 0.5, P75: 0.75, P90: 0.9, P95: 0.95, P99: 0.99}

func (s Stat) keys() (keys []string) {
	for _, b := range s.By {
		if b.Step == 0 {
			keys = append(keys, b.Key)
		}
	}
	for _, a := range s.Agg {
		if a.Key != "" {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

// Group is a row of a result: what the events have in common, in the order of Stat.By, and the results, in that of Stat.Agg.
type Group struct {
	By     []Value
	Values []Value
	Count  int64
}

type groups struct {
	Stat
	all      map[string]*group
	most     int
	distinct int // values that may still be remembered
	dropped  bool
}

type group struct {
	by    []Value
	n     int64
	cells []*cell // one for each key of an Agg, in its order; the same for the same key
}

// cell is what is known of the values of a key in a group.
type cell struct {
	n        int64 // values
	numbers  int64
	sum      float64
	min, max float64
	sketch   sketch
	distinct map[string]bool
}

func newGroups(s Stat) *groups {
	g := &groups{Stat: s, all: map[string]*group{}, most: maxGroups, distinct: maxDistinct}
	for _, a := range s.Agg {
		if shares[a.Func] > 0 {
			g.most = fewerGroups
		}
	}
	return g
}

func (g *groups) add(f *Frame, rows column.Set) error {
	by := make([]*Column, len(g.By))
	for i, b := range g.By {
		if b.Step > 0 {
			continue
		}
		var err error
		if by[i], err = f.Column(b.Key); err != nil {
			return err
		}
	}
	of := make([]*Column, len(g.Agg))
	for i, a := range g.Agg {
		if a.Key == "" {
			continue
		}
		var err error
		if of[i], err = f.Column(a.Key); err != nil {
			return err
		}
	}
	for row, at := range f.At {
		if !rows.Has(row) {
			continue
		}
		to := g.group(at, row, by)
		if to == nil {
			continue
		}
		to.n++
		for i, c := range of {
			if v := c.at(row); c != nil && v.Kind != Absent {
				g.addTo(to.cells[i], g.Agg[i].Func, v)
			}
		}
	}
	return nil
}

// group returns the group of a row, or nil if there are too many.
func (g *groups) group(at int64, row int, by []*Column) *group {
	var values []Value
	var name strings.Builder
	for i, b := range g.By {
		v := by[i].at(row)
		if b.Step > 0 {
			v = TimeValue(at - at%b.Step)
		}
		values = append(values, v)
		name.WriteString(v.Text)
		name.WriteByte(byte(v.Kind))
	}
	key := name.String()
	if found := g.all[key]; found != nil {
		return found
	}
	if len(g.all) >= g.most {
		g.dropped = true
		return nil
	}
	made := &group{by: values, cells: make([]*cell, len(g.Agg))}
	for i := range made.cells {
		made.cells[i] = &cell{}
	}
	g.all[key] = made
	return made
}

// TimeValue returns a time as a value.
func TimeValue(at int64) Value {
	return Value{Kind: Text, Text: time.UnixMicro(at).UTC().Format("2006-01-02T15:04:05.999999Z")}
}

func (g *groups) addTo(c *cell, f Func, v Value) {
	c.n++
	if f != Unique {
		c.add(f, v)
		return
	}
	if c.distinct == nil {
		c.distinct = map[string]bool{}
	}
	if !c.distinct[v.Text] && g.distinct > 0 {
		c.distinct[v.Text] = true
		g.distinct--
	}
}

func (c *cell) add(f Func, v Value) {
	n, ok := v.number()
	if !ok {
		return
	}
	if c.numbers == 0 {
		c.min, c.max = n, n
	}
	c.numbers++
	c.sum, c.min, c.max = c.sum+n, min(c.min, n), max(c.max, n)
	if _, quantile := shares[f]; quantile {
		c.sketch.add(n)
	}
}

func (c *cell) result(a Agg, events int64) Value {
	switch {
	case a.Func == Count && a.Key == "":
		return NumberValue(float64(events))
	case a.Func == Count:
		return NumberValue(float64(c.n))
	case a.Func == Unique:
		return NumberValue(float64(len(c.distinct)))
	case c.numbers == 0:
		return Value{}
	}
	switch a.Func {
	case Sum:
		return NumberValue(c.sum)
	case Avg:
		return NumberValue(c.sum / float64(c.numbers))
	case Min:
		return NumberValue(c.min)
	case Max:
		return NumberValue(c.max)
	default:
		return NumberValue(min(max(c.sketch.quantile(shares[a.Func]), c.min), c.max))
	}
}

// finish returns the groups in order: by sort, else times and then the groups with most events.
func (g *groups) finish(sort []Sort) (all []Group) {
	for _, made := range g.all {
		next := Group{By: made.by, Count: made.n}
		for i, a := range g.Agg {
			next.Values = append(next.Values, made.cells[i].result(a, made.n))
		}
		all = append(all, next)
	}
	slices.SortFunc(all, func(a, b Group) int {
		for _, s := range sort {
			if c := compareSorted(g.value(a, s.Name), g.value(b, s.Name), s.Desc); c != 0 {
				return c
			}
		}
		if len(sort) == 0 && (len(g.By) == 0 || g.By[0].Step == 0) {
			if c := cmp.Compare(b.Count, a.Count); c != 0 {
				return c
			}
		}
		return slices.CompareFunc(a.By, b.By, Compare)
	})
	return all
}

// value returns the value of a column.
func (s Stat) value(g Group, name string) Value {
	for i, b := range s.By {
		if b.Name == name {
			return g.By[i]
		}
	}
	for i, a := range s.Agg {
		if a.Name == name {
			return g.Values[i]
		}
	}
	return Value{}
}
