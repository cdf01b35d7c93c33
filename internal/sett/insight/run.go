package insight

import (
	"cmp"
	"math"
	"slices"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/event/column"
)

// Plan is what is wanted of the events of a time.
type Plan struct {
	Streams  []Stream // none: all
	Filter   Filter   // nil: all events
	From, To int64    // microseconds; half-open
	Step     int64    // microseconds of a bucket of Result.Series; 0: none

	Rows int      // how many events are returned at most, the newest or the first by Sort
	Keys []string // of the fields of events that are returned; none: all
	Sort []Sort   // of events, by key, or of groups, by the name of a column
	Stat *Stat    // nil: events are returned
}

// Sort is an order of rows.
type Sort struct {
	Name string
	Desc bool
}

// Result is what a plan has found.
type Result struct {
	Total   int64   // events that match
	Series  []int64 // how many, by bucket
	Events  []Event
	Groups  []Group  // in the order of Sort, or the greatest first
	Dropped bool     // there were too many groups, or the events were too large
	Since   int64    // the time from which on all events were searched; 0: all were
	Unread  int      // chunks and batches that are damaged
	Missing []string // sentences about keys that no event has
}

// Run evaluates a plan, one frame after another. It is for one goroutine.
type Run struct {
	Plan
	Result
	rows   []found
	bytes  int // of rows
	groups *groups
	known  map[string]bool
}

// found is an event among the best so far.
type found struct {
	by    []Value
	event Event
}

// NewRun begins a plan.
func NewRun(p Plan) *Run {
	r := &Run{Plan: p, known: map[string]bool{}}
	if p.Step > 0 {
		r.Series = make([]int64, max(0, (p.To-p.From+p.Step-1)/p.Step))
	}
	if p.Stat != nil {
		r.groups = newGroups(*p.Stat)
	}
	return r
}

// Needs returns groups of terms: a chunk has none of the events if the filters answer all terms of one group with column.None.
func (p Plan) Needs() [][]column.Term {
	if p.Filter == nil {
		return nil
	}
	return p.Filter.needs()
}

// Add takes the events of a frame in.
func (r *Run) Add(f *Frame) error {
	rows, err := r.matching(f)
	if err != nil || rows == nil {
		return err
	}
	r.Total += int64(rows.Len())
	if r.Step > 0 {
		for row, at := range f.At {
			if rows.Has(row) {
				r.Series[(at-r.From)/r.Step]++
			}
		}
	}
	if r.groups != nil {
		return r.groups.add(f, rows)
	}
	return r.addRows(f, rows)
}

// matching returns the rows of the frame that are wanted; nil if there is none.
func (r *Run) matching(f *Frame) (rows column.Set, err error) {
	rows = column.NewSet(len(f.At))
	any := false
	for row, at := range f.At {
		if r.From <= at && at < r.To {
			rows.Add(row)
			any = true
		}
	}
	if !any {
		return nil, nil
	}
	if err := r.learn(f); err != nil || r.Filter == nil {
		return rows, err
	}
	wanted, err := r.Filter.rows(f)
	if err != nil {
		return nil, err
	}
	if rows.And(wanted); rows.Len() == 0 {
		return nil, nil
	}
	return rows, nil
}

// learn remembers which of the keys that are asked for exist.
func (r *Run) learn(f *Frame) error {
	for _, key := range r.asked() {
		if r.known[key] {
			continue
		}
		if f.may != nil {
			r.known[key] = f.may(key)
			continue
		}
		c, err := f.Column(key)
		if err != nil {
			return err
		}
		r.known[key] = c != nil
	}
	return nil
}

func (p Plan) asked() (keys []string) {
	if p.Filter != nil {
		keys = p.Filter.keys()
	}
	if p.Stat != nil {
		keys = append(keys, p.Stat.keys()...)
	}
	return keys
}

func (r *Run) addRows(f *Frame, rows column.Set) error {
	columns := make([]*Column, len(r.Sort))
	for i, s := range r.Sort {
		var err error
		if columns[i], err = f.Column(s.Name); err != nil {
			return err
		}
	}
	for row := len(f.At) - 1; row >= 0; row-- {
		if !rows.Has(row) {
			continue
		}
		next := found{event: Event{At: f.At[row]}}
		for i, c := range columns {
			if r.Sort[i].Name == atTime {
				next.by = append(next.by, NumberValue(float64(f.At[row])))
			} else {
				next.by = append(next.by, c.at(row))
			}
		}
		if r.Rows == 0 || len(r.rows) >= r.Rows && r.compare(next, r.rows[r.Rows-1]) >= 0 {
			if len(r.Sort) == 0 {
				return nil // the others are older
			}
			continue
		}
		var err error
		if next.event, err = f.Event(row, r.Keys); err != nil {
			return err
		}
		i, _ := slices.BinarySearchFunc(r.rows, next, func(a, b found) int { // after those that are equal
			return cmp.Or(r.compare(a, b), -1)
		})
		r.rows = slices.Insert(r.rows, i, next)
		r.bytes += next.event.size()
		r.keep()
	}
	return nil
}

// maxRowBytes is how many bytes the events take that are returned, but for a single one.
const maxRowBytes = 8 << 20

// keep drops the last of the events that are more than wanted, or take too much memory.
func (r *Run) keep() {
	for n := len(r.rows); n > r.Rows || n > 1 && r.bytes > maxRowBytes; n-- {
		if n <= r.Rows {
			r.Rows, r.Dropped = n-1, true
		}
		r.bytes -= r.rows[n-1].event.size()
		r.rows = r.rows[:n-1]
	}
}

// compare orders events: by Sort, and the newest first.
func (r *Run) compare(a, b found) int {
	for i, s := range r.Sort {
		if c := compareSorted(a.by[i], b.by[i], s.Desc); c != 0 {
			return c
		}
	}
	switch {
	case a.event.At > b.event.At:
		return -1
	case a.event.At < b.event.At:
		return 1
	}
	return 0
}

func compareSorted(a, b Value, desc bool) int {
	c := Compare(a, b)
	if desc && a.Kind != Absent && b.Kind != Absent {
		return -c
	}
	return c
}

// Finish returns what was found.
func (r *Run) Finish() Result {
	for _, f := range r.rows {
		r.Events = append(r.Events, f.event)
	}
	if r.groups != nil {
		r.Groups, r.Dropped = r.groups.finish(r.Sort), r.groups.dropped
	}
	return r.Result
}

// Unmet returns the keys that are asked for and that no event has which was read. The keys of requests are left out.
func (r *Run) Unmet() (keys []string) {
	for _, key := range r.asked() {
		if !r.known[key] && !slices.Contains(requestKeys, key) && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Suggest returns a sentence about a key that no event has, with the one that was meant of those that some have.
func Suggest(key string, known []string) string {
	text := "No event in this period has the field " + phrase.Quote(key) + "."
	if near, ok := phrase.Misspelt(key, known); ok {
		return text + " Did you mean " + phrase.Quote(near) + "?"
	}
	return text
}

// Micros returns a time in microseconds, within the range of which all calculations are exact.
func Micros(t time.Time) int64 { return min(max(t.UnixMicro(), 0), math.MaxInt64/4) }
