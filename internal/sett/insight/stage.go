package insight

import (
	"cmp"
	"hash/maphash"
	"slices"

	"sett/internal/event/column"
)

// stage is a part of a query: rows that are filtered, and what is made of them.
type stage struct {
	filter all
	stat   *Stat       // groups of rows
	expand []expansion // a row for each element of lists
	list   listing     // else: rows, sorted and limited
	fill   *filling    // then: rows that are missing
}

// listing is rows in an order, with the columns that are wanted.
type listing struct {
	sort    []order
	by      []*expr // limits rows for each value
	per     int     // rows for each; 0: any number
	limit   int     // rows; 0: any number
	columns []output
	last    bool     // it is the result
	whole   bool     // events are returned as they are
	keys    []string // of their fields; nil: all
}

// order is what rows are sorted by.
type order struct {
	of   *expr
	desc bool
}

// expansion is a list, each element of which becomes a row.
type expansion struct {
	of   *expr
	name string
}

// collector collects the rows of a listing.
type collector struct {
	listing
	want    int
	table   bool // rows have an order of their own, and no time
	rows    []*found
	bytes   int
	came    int64 // rows
	seen    int64 // those that are not too many for their value
	groups  map[string]*kept
	met     map[uint64]int // rows of each value, up to those that are wanted
	dropped bool
}

// kept is the rows of a value that are among the best.
type kept struct {
	n    int
	last *found
}

// found is a row among the best so far.
type found struct {
	by     []Value // by what it is sorted
	group  string  // for which rows are limited
	at     int64
	number int64 // among all rows
	values []Value
	event  Event // if it is wanted
}

// maxRowBytes is how many bytes the rows take that are kept, but for a single one.
const maxRowBytes = 8 << 20

func newCollector(l listing, want int) *collector {
	return &collector{listing: l, want: want, groups: map[string]*kept{}, met: map[uint64]int{}}
}

// add takes the rows of a frame in: those of events from the last one, which is the newest.
func (c *collector) add(f *Frame, rows column.Set) error {
	e := newEnv(f)
	if err := c.open(e); err != nil {
		return err
	}
	c.table = f.made
	for i := range f.At {
		if e.row = i; !f.made {
			e.row = len(f.At) - 1 - i
		}
		if !rows.Has(e.row) {
			continue
		}
		if len(c.sort) == 0 && c.per == 0 && !f.made && (c.want == 0 || len(c.rows) >= c.want && f.At[e.row] <= c.rows[c.want-1].at) && slices.IsSorted(f.At) {
			c.seen += int64(rows.CountIn(0, e.row+1)) // the others are older
			return e.err
		}
		if err := c.take(e); err != nil {
			return err
		}
	}
	return e.err
}

