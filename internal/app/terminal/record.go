package terminal

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"sett/internal/app/client"
	"sett/internal/base/cell"
)

// Form is how a command writes what it found.
type Form string

// The forms: for people, and for programs.
const (
	Table Form = "table"
	JSON  Form = "json"
	Lines Form = "jsonl"
	CSV   Form = "csv"
)

// FormOf reads a form.
func FormOf(text string) (Form, error) {
	switch f := Form(text); f {
	case Table, JSON, Lines, CSV:
		return f, nil
	}
	return "", fmt.Errorf("--output %q is not known; write table, json, jsonl or csv", text)
}

// Records writes rows for programs, with all columns.
func Records(w io.Writer, form Form, columns []client.Column, rows []client.Row) error {
	switch form {
	case CSV:
		return asCSV(w, columns, rows)
	case Lines:
		for _, row := range rows {
			if err := writeLine(w, asObject(columns, row.Cells)); err != nil {
				return err
			}
		}
		return nil
	}
	all := make([]object, len(rows))
	for i, row := range rows {
		all[i] = asObject(columns, row.Cells)
	}
	return writeLine(w, all)
}

// Record writes one row for programs.
func Record(w io.Writer, form Form, columns []client.Column, row client.Row) error {
	if form == CSV {
		return asCSV(w, columns, []client.Row{row})
	}
	return writeLine(w, asObject(columns, row.Cells))
}

func writeLine(w io.Writer, value any) error {
	return json.NewEncoder(w).Encode(value)
}

func asCSV(w io.Writer, columns []client.Column, rows []client.Row) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.Name
	}
	err := out.Write(line)
	for _, row := range rows {
		for i, value := range row.Cells {
			line[i] = cell.Text(oneLine(value))
		}
		err = errors.Join(err, out.Write(line))
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

// oneLine returns a value whose texts do not act on a terminal, where a row is a line. It comes before the look for formulas, which could appear by it.
func oneLine(value any) any {
	switch v := value.(type) {
	case string:
		return cell.Plain(v)
	case []string:
		return cell.Plain(strings.Join(v, " "))
	}
	return value
}

// object is a JSON object with its members in the order of columns.
type object struct {
	names  []client.Column
	values []any
}

func asObject(columns []client.Column, values []any) object { return object{columns, values} }

// MarshalJSON writes it. Characters that act on a terminal are escaped, which JSON does not ask for.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, value := range o.values {
		text, err := json.Marshal(cell.Value(value))
		if err != nil {
			return nil, err
		}
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		b.WriteByte(separator)
		fmt.Fprintf(&b, "%q:%s", o.names[i].Name, escaped(text))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Fields writes a line for each column of a row, with its times in full.
func (s *Screen) Fields(columns []client.Column, row client.Row) {
	most := 0
	for _, c := range columns {
		most = max(most, len(c.Name))
	}
	for i, value := range row.Cells {
		text := s.brief(value)
		if at, ok := value.(time.Time); ok && !at.IsZero() {
			text = at.UTC().Format(time.RFC3339) + " (" + s.age(at) + ")"
		}
		if text != "-" {
			fmt.Fprintf(&s.text, "%s  %s\n", s.paint(dim, fmt.Sprintf("%-*s", most, columns[i].Name)), s.paint(colourOf(text), text))
		}
	}
}
