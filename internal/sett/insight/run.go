package insight

import (
	"errors"
	"math"
	"slices"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/event/column"
)

// Plan is what is wanted of the events of a time.
type Plan struct {
	Project int64    // whose events they are
	Streams []Stream // none: all

	WithoutAlarms bool   // changes of alarms are left out, so that no alarm counts itself
	Filter        Filter // nil: all events
	From, To      int64  // microseconds; half-open
	Step          int64  // microseconds of a bucket of Result.Series; 0: none

	Rows int      // how many rows are returned at most
	Keys []string // of the fields of events that are returned; none: all
	Stat *Stat    // by what events are grouped, with the steps of this time; nil: they are not

	statement *Statement // nil: the newest events are wanted
	zone      *time.Location
	known     []map[string]bool // what was found for each top() of the statement
}

// Sort is an order of rows.
type Sort struct {
	Name string
	Desc bool
}

// Result is what a plan has found.
type Result struct {
	Total   int64     // events that match the first filters
	Found   int64     // rows of the result without its limit
	Series  []int64   // how many events, by bucket
	Events  []Event   // if they are wanted as they are
	Rows    [][]Value // else, in the order of the columns
	Dropped bool      // there were too many groups, or the events were too large
	Since   int64     // the time from which on all events were searched; 0: all were
	Unread  int       // chunks and batches that are damaged
	Missing []string  // sentences about keys that no event has
}

// Run evaluates a plan, one frame after another. It is for one goroutine.
type Run struct {
	Plan
	Result
	stages []*running
	scope  *scope
	known  map[string]bool
}

// running is a stage with what it has so far.
type running struct {
	*stage
	groups *groups
	rows   *collector
}

// NewRun begins a plan.
func NewRun(p Plan) *Run {
	r := &Run{Plan: p, known: map[string]bool{}, scope: p.scope()}
	if p.Step > 0 {
		r.Series = make([]int64, max(0, (p.To-p.From+p.Step-1)/p.Step))
	}
	for _, s := range p.stages() {
		next := &running{stage: s}
		switch {
		case s.stat != nil:
			next.groups = newGroups(*s.stat.in(r.scope.zone, r.scope.auto))
		case s.expand == nil:
			next.rows = newCollector(s.list, p.wanted(s.list))
		}
		r.stages = append(r.stages, next)
	}
	return r
}

// stages returns the stages of the statement; of a search one, which lists events.
func (p Plan) stages() []*stage {
	if p.statement != nil {
		return p.statement.stages
	}
	return []*stage{{list: listing{last: true, whole: true, keys: p.Keys}}}
}

// wanted returns how many rows of a stage are wanted.
func (p Plan) wanted(l listing) int {
	switch {
	case l.last:
		return p.Rows
	case l.limit > 0:
		return min(l.limit, maxBetween)
	}
	return maxBetween
}

func (p Plan) scope() *scope {
	s := &scope{project: p.Project, zone: p.zone, from: p.From, to: p.To, step: p.To - p.From, tops: p.known}
	if s.zone == nil {
		s.zone = time.UTC
	}
	s.auto = StepOf(time.Duration(min(p.To-p.From, Keep.Microseconds())) * time.Microsecond).Microseconds()
	if p.Stat != nil {
		for _, b := range p.Stat.By {
			if b.Step > 0 {
				s.step = b.Step
				break
			}
		}
	}
	return s
}

// Until asks a function now and then whether the time is over. What is added then fails with ErrStopped.
func (r *Run) Until(stop func() bool) { r.scope.stop = stop }

// Needs returns groups of terms: a chunk has none of the events if the filters answer all terms of one group with column.None.
func (p Plan) Needs() [][]column.Term {
	if p.Filter == nil {
		return nil
	}
	return p.Filter.needs()
}

// Narrow returns the rows of a frame that may match, as far as the parts of the filter say that ask for cheap keys alone.
func (r *Run) Narrow(f *Frame, cheap func(key string) bool) (column.Set, error) {
	f.scope = r.scope
	rows := column.All(len(f.At))
	if r.Filter == nil {
		return rows, nil
	}
	return rows, narrow(r.Filter, f, rows, cheap)
}

// narrow takes those of some rows away that a filter does not leave, as far as it is cheap.
func narrow(filter Filter, f *Frame, rows column.Set, cheap func(key string) bool) error {
	if parts, ok := filter.(all); ok {
		for _, part := range parts {
			if err := narrow(part, f, rows, cheap); err != nil {
				return err
			}
		}
		return nil
	}
	if !isCheap(filter, cheap) {
		return nil
	}
	wanted, err := filter.rows(f, rows)
	if err == nil {
		rows.And(wanted)
	}
	return err
}

// Add takes the events of a frame in.
func (r *Run) Add(f *Frame) error {
	f.scope, r.scope.made = r.scope, 0
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
	return r.take(0, f, rows)
}

// take takes rows into a stage that has filtered them.
func (r *Run) take(i int, f *Frame, rows column.Set) error {
	switch s := r.stages[i]; {
	case s.groups != nil:
		return s.groups.add(f, rows)
	case s.rows != nil:
		return s.rows.add(f, rows)
	default:
		return expanded(f, rows, s.expand, func(made *Frame, all column.Set) error { return r.pass(i+1, made, all) })
	}
}

// pass filters rows for a stage, which takes them.
func (r *Run) pass(i int, f *Frame, rows column.Set) error {
	rows, err := r.stages[i].filter.rows(f, rows)
	if err != nil {
		return err
	}
	return r.take(i, f, rows)
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
	wanted, err := r.Filter.rows(f, rows)
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
	if p.statement != nil {
		keys = append(keys, p.statement.asked...)
	}
	return keys
}

// Finish returns what was found. The error is Invalid if the query takes too much.
func (r *Run) Finish() (Result, error) {
	if errors.Is(r.scope.err, ErrStopped) {
		r.scope.err = nil
	}
	looks := 0
	r.scope.stop = func() bool { looks++; return looks > looksAtEnd } // what was found is shown also if the time is over
	for i, s := range r.stages {
		if err := r.finish(i, s); err != nil && !errors.Is(err, ErrStopped) {
			return r.Result, err
		} else if err != nil {
			r.Dropped, r.scope.err = true, nil
		}
	}
	return r.Result, nil
}

// looksAtEnd is how often the end of a query may look at the clock, which bounds its work.
const looksAtEnd = 50

// finish passes what a stage has to the next one, or to the result.
func (r *Run) finish(i int, s *running) error {
	var made table
	r.scope.made = 0
	switch {
	case s.groups != nil:
		r.Dropped = r.Dropped || s.groups.dropped
		made.names, made.rows = s.groups.finish(len(r.stages[i+1].list.sort) > 0)
	case s.rows != nil:
		r.Dropped = r.Dropped || s.rows.dropped
		made = s.rows.result()
		if s.fill != nil {
			if err := s.fill.add(&made, r.scope); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	if i+1 < len(r.stages) {
		f := made.frame(r.scope)
		return r.pass(i+1, f, column.All(len(f.At)))
	}
	r.Found, r.Result.Rows = s.rows.seen, made.rows
	if s.rows.whole {
		r.Result.Rows = nil
		for _, row := range s.rows.rows {
			r.Events = append(r.Events, row.event)
		}
	}
	return nil
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
