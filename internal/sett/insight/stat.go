package insight

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"sett/internal/event/column"
)

// The bounds of a result. Events of further groups are counted in Result.Total only.
const (
	maxGroups     = 10_000
	fewerGroups   = 1_000   // with one quantile, which takes some 50 KB at most; fewer with several
	maxDistinct   = 500_000 // different values that are remembered, in all groups together
	maxGroupBytes = 16 << 20
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
	Step int64          // microseconds, if the time is meant
	Zone *time.Location // where days and weeks begin; nil: UTC
}

// Agg is one calculation.
type Agg struct {
	Name  string // of the column
	Func  Func
	Key   string  // none for a count of all events
	Share float64 // of a Quantile
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

	Quantile Func = "quantile" // the value that Agg.Share of all values do not exceed
)

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

// Group is a row of a result: what the events have in common, in the order of Stat.By, and the results, in that of Stat.Agg. A time is a number of
// microseconds.
type Group struct {
	By     []Value
	Values []Value
	Count  int64
}

type groups struct {
	Stat
	all      map[string]*group
	most     int
	bytes    int // of the names of groups
	distinct int // values that may still be remembered
	dropped  bool
}

type group struct {
	by    []Value
	n     int64
	cells []*cell // one for each Agg
}

// cell is what is known of the values of a key in a group.
type cell struct {
	n        int64 // values
	numbers  int64
	sum      float64
	min, max float64
	sketch   sketch
	distinct map[uint64]struct{} // hashes of values
}

func newGroups(s Stat) *groups {
	g := &groups{Stat: s, all: map[string]*group{}, most: maxGroups, distinct: maxDistinct}
	quantiles := 0
	for _, a := range s.Agg {
		if a.Func == Quantile {
			quantiles++
			g.most = fewerGroups / quantiles
		}
	}
	return g
}

// columns returns the columns of some keys; nil for no key.
func columns(f *Frame, n int, key func(i int) string) ([]*Column, error) {
	all := make([]*Column, n)
	for i := range all {
		k := key(i)
		if k == "" {
			continue
		}
		var err error
		if all[i], err = f.Column(k); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (g *groups) add(f *Frame, rows column.Set) error {
	by, err := columns(f, len(g.By), func(i int) string { return g.By[i].Key })
	if err != nil {
		return err
	}
	of, err := columns(f, len(g.Agg), func(i int) string { return g.Agg[i].Key })
	if err != nil {
		return err
	}
	near := map[[maxBys]int64]*group{} // the groups of this frame, by the numbers of their values in it
	for row, at := range f.At {
		if !rows.Has(row) {
			continue
		}
		place := g.place(at, row, by)
		to, known := near[place]
		if !known {
			to = g.group(place, row, by)
			near[place] = to
		}
		if to == nil {
			continue
		}
		to.n++
		for i, c := range of {
			if c != nil && c.Index[row] >= 0 {
				g.addTo(to.cells[i], g.Agg[i].Func, c.Values[c.Index[row]])
			}
		}
	}
	return nil
}

// place says in which group of a frame a row is: by the beginning of its step, and the number of its value in a column.
func (g *groups) place(at int64, row int, by []*Column) (place [maxBys]int64) {
	for i, b := range g.By {
		switch {
		case b.Step > 0:
			place[i] = b.start(at)
		case by[i] == nil:
			place[i] = -1
		default:
			place[i] = int64(by[i].Index[row])
		}
	}
	return place
}

// start returns when the step of a time began. Steps that are shorter than an hour are the same in all zones but a few.
func (b By) start(at int64) int64 {
	if b.Zone == nil || b.Zone == time.UTC {
		return at - at%b.Step
	}
	_, offset := time.UnixMicro(at).In(b.Zone).Zone()
	local := at + int64(offset)*time.Second.Microseconds()
	return at - local%b.Step
}

// group returns the group of a row, or nil if there are too many.
func (g *groups) group(place [maxBys]int64, row int, by []*Column) *group {
	var values []Value
	var name strings.Builder
	for i, b := range g.By {
		v := by[i].at(row)
		if b.Step > 0 {
			v = NumberValue(float64(place[i]))
		}
		values = append(values, v)
		fmt.Fprintf(&name, "%d %d:%s", v.Kind, len(v.Text), v.Text)
	}
	key := name.String()
	if found := g.all[key]; found != nil {
		return found
	}
	if len(g.all) >= g.most || g.bytes+2*len(key) > maxGroupBytes {
		g.dropped = true
		return nil
	}
	g.bytes += 2 * len(key)
	made := &group{by: values, cells: make([]*cell, len(g.Agg))}
	for i := range made.cells {
		made.cells[i] = &cell{}
	}
	g.all[key] = made
	return made
}

// hashSeed is for the hashes of values that are counted once.
var hashSeed = maphash.MakeSeed()

func (g *groups) addTo(c *cell, f Func, v Value) {
	if v.Kind == Absent {
		return
	}
	c.n++
	if f != Unique {
		c.add(f, v)
		return
	}
	if c.distinct == nil {
		c.distinct = map[uint64]struct{}{}
	}
	hash := maphash.String(hashSeed, v.Text)
	if _, known := c.distinct[hash]; !known && g.distinct > 0 {
		c.distinct[hash] = struct{}{}
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
	if f == Quantile {
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
		return NumberValue(min(max(c.sketch.quantile(a.Share), c.min), c.max))
	}
}

// finish returns the groups in order: by sort, else times and then the groups with most events.
func (g *groups) finish(sort []Sort) (all []Group) {
	if len(g.By) == 0 && len(g.all) == 0 { // no events are a group as well
		g.group([maxBys]int64{}, 0, nil)
	}
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
