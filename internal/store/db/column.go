package db

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
)

// Columns list, once, the columns of a table that a value is stored in, and where in the value they are. Reading, inserting and updating
// follow from the list. Names and types can be asked of the list of any value, such as an empty one.
type Columns []Column

// Column is a column and its place in a value: a *string, *int64, *bool or Field.
type Column struct {
	name  string
	place any
}

// At returns a column and its place in a value.
func At(name string, place any) Column { return Column{name, place} }

// Names lists the columns.
func (c Columns) Names() string { return c.join(func(_ int, name string) string { return name }) }

// Of lists the columns of a table that has this alias.
func (c Columns) Of(alias string) string {
	return c.join(func(_ int, name string) string { return alias + "." + name })
}

// Parameters lists as many parameters; the first has this number.
func (c Columns) Parameters(first int) string {
	return c.join(func(i int, _ string) string { return fmt.Sprintf("$%d", first+i) })
}

// Set assigns parameters to the columns; the first has this number.
func (c Columns) Set(first int) string {
	return c.join(func(i int, name string) string { return fmt.Sprintf("%s = $%d", name, first+i) })
}

// SetFrom assigns to the columns those of a table that has this alias.
func (c Columns) SetFrom(alias string) string {
	return c.join(func(_ int, name string) string { return name + " = " + alias + "." + name })
}

// Typed lists the columns with their types, for a {{rows}} hole.
func (c Columns) Typed() string {
	return c.join(func(i int, name string) string { return name + " " + kindAt(c[i].place) })
}

func (c Columns) join(each func(i int, name string) string) string {
	var parts []string
	for i, column := range c {
		parts = append(parts, each(i, column.name))
	}
	return strings.Join(parts, ", ")
}

// Into adds to dst where a row of the columns is scanned into.
func (c Columns) Into(dst ...any) []any {
	dst = slices.Grow(dst, len(c))
	for _, column := range c {
		dst = append(dst, column.place)
	}
	return dst
}

// Values adds to args the values of the columns.
func (c Columns) Values(args ...any) []any {
	args = slices.Grow(args, len(c))
	for _, column := range c {
		args = append(args, valueAt(column.place))
	}
	return args
}

// Collect adds the values of the columns to slices of them, as a {{rows}} hole takes them. The first slices are nil.
func (c Columns) Collect(columns []any) []any {
	if columns == nil {
		columns = make([]any, len(c))
	}
	for i, column := range c {
		switch value := valueAt(column.place).(type) {
		case int64:
			columns[i] = added(columns[i], value)
		case string:
			columns[i] = added(columns[i], value)
		case bool:
			columns[i] = added(columns[i], value)
		case []byte:
			columns[i] = added(columns[i], value)
		}
	}
	return columns
}

func added[V any](column any, value V) []V {
	have, _ := column.([]V)
	return append(have, value)
}

// Field is a place in a Go value whose value has another form in the database.
type Field interface {
	sql.Scanner
	Stored() any  // an int64, string, bool or []byte
	Kind() string // the SQL type of that
}

func valueAt(at any) any {
	switch at := at.(type) {
	case *string:
		return *at
	case *int64:
		return *at
	case *bool:
		return *at
	case Field:
		return at.Stored()
	}
	panic(fmt.Sprintf("store: a column cannot be written from a %T", at))
}

func kindAt(at any) string {
	switch at := at.(type) {
	case *string:
		return "text"
	case *int64:
		return "bigint"
	case *bool:
		return "boolean"
	case Field:
		return at.Kind()
	}
	panic(fmt.Sprintf("store: a column cannot be a %T", at))
}

// TimeIn is the Field of a time in microseconds; see Micros.
func TimeIn(t *time.Time) Field { return (*timeIn)(t) }

type timeIn time.Time

func (t *timeIn) Scan(src any) error {
	us, err := read[int64](src)
	*t = timeIn(FromMicros(us))
	return err
}

func (t *timeIn) Stored() any { return Micros(time.Time(*t)) }
func (*timeIn) Kind() string  { return "bigint" }

// DurationIn is the Field of a duration in microseconds.
func DurationIn(d *time.Duration) Field { return (*durationIn)(d) }

type durationIn time.Duration

func (d *durationIn) Scan(src any) error {
	us, err := read[int64](src)
	*d = durationIn(time.Duration(us) * time.Microsecond)
	return err
}

func (d *durationIn) Stored() any { return time.Duration(*d).Microseconds() }
func (*durationIn) Kind() string  { return "bigint" }

// UUIDIn is the Field of a UUID as bytes.
func UUIDIn(id *sett.UUID) Field { return (*uuidIn)(id) }

type uuidIn sett.UUID

func (u *uuidIn) Scan(src any) error {
	id, err := read[[]byte](src)
	copy(u[:], id)
	return err
}

func (u *uuidIn) Stored() any { return u[:] }
func (*uuidIn) Kind() string  { return "bytea" }

// TextIn is the Field of a value that has a form as text. parse is given what format returned.
func TextIn[V any](v *V, parse func(string) V, format func(V) string) Field {
	return textIn[V]{v, parse, format}
}

type textIn[V any] struct {
	v      *V
	parse  func(string) V
	format func(V) string
}

func (t textIn[V]) Scan(src any) error {
	text, err := read[string](src)
	*t.v = t.parse(text)
	return err
}

func (t textIn[V]) Stored() any { return t.format(*t.v) }
func (textIn[V]) Kind() string  { return "text" }

// read returns a value as a driver returned it.
func read[V int64 | string | []byte](src any) (V, error) {
	if v, ok := src.(V); ok {
		return v, nil
	}
	var v sql.Null[V]
	err := v.Scan(src)
	return v.V, err
}
