package insight

import (
	"cmp"
	"fmt"
	"maps"
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

// By is what events are grouped by: a key, their time in steps, or what is calculated.
type By struct {
	Name string // of the column
	Key  string
	Step int64          // microseconds, if the time is meant
	Zone *time.Location // where days and weeks begin; nil: UTC
	of   *expr          // nil: the key or the time
}

// Agg is one calculation.
type Agg struct {
	Name  string // of the column
	Func  Func
	Key   string  // of the field whose values are put together; none for a count of all events
	Share float64 // of a Quantile; of an Apdex its threshold
	of    *expr   // instead of a key
	where Filter  // of which events; nil: all
	rank  *expr   // what orders the values of Pick and Top; nil: the time, or how many they are
	desc  bool    // First and Last follow an order that goes down
	most  int     // values of Top
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
	First  Func = "first"
	Last   Func = "last"
	Pick   Func = "pickMax" // the value with the highest rank
	Top    Func = "top"     // the most frequent values
	Apdex  Func = "apdex"

	Quantile Func = "quantile" // the value that Agg.Share of all values do not exceed

	rate Func = "rate" // which is calculated of another
)

// percentile is the name of the function that a query gives a share.
const percentile = "percentile"

type groups struct {
	Stat
	all      map[string]*group
	most     int
	bytes    int // of the names of groups, and of texts that are remembered
	distinct int // values that may still be remembered
	dropped  bool
}

type group struct {
	by    []Value
	n     int64
	cells []*cell // one for each Agg
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

// calculatedColumns returns the columns of keys and of expressions; nil for neither.
func calculatedColumns(f *Frame, rows column.Set, n int, of func(i int) (key string, x *expr)) ([]*Column, error) {
	all := make([]*Column, n)
	for i := range all {
		key, x := of(i)
		var err error
		switch {
		case x != nil:
			all[i], err = x.column(f, rows)
		case key != "":
			all[i], err = f.Column(key)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inFrame is what the groups need of a frame.
type inFrame struct {
	by, of, rank []*Column
	where        []column.Set // nil: all
}

func (g *groups) open(f *Frame, rows column.Set) (in inFrame, err error) {
	if in.by, err = calculatedColumns(f, rows, len(g.By), func(i int) (string, *expr) { return g.By[i].Key, g.By[i].of }); err != nil {
		return in, err
	}
	if in.of, err = calculatedColumns(f, rows, len(g.Agg), func(i int) (string, *expr) { return g.Agg[i].Key, g.Agg[i].of }); err != nil {
		return in, err
	}
	if in.rank, err = calculatedColumns(f, rows, len(g.Agg), func(i int) (string, *expr) { return "", g.Agg[i].rank }); err != nil {
		return in, err
	}
	in.where = make([]column.Set, len(g.Agg))
	for i, a := range g.Agg {
		if a.where != nil {
			if in.where[i], err = a.where.rows(f, rows); err != nil {
				return in, err
			}
		}
	}
	return in, nil
}

func (g *groups) add(f *Frame, rows column.Set) error {
	in, err := g.open(f, rows)
	if err != nil {
		return err
	}
	near := map[[maxBys]int64]*group{} // the groups of this frame, by the numbers of their values in it
	for row, at := range f.At {
		if !rows.Has(row) {
			continue
		}
		place := g.place(at, row, in.by)
		to, known := near[place]
		if !known {
			to = g.group(place, row, in.by)
			near[place] = to
		}
		if to == nil {
			continue
		}
		to.n++
		for i, c := range in.of {
			a := &g.Agg[i]
			if in.where[i] != nil {
				if !in.where[i].Has(row) {
					continue
				}
				if c == nil && a.Func == Count {
					to.cells[i].n++
				}
			}
			if c == nil || c.Index[row] < 0 {
				continue
			}
			rank := Value{}
			if a.ranks() {
				rank = in.rankOf(a, i, row, at)
			}
			g.addTo(to.cells[i], a, &c.Values[c.Index[row]], rank)
		}
	}
	return nil
}

// rankOf returns what orders a value for Pick, First, Last and Top.
func (in inFrame) rankOf(a *Agg, i, row int, at int64) Value {
	if a.rank == nil && a.Func != Top {
		return Value{Kind: Number, Num: float64(at)}
	}
	return in.rank[i].at(row)
}

// ranks reports whether the values of the calculation have an order.
func (a *Agg) ranks() bool {
	return a.Func == First || a.Func == Last || a.Func == Pick || a.Func == Top
}

// place says in which group of a frame a row is: by the beginning of its step, and the number of its value in a column.
func (g *groups) place(at int64, row int, by []*Column) (place [maxBys]int64) {
	for i := range g.By {
		switch {
		case g.By[i].Step > 0:
			place[i] = g.By[i].start(at)
		case by[i] == nil:
			place[i] = -1
		default:
			place[i] = int64(by[i].Index[row])
		}
	}
	return place
}

// start returns when the step of a time began. Steps that are shorter than an hour are the same in all zones but a few; weeks begin on Monday.
func (b *By) start(at int64) int64 {
	const week, monday = int64(7 * 24 * time.Hour / time.Microsecond), int64(4 * 24 * time.Hour / time.Microsecond)
	local := at
	if b.Zone != nil && b.Zone != time.UTC {
		_, offset := time.UnixMicro(at).In(b.Zone).Zone()
		local += int64(offset) * time.Second.Microseconds()
	}
	if b.Step >= week && b.Step%week == 0 {
		local -= monday
	}
	into := local % b.Step
	if into < 0 {
		into += b.Step
	}
	return at - into
}

// group returns the group of a row, or nil if there are too many.
func (g *groups) group(place [maxBys]int64, row int, by []*Column) *group {
	var values []Value
	var name strings.Builder
	for i, b := range g.By {
		v := by[i].at(row)
		if b.Step > 0 {
			v = momentValue(place[i])
		}
		values = append(values, v)
		fmt.Fprintf(&name, "%d %d:%s", v.Kind, len(v.Text), v.Text)
		if v.Kind == Moment {
			fmt.Fprint(&name, int64(v.Num), " ")
		}
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

// finish returns the groups as rows: by their time or values, or those with most events first. Hidden columns are the results of functions.
func (g *groups) finish(sorted bool) (names []string, rows [][]Value) {
	if len(g.By) == 0 && len(g.all) == 0 { // no events are a group as well
		g.group([maxBys]int64{}, 0, nil)
	}
	all := slices.Collect(maps.Values(g.all))
	slices.SortFunc(all, func(a, b *group) int {
		if !sorted && (len(g.By) == 0 || g.By[0].Step == 0) {
			if c := cmp.Compare(b.n, a.n); c != 0 {
				return c
			}
		}
		return slices.CompareFunc(a.by, b.by, Compare)
	})
	for _, b := range g.By {
		names = append(names, b.Name)
	}
	for _, a := range g.Agg {
		names = append(names, a.Name)
	}
	for _, made := range all {
		row := slices.Clone(made.by)
		for i, a := range g.Agg {
			row = append(row, made.cells[i].result(a, made.n))
		}
		rows = append(rows, row)
	}
	return names, rows
}