// open opens the columns of all expressions.
func (c *collector) open(e *env) error {
	for _, x := range c.expressions() {
		if err := e.open(x.fields); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) expressions() (all []*expr) {
	for _, o := range c.sort {
		all = append(all, o.of)
	}
	all = append(all, c.by...)
	for _, o := range c.columns {
		all = append(all, o.of)
	}
	return all
}

// take takes a row in, if it is among the best.
func (c *collector) take(e *env) (err error) {
	next := &found{at: e.f.At[e.row], number: c.came}
	c.came++
	for _, o := range c.sort {
		next.by = append(next.by, o.of.value(e))
	}
	for _, x := range c.by {
		v := x.value(e)
		next.group += v.key() + hidden
	}
	if err := e.spend(1 + len(c.sort) + len(c.by)); err != nil {
		return err
	}
	c.count(next)
	if of := c.groups[next.group]; c.per > 0 && of != nil && of.n >= c.per && c.compare(next, of.last) >= 0 {
		return nil
	}
	full := c.want == 0 || len(c.rows) >= c.want && c.compare(next, c.rows[len(c.rows)-1]) >= 0
	if full {
		c.dropped = c.dropped || !c.last && c.limit == 0
		return nil
	}
	if c.whole {
		if next.event, err = e.f.Event(e.row, c.keys); err != nil {
			return err
		}
	} else {
		for _, o := range c.columns {
			next.values = append(next.values, o.of.value(e))
			e.work += o.of.size
		}
	}
	c.insert(next)
	return e.err
}

// count counts a row, if it is not too many for its value.
func (c *collector) count(r *found) {
	if c.per == 0 {
		c.seen++
		return
	}
	hash := maphash.String(hashSeed, r.group)
	switch n, known := c.met[hash]; {
	case n >= c.per:
		return
	case !known && len(c.met) >= maxDistinct:
		c.dropped = true
		return
	}
	c.met[hash]++
	c.seen++
}

func (c *collector) insert(next *found) {
	of := c.groups[next.group]
	if of == nil {
		of = &kept{}
		c.groups[next.group] = of
	}
	if c.per > 0 && of.n >= c.per {
		c.drop(slices.Index(c.rows, of.last))
	}
	i, _ := slices.BinarySearchFunc(c.rows, next, func(a, b *found) int { // after those that are equal
		return cmp.Or(c.compare(a, b), -1)
	})
	c.rows = slices.Insert(c.rows, i, next)
	c.bytes += next.size()
	if of.n++; of.last == nil || c.compare(next, of.last) > 0 {
		of.last = next
	}
	if c.groups[next.group] = of; c.per == 0 {
		delete(c.groups, next.group)
	}
	for n := len(c.rows); n > c.want || n > 1 && c.bytes > maxRowBytes; n-- {
		if n <= c.want {
			c.want, c.dropped = n-1, true
		} else {
			c.dropped = c.dropped || !c.last && c.limit == 0
		}
		c.drop(n - 1)
	}
}

// drop forgets a row.
func (c *collector) drop(i int) {
	r := c.rows[i]
	c.bytes -= r.size()
	c.rows = slices.Delete(c.rows, i, i+1)
	of := c.groups[r.group]
	if of == nil {
		return
	}
	if of.n--; of.n == 0 {
		of.last = nil
		delete(c.groups, r.group)
		return
	}
	for _, left := range slices.Backward(c.rows) {
		if left.group == r.group {
			of.last = left
			break
		}
	}
}

// size is how many bytes the row takes, roughly.
func (r *found) size() int {
	n := r.event.size() + len(r.group)
	for _, all := range [][]Value{r.by, r.values} {
		for _, v := range all {
			n += 48 + len(v.Text)
		}
	}
	return n
}

// compare orders rows: by what they are sorted by, then the newest first, or in the order in which they came.
func (c *collector) compare(a, b *found) int {
	for i, o := range c.sort {
		if order := compareSorted(a.by[i], b.by[i], o.desc); order != 0 {
			return order
		}
	}
	if !c.table {
		return cmp.Compare(b.at, a.at)
	}
	return cmp.Compare(a.number, b.number)
}

func compareSorted(a, b Value, desc bool) int {
	c := Compare(a, b)
	if desc && a.Kind != Absent && b.Kind != Absent {
		return -c
	}
	return c
}

// table is rows with the names of their columns.
type table struct {
	names []string
	rows  [][]Value
	at    []int64
}

// table returns the rows.
func (c *collector) result() (t table) {
	for _, o := range c.columns {
		t.names = append(t.names, o.name)
	}
	for _, r := range c.rows {
		t.rows, t.at = append(t.rows, r.values), append(t.at, r.at)
	}
	return t
}

// frame returns the rows as a frame.
func (t table) frame(s *scope) *Frame {
	f := &Frame{At: t.at, Stream: Sent, opened: map[string]*Column{}, made: true, scope: s}
	if f.At == nil {
		f.At = make([]int64, len(t.rows))
	}
	f.open = func(key string) (*Column, error) {
		i := slices.Index(t.names, key)
		if i < 0 {
			return nil, nil
		}
		c := &Column{Values: make([]Value, len(t.rows)), Index: make([]int32, len(t.rows))}
		for row, values := range t.rows {
			c.Values[row], c.Index[row] = values[i], int32(row)
			if values[i].Kind == Absent {
				c.Index[row] = -1
			}
		}
		return c, nil
	}
	f.keys = func() ([]string, error) { return t.names, nil }
	return f
}

// expanded calls yield with frames in which each element of lists has a row.
func expanded(f *Frame, rows column.Set, lists []expansion, yield func(f *Frame, rows column.Set) error) error {
	columns := make([]*Column, len(lists))
	for i, l := range lists {
		var err error
		if columns[i], err = l.of.column(f, rows); err != nil {
			return err
		}
	}
	var from []int
	cells := make([][]Value, len(lists))
	flush := func() error {
		made := f.picked(from)
		for i, l := range lists {
			made.set(l.name, cells[i])
			cells[i] = nil
		}
		from = nil
		return yield(made, column.All(len(made.At)))
	}
	for row := range f.At {
		if !rows.Has(row) {
			continue
		}
		most, all := 0, make([][]Value, len(lists))
		for i, c := range columns {
			all[i] = elements(c.at(row))
			most = max(most, len(all[i]))
		}
		for n := range most {
			from = append(from, row)
			for i := range lists {
				v := Value{}
				if n < len(all[i]) {
					v = all[i][n]
				}
				cells[i] = append(cells[i], v)
			}
			if len(from) == mostRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := f.scope.spend(1 + most); err != nil {
			return err
		}
	}
	if len(from) == 0 {
		return nil
	}
	return flush()
}

// picked returns a frame with some rows of another, in any number.
func (f *Frame) picked(rows []int) *Frame {
	made := &Frame{At: make([]int64, len(rows)), Stream: f.Stream, opened: map[string]*Column{}, made: f.made, scope: f.scope, keys: f.Keys}
	for i, row := range rows {
		made.At[i] = f.At[row]
	}
	made.open = func(key string) (*Column, error) {
		c, err := f.Column(key)
		if err != nil || c == nil {
			return nil, err
		}
		next := &Column{Values: c.Values, Index: make([]int32, len(rows))}
		for i, row := range rows {
			next.Index[i] = c.Index[row]
		}
		return next, nil
	}
	return made
}

// set gives the rows of a frame a column.
func (f *Frame) set(key string, values []Value) {
	c := &Column{Values: values, Index: make([]int32, len(values))}
	for i, v := range values {
		c.Index[i] = int32(i)
		if v.Kind == Absent {
			c.Index[i] = -1
		}
	}
	f.opened[key] = c
	before := f.keys
	f.keys = func() ([]string, error) {
		keys, err := before()
		if err == nil && !slices.Contains(keys, key) {
			keys = append(slices.Clone(keys), key)
		}
		return keys, err
	}
}
