package ndjson

import (
	"bytes"
	"encoding/json"
	"slices"

	"sett/internal/sett/insight"
	"sett/internal/sett/scan"
)

// walk makes the fields of an event of JSON values.
type walk struct {
	scanner *scan.Scanner
	fields  []insight.Field
}

// Flatten returns the fields that a JSON value has under a key: of an object its members, with dotted keys.
func Flatten(key, value string) []insight.Field {
	s := scan.New(value)
	w := walk{scanner: &s}
	w.value(key, 0)
	if s.End() != nil {
		return nil
	}
	return w.fields
}

func (w *walk) object(prefix string, depth int) {
	for key := range w.scanner.Members {
		if prefix != "" {
			key = prefix + "." + key
		}
		w.value(key, depth)
	}
}

func (w *walk) value(key string, depth int) {
	s := w.scanner
	switch c := s.Peek(); {
	case c == '{' && depth < insight.MaxDepth:
		w.object(key, depth+1)
	case c == '{' || c == '[':
		w.add(key, compact(s.Value()))
	case c == '"':
		w.add(key, insight.QuoteText(s.Text()))
	case c == '-' || '0' <= c && c <= '9':
		w.add(key, insight.CleanNumber(s.Value()))
	default:
		w.add(key, s.Value())
	}
}

// add adds a field, unless the key is there or has no value.
func (w *walk) add(key, value string) {
	if value == "null" || value == "" || len(w.fields) >= insight.MaxFields {
		return
	}
	key = insight.CleanKey(key)
	if !slices.ContainsFunc(w.fields, func(f insight.Field) bool { return f.Key == key }) {
		w.fields = append(w.fields, insight.Field{Key: key, Value: value})
	}
}

// compact returns an array or object on one line. One that is too long becomes a text.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return ""
	}
	if b.Len() > insight.MaxText {
		return insight.QuoteText(b.String())
	}
	return b.String()
}
