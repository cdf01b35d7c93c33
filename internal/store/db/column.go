package db

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"sett/internal/sett"
)

// Columns list, once, the columns of a table that a value is stored in, and where in the value they are. Reading, inserting and updating
// follow from the list. Names and types can be asked of the list of any value, such as an empty one.
type Columns []Column

// Column is a column and its place in a value: a *string, *int64, *bool, IntField, TextField or BytesField.
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

// Into adds to dst where rows of the columns are scanned into, one after the other.
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

// Collector collects rows, as slices of columns for a {{rows}} hole. A row is what the places hold when it is added.
type Collector []collected

type collected struct {
	add func()
	all func() any
}

// Collector returns an empty collector of the columns.
func (c Columns) Collector() Collector {
	var all Collector
	for _, column := range c {
		all = append(all, collectedAt(column.place))
	}
	return all
}

// Add adds a row.
func (c Collector) Add() {
	for _, column := range c {
		column.add()
	}
}

// Rows adds the slices to columns.
func (c Collector) Rows(columns ...any) []any {
	for _, column := range c {
		columns = append(columns, column.all())
	}
	return columns
}

func collectedAt(at any) collected {
	switch at := at.(type) {
	case *string:
		return collectedFrom(func() string { return *at })
	case *int64:
		return collectedFrom(func() int64 { return *at })
	case *bool:
		return collectedFrom(func() bool { return *at })
	case TextField:
		return collectedFrom(at.Text)
	case IntField:
		return collectedFrom(at.Int)
	case BytesField:
		return collectedFrom(at.Bytes)
	}
	panic(fmt.Sprintf("store: a column cannot be collected from a %T", at))
}

func collectedFrom[V any](value func() V) collected {
	var values []V
	return collected{func() { values = append(values, value()) }, func() any { return values }}
}

// Fields are places in a Go value whose value has another form in the database.
type (
	IntField interface {
		sql.Scanner
		Int() int64
	}
	TextField interface {
		sql.Scanner
		Text() string
	}
	BytesField interface {
		sql.Scanner
		Bytes() []byte
	}
)

func valueAt(at any) any {
	switch at := at.(type) {
	case *string:
		return *at
	case *int64:
		return *at
	case *bool:
		return *at
	case TextField:
		return at.Text()
	case IntField:
		return at.Int()
	case BytesField:
		return at.Bytes()
	}
	panic(fmt.Sprintf("store: a column cannot be written from a %T", at))
}

func kindAt(at any) string {
	switch at.(type) {
	case *string, TextField:
		return "text"
	case *int64, IntField:
		return "bigint"
	case *bool:
		return "boolean"
	case BytesField:
		return "bytea"
	}
	panic(fmt.Sprintf("store: a column cannot be a %T", at))
}

// TimeIn is the field of a time in microseconds; see Micros.
func TimeIn(t *time.Time) IntField { return IntIn(t, FromMicros, Micros) }

// DurationIn is the field of a duration in such units.
func DurationIn(d *time.Duration, unit time.Duration) IntField {
	return IntIn(d, func(n int64) time.Duration { return time.Duration(n) * unit }, func(d time.Duration) int64 { return int64(d / unit) })
}

// IntIn is the field of a value that has a form as an integer. parse is given what format returned.
func IntIn[V any](v *V, parse func(int64) V, format func(V) int64) IntField {
	return intIn[V]{v, parse, format}
}

type intIn[V any] struct {
	v      *V
	parse  func(int64) V
	format func(V) int64
}

func (f intIn[V]) Scan(src any) error {
	n, err := read[int64](src)
	*f.v = f.parse(n)
	return err
}

// ScanInt64 is Scan for pgx, which calls it without an allocation.
func (f intIn[V]) ScanInt64(n pgtype.Int8) error {
	*f.v = f.parse(n.Int64)
	return nil
}

func (f intIn[V]) Int() int64 { return f.format(*f.v) }

// UUIDIn is the field of a UUID as bytes.
func UUIDIn(id *sett.UUID) BytesField { return (*uuidIn)(id) }

type uuidIn sett.UUID

func (u *uuidIn) Scan(src any) error {
	id, err := read[[]byte](src)
	copy(u[:], id)
	return err
}

func (u *uuidIn) Bytes() []byte { return slices.Clone(u[:]) }

// TextIn is the field of a value that has a form as text. parse is given what format returned.
func TextIn[V any](v *V, parse func(string) V, format func(V) string) TextField {
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

func (t textIn[V]) Text() string { return t.format(*t.v) }

// read returns a value as a driver returned it.
func read[V int64 | string | []byte](src any) (V, error) {
	if v, ok := src.(V); ok {
		return v, nil
	}
	var v sql.Null[V]
	err := v.Scan(src)
	return v.V, err
}
