package insight

import (
	"slices"
	"strings"
	"time"

	"sett/internal/event/column"
	"sett/internal/sett"
)

// expr is what a query calculates of a row: a field, a constant, or a function of others.
type expr struct {
	at     int    // its first character
	name   string // as the query writes it, without hints
	key    string // of a field; "": it is none
	lit    *Value // of a constant; nil: it is none
	args   []*expr
	calc   func(e *env, args []Value) Value // of a function
	fields []string                         // keys of all fields in it
	size   int                              // parts
	rowly  bool                             // it depends on more than its fields, such as the time of an event
	test   bool                             // it is true or false
	loose  bool                             // it may be true or false
	step   int64                            // of bin() without a time, in microseconds; autoStep: it follows from the time of the query
	width  float64                          // of bucket(); 0: another function
	filter Filter                           // of a test of one field, which is faster
}

// env is what expressions are calculated in: a row of a frame. It is for one goroutine.
type env struct {
	*scope
	f       *Frame
	row     int
	columns map[string]*Column
	stack   []Value
}

// scope is what a query is about, and what it may still take.
type scope struct {
	project  int64
	zone     *time.Location
	from, to int64
	step     int64 // of the first bin; else the time of the query
	auto     int64 // of a bin without a step
	tops     []map[string]bool
	stop     func() bool
	work     int // since stop was asked
	made     int // bytes of texts that were made of a frame
	err      error
}

// The bounds of what a query calculates.
const (
	maxMade   = 32 << 20 // bytes of texts that are made of the events of a frame
	maxParts  = 1_000    // of the expressions of a query
	checkWork = 1 << 18  // between two looks at the clock: steps of patterns, bytes and parts of expressions
)

// ErrStopped says that the time of a query is over.
var ErrStopped = &sett.Error{Code: sett.Unavailable, Message: "The query takes too long."}

// usual is the scope of frames that belong to no run.
func usual() *scope { return &scope{zone: time.UTC, to: Micros(time.Now())} }

// spend counts work, and now and then asks whether the time is over.
func (s *scope) spend(work int) error {
	if s.work += work; s.work >= checkWork {
		s.work = 0
		if s.err == nil && s.stop != nil && s.stop() {
			s.err = ErrStopped
		}
	}
	return s.err
}

// make counts the bytes of a text that is kept.
func (s *scope) make(bytes int) {
	if s.made += bytes; s.made > maxMade && s.err == nil {
		s.err = sett.Refuse("query", "makes texts that take too much memory. Filter more, or make shorter texts with substring()")
	}
}

// newEnv returns an env for a frame.
func newEnv(f *Frame) *env {
	if f.scope == nil {
		f.scope = usual()
	}
	return &env{scope: f.scope, f: f, columns: map[string]*Column{}}
}

