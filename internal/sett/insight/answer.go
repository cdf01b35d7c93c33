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
	columns []output
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
	a := Answer{Total: found.Found, Found: found.Found, Partial: found.Dropped || found.Since > 0 || found.Unread > 0}
	if s.limit > 0 {
		a.Total = min(a.Total, int64(s.limit))
	}
	rows := found.Rows
	if s.lists {
		for _, e := range found.Events {
			rows = append(rows, []Value{momentValue(e.At), {Kind: Text, Text: e.preview()}})
		}
	}
	for _, row := range rows {
		values := slices.Clone(row)
		for i, v := range values {
			if v.Kind == Moment {
				values[i].Text = s.moment(i, v, zone)
			}
		}
		a.Rows = append(a.Rows, AnswerRow{s.columns, values})
	}
	for i, c := range s.columns {
		a.Columns = append(a.Columns, AnswerColumn{c.name, s.typeOf(c, i, a.Rows), s.isResult(c)})
	}
	return a
}

// moment writes a time of a column: those of events with milliseconds.
func (s *Statement) moment(column int, v Value, zone *time.Location) string {
	if of := s.columns[column].of; of.rowly && of.name == atTime {
		return time.UnixMicro(int64(v.Num)).In(zone).Format(momentLayout)
	}
	return momentText(v, zone)
}

// momentText writes a time with milliseconds if it has some.
func momentText(v Value, zone *time.Location) string {
	at := time.UnixMicro(int64(v.Num)).In(zone)
	if at.Nanosecond() == 0 {
		return at.Format(StepLayout)
	}
	return at.Format(momentLayout)
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

// isResult reports whether a column is that of a function of stats, or calculated of some.
func (s *Statement) isResult(c output) bool {
	if !s.Counts() {
		return false
	}
	last := s.groupings[len(s.groupings)-1]
	return !slices.ContainsFunc(last.By, func(b By) bool { return b.Name == c.of.key })
}

// isStep reports whether a column of stats is a time.
func (s *Statement) isStep(key string) bool {
	if !s.Counts() {
		return false
	}
	last := s.groupings[len(s.groupings)-1]
	return slices.ContainsFunc(last.By, func(b By) bool { return b.Name == key && b.Step != 0 })
}

// typeOf returns the type of a column, in BadgerQL's words. That of a field follows from its values.
func (s *Statement) typeOf(c output, i int, rows []AnswerRow) string {
	switch {
	case c.of.rowly && c.of.name == atTime || s.isStep(c.of.key):
		return "datetime"
	case c.of.rowly && c.of.name == atPreview:
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
	case Moment:
		return "datetime"
	}
	return "string"
}
