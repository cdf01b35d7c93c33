package insight

import (
	"encoding/json"
	"math"
	"slices"
	"time"
)

// Answer is the result of a statement as clients read it.
type Answer struct {
	Columns []AnswerColumn
	Rows    []AnswerRow
	Total   int64 // rows that the statement has, also those that are left out because they are too many
	Found   int64 // rows that it would have without its limit, which is what alarms compare
	Partial bool  // some rows or groups are left out, or not all events were read
}

// AnswerColumn is a column with the type of its values.
type AnswerColumn struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Result bool   `json:"-"` // of a function of stats
}

// AnswerRow is a row, as a JSON object in the order of the columns.
type AnswerRow struct {
	columns []shown
	values  []Value
}

// Values returns the values of the row, in the order of the columns.
func (r AnswerRow) Values() []Value { return r.values }

// JSONSchema describes a row.
func (AnswerRow) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{}}
}

// MarshalJSON returns the row as an object.
func (r AnswerRow) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, c := range r.columns {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(c.name)
		if err != nil {
			return nil, err
		}
		value, err := r.values[i].MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// The forms of times in an answer.
const (
	momentLayout = "2006-01-02 15:04:05.000"
	StepLayout   = "2006-01-02 15:04:05"
)

// Answer returns the result of the statement as clients read it, with times in a zone.
func (s *Statement) Answer(found Result, zone *time.Location) Answer {
	columns := s.shownColumns()
	a := Answer{Total: found.Total, Partial: found.Dropped || found.Since > 0 || found.Unread > 0}
	if s.stat != nil {
		a.Total = int64(len(found.Groups))
		for _, g := range found.Groups[:min(len(found.Groups), s.rowsWanted())] {
			a.Rows = append(a.Rows, AnswerRow{columns, s.groupValues(columns, g, zone)})
		}
	} else {
		for _, e := range found.Events {
			a.Rows = append(a.Rows, AnswerRow{columns, eventValues(columns, e, zone)})
		}
	}
	a.Found = a.Total
	if s.limit > 0 {
		a.Total = min(a.Total, int64(s.limit))
	}
	for i, c := range columns {
		a.Columns = append(a.Columns, AnswerColumn{c.name, s.typeOf(c, i, a.Rows), s.isResult(c.key)})
	}
	return a
}

func eventValues(columns []shown, e Event, zone *time.Location) (values []Value) {
	for _, c := range columns {
		switch c.key {
		case atTime:
			values = append(values, Value{Kind: Moment, Text: e.Time().In(zone).Format(momentLayout), Num: float64(e.At)})
		case atPreview:
			values = append(values, Value{Kind: Text, Text: e.preview()})
		default:
			v, _ := e.Get(c.key)
			values = append(values, v)
		}
	}
	return values
}

// preview returns the fields of an event as a JSON object.
func (e Event) preview() string {
	b := []byte{'{'}
	for i, f := range e.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, QuoteText(f.Key)...), ':'), f.Value...)
	}
	return string(append(b, '}'))
}

func (s *Statement) groupValues(columns []shown, g Group, zone *time.Location) (values []Value) {
	for _, c := range columns {
		v := s.stat.value(g, c.key)
		if s.isStep(c.key) && v.Kind == Number {
			v = Value{Kind: Moment, Text: time.UnixMicro(int64(v.Num)).In(zone).Format(StepLayout), Num: v.Num}
		}
		values = append(values, v)
	}
	return values
}

// isResult reports whether a column is that of a function of stats.
func (s *Statement) isResult(name string) bool {
	return s.stat != nil && slices.ContainsFunc(s.stat.Agg, func(a Agg) bool { return a.Name == name })
}

// isStep reports whether a column of stats is a time.
func (s *Statement) isStep(name string) bool {
	for _, b := range s.stat.By {
		if b.Name == name {
			return b.Step != 0
		}
	}
	return false
}

// typeOf returns the type of a column, in BadgerQL's words. That of a field follows from its values.
func (s *Statement) typeOf(c shown, i int, rows []AnswerRow) string {
	switch {
	case c.key == atTime || s.stat != nil && s.isStep(c.key):
		return "datetime"
	case c.key == atPreview:
		return "json"
	}
	kind := ""
	for _, r := range rows {
		next := r.values[i].typeName()
		switch {
		case next == "" || next == kind || next == "integer" && kind == "float":
		case kind == "" || kind == "integer" && next == "float":
			kind = next
		default:
			return "string"
		}
	}
	if kind == "" {
		return "string"
	}
	return kind
}

func (v Value) typeName() string {
	switch v.Kind {
	case Absent:
		return ""
	case Number:
		if v.Num == math.Trunc(v.Num) {
			return "integer"
		}
		return "float"
	case Bool:
		return "boolean"
	case List:
		return "json"
	}
	return "string"
}