// open opens the columns of fields.
func (e *env) open(keys []string) (err error) {
	for _, key := range keys {
		if _, ok := e.columns[key]; !ok {
			if e.columns[key], err = e.f.Column(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// value calculates the expression for the row of an env, whose columns are open.
func (x *expr) value(e *env) Value {
	switch {
	case x.lit != nil:
		return *x.lit
	case x.key != "":
		return e.columns[x.key].at(e.row)
	}
	base := len(e.stack)
	for _, a := range x.args {
		v := a.value(e)
		e.stack = append(e.stack, v)
	}
	v := x.calc(e, e.stack[base:])
	e.stack = e.stack[:base]
	return v
}

// column calculates the expression for some rows of a frame: once for each value that is different, if it is of one field alone.
func (x *expr) column(f *Frame, rows column.Set) (*Column, error) {
	if x.key != "" {
		return f.Column(x.key)
	}
	e := newEnv(f)
	if err := e.open(x.fields); err != nil {
		return nil, err
	}
	if len(x.fields) == 1 && !x.rowly {
		return x.ofOne(e, rows)
	}
	return x.ofRows(e, rows)
}

// ofOne calculates once for each value of the only field.
func (x *expr) ofOne(e *env, rows column.Set) (*Column, error) {
	of := e.columns[x.fields[0]]
	n := 0
	if of != nil {
		n = len(of.Values)
	}
	wanted := make([]bool, n+1) // the last one is for rows without the field
	for row := range e.f.At {
		if rows.Has(row) {
			wanted[place(of, row, n)] = true
		}
	}
	c := &Column{Values: make([]Value, n+1), Index: make([]int32, len(e.f.At))}
	one := &Column{Values: make([]Value, 1), Index: []int32{0}}
	e.columns[x.fields[0]] = one
	for i, is := range wanted {
		if !is {
			continue
		}
		one.Values[0] = Value{}
		if i < n {
			one.Values[0] = of.Values[i]
		}
		c.Values[i] = x.value(e)
		e.make(len(c.Values[i].Text))
		if err := e.spend(x.size); err != nil {
			return nil, err
		}
	}
	for row := range c.Index {
		c.Index[row] = -1
		if i := place(of, row, n); wanted[i] && c.Values[i].Kind != Absent {
			c.Index[row] = int32(i)
		}
	}
	return c, nil
}

// place returns the number of a row's value, or n for none.
func place(c *Column, row, n int) int {
	if c == nil || c.Index[row] < 0 {
		return n
	}
	return int(c.Index[row])
}

// ofRows calculates for each row.
func (x *expr) ofRows(e *env, rows column.Set) (*Column, error) {
	c := &Column{Index: slices.Repeat([]int32{-1}, len(e.f.At))}
	numbers := map[Value]int32{}
	for row := range e.f.At {
		if !rows.Has(row) {
			continue
		}
		e.row = row
		v := x.value(e)
		if err := e.spend(x.size); err != nil {
			return nil, err
		}
		if v.Kind == Absent {
			continue
		}
		n, known := numbers[v]
		if !known {
			n = int32(len(c.Values))
			numbers[v], c.Values = n, append(c.Values, v)
			e.make(len(v.Text) + 64)
		}
		c.Index[row] = n
	}
	return c, e.err
}

// calculated holds where an expression is true.
type calculated struct{ *expr }

func (c calculated) keys() []string         { return c.fields }
func (c calculated) needs() [][]column.Term { return nil }

func (c calculated) rows(f *Frame, among column.Set) (column.Set, error) {
	found := column.NewSet(len(f.At))
	of, err := c.column(f, among)
	if err != nil || of == nil {
		return found, err
	}
	for row, n := range of.Index {
		if n >= 0 && of.Values[n].isTrue() && among.Has(row) {
			found.Add(row)
		}
	}
	return found, nil
}

func (v Value) isTrue() bool { return v.Kind == Bool && v.Text == "true" }

// boolValue returns the value of true or false.
func boolValue(is bool) Value {
	if is {
		return Value{Kind: Bool, Text: "true"}
	}
	return Value{Kind: Bool, Text: "false"}
}

// textValue returns the value of a text that was made. What is too long is cut.
func textValue(text string) Value {
	return Value{Kind: Text, Text: cutText(strings.ToValidUTF8(text, "\uFFFD"), MaxText)}
}

// momentValue returns the value of a time in microseconds.
func momentValue(at int64) Value { return Value{Kind: Moment, Num: float64(at)} }

// said returns the text of a value, as toString() and concat() write it.
func (e *env) said(v Value) string {
	if v.Kind == Moment {
		return momentText(v, e.zone)
	}
	return v.Text
}

// time returns the moment that a value is, or that its text reads as.
func (e *env) time(v Value) (at time.Time, ok bool) {
	switch v.Kind {
	case Moment:
		return time.UnixMicro(int64(v.Num)).In(e.zone), true
	case Number: // seconds or milliseconds since 1970, by their size
		const mostSeconds = 1e11
		if v.Num < 0 || v.Num > 1e14 {
			return at, false
		}
		if v.Num < mostSeconds {
			v.Num *= 1000
		}
		return time.UnixMilli(int64(v.Num)).In(e.zone), true
	case Text:
		if at, ok = readDate(v.Text, e.zone); ok && at.Year() > 0 && at.Year() < 10_000 {
			return at.In(e.zone), true
		}
	case Absent, Bool, List:
	}
	return at, false
}
