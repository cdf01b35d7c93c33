package insight

import (
	"slices"

	"sett/internal/event/column"
)

// Frame is some events by column. It is for one goroutine at a time.
type Frame struct {
	At     []int64 // of each row, in microseconds
	Stream Stream  // of all rows

	open func(key string) (*Column, error)
	keys func() ([]string, error)
	may  func(key string) bool // whether a row may have a key; nil: its column says so

	opened map[string]*Column
	known  []string // what keys returned
	made   bool     // rows were made of events, which have fields with @ as columns
	scope  *scope
}

// Column holds the values of a key.
type Column struct {
	Values []Value
	Index  []int32 // the number of each row's value; -1: the row has none
}

// at returns the value of a row; a nil Column has none.
func (c *Column) at(row int) Value {
	if c == nil || c.Index[row] < 0 {
		return Value{}
	}
	return c.Values[c.Index[row]]
}

// Source is where a frame has its columns from, each read when it is asked for.
type Source struct {
	Stream Stream
	At     []int64                           // of each row, ascending
	Column func(key string) (*Column, error) // nil: no row has the key
	Keys   func() ([]string, error)          // of all rows
	May    func(key string) bool             // whether a row may have a key, without reading anything
}

// FrameFrom returns the frame of a source.
func FrameFrom(s Source) *Frame {
	return &Frame{At: s.At, Stream: s.Stream, open: s.Column, keys: s.Keys, may: s.May, opened: map[string]*Column{}}
}

// ColumnOf returns the column of so many rows; value returns that of a row as Field has it, or "". It is nil if no row has a value.
func ColumnOf(rows int, value func(row int) string) (c *Column) {
	numbers := map[string]int32{}
	for row := range rows {
		text := value(row)
		if text == "" {
			continue
		}
		if c == nil {
			c = &Column{Index: slices.Repeat([]int32{-1}, rows)}
		}
		n, known := numbers[text]
		if !known {
			n = int32(len(c.Values))
			numbers[text], c.Values = n, append(c.Values, ReadValue(text))
		}
		c.Index[row] = n
	}
	return c
}

// FrameOf returns the frame of some events, which are at most column.MostRows.
func FrameOf(events []Event) *Frame {
	f := &Frame{At: make([]int64, len(events)), Stream: Sent, opened: map[string]*Column{}}
	for row, e := range events {
		f.At[row] = e.At
	}
	f.open = func(key string) (*Column, error) {
		return ColumnOf(len(events), func(row int) string { return events[row].Stored(key) }), nil
	}
	f.keys = func() (keys []string, err error) {
		seen := map[string]bool{}
		for _, e := range events {
			for _, field := range e.Fields {
				if !seen[field.Key] {
					seen[field.Key], keys = true, append(keys, field.Key)
				}
			}
		}
		return keys, nil
	}
	return f
}

// FrameOfChunk returns the frame of a stored chunk. part returns one of its parts as it is stored, or nil.
func FrameOfChunk(at []int64, part func(number int) ([]byte, error)) *Frame {
	f := &Frame{At: at, Stream: Sent, opened: map[string]*Column{}}
	parts := make([]*column.Part, column.Parts)
	load := func(number int) (*column.Part, error) {
		if parts[number] != nil {
			return parts[number], nil
		}
		body, err := part(number)
		if err != nil {
			return nil, err
		}
		p := &column.Part{}
		if body != nil {
			if err := p.Open(body, len(at)); err != nil {
				return nil, err
			}
		}
		parts[number] = p
		return p, nil
	}
	f.open = func(key string) (*Column, error) {
		p, err := load(column.Present(key).Part)
		if err != nil {
			return nil, err
		}
		values, index, err := p.Cells(key)
		if err != nil || values == nil {
			return nil, err
		}
		c := &Column{Index: index}
		for _, v := range values {
			c.Values = append(c.Values, ReadValue(string(v)))
		}
		return c, nil
	}
	f.keys = func() (keys []string, err error) {
		for number := range column.Parts {
			p, err := load(number)
			if err != nil {
				return nil, err
			}
			keys = append(keys, p.Keys()...)
		}
		return keys, nil
	}
	return f
}

// Column returns the column of a key, or nil if no row has it.
func (f *Frame) Column(key string) (*Column, error) {
	if c, ok := f.opened[key]; ok {
		return c, nil
	}
	c, err := f.open(key)
	if err == nil {
		f.opened[key] = c
	}
	return c, err
}

// addWhere adds the rows to a set whose value of a key a function holds of. It is called once for each value that is different.
func (f *Frame) addWhere(found column.Set, key string, holds func(v Value) bool) error {
	c, err := f.Column(key)
	if err != nil || c == nil {
		return err
	}
	wanted, any := make([]bool, len(c.Values)), false
	for i, v := range c.Values {
		wanted[i] = holds(v)
		any = any || wanted[i]
	}
	if f.scope != nil && f.scope.err != nil {
		return f.scope.err
	}
	if !any {
		return nil
	}
	for row, n := range c.Index {
		if n >= 0 && wanted[n] {
			found.Add(row)
		}
	}
	return nil
}

// Keys returns the keys of all rows.
func (f *Frame) Keys() (keys []string, err error) {
	if f.known == nil {
		f.known, err = f.keys()
	}
	return f.known, err
}

// Event returns the event in a row, with the fields of some keys; of none: with all.
func (f *Frame) Event(row int, keys []string) (e Event, err error) {
	e.At = f.At[row]
	if keys == nil {
		if keys, err = f.Keys(); err != nil {
			return e, err
		}
	}
	for _, key := range keys {
		c, err := f.Column(key)
		if err != nil {
			return e, err
		}
		if v := c.at(row); v.Kind != Absent {
			e.Fields = append(e.Fields, Field{key, v.stored()})
		}
	}
	e.sortFields()
	return e, nil
}

// stored is the inverse of ReadValue.
func (v Value) stored() string {
	if v.Kind == Text {
		return QuoteText(v.Text)
	}
	return v.Text
}
