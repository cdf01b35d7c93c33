package serve

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// remarks are what the tags of a field or parameter say about its values.
type remarks struct {
	Doc     string   // tag `doc:"…"`
	Example string   // tag `example:"…"`: a text that is accepted; "" when any is
	Enum    []string // tag `enum:"a,b"`: the only values
	Default string   // tag `default:"a"`: the one that counts where none is sent
	Span    *span    // tag `range:"1,25"`
}

// span bounds a number, or the length of a string in characters. Both ends belong to it.
type span struct{ Least, Most int }

// remarksOf reads the tags of a field. It panics on an invalid range, which is a bug.
func remarksOf(tag reflect.StructTag) remarks {
	r := remarks{Doc: tag.Get("doc"), Example: tag.Get("example"), Default: tag.Get("default")}
	if list := tag.Get("enum"); list != "" {
		r.Enum = strings.Split(list, ",")
	}
	if text := tag.Get("range"); text != "" {
		r.Span = new(span)
		if n, err := fmt.Sscanf(text, "%d,%d", &r.Span.Least, &r.Span.Most); n != 2 || err != nil {
			panic("serve: " + text + " is no range")
		}
	}
	return r
}

// annotated returns a copy of schema with a description and, where they are given, the only values of it or its items,
// or their bounds.
func annotated(schema object, r remarks) object {
	out := object{}
	for k, v := range schema {
		out[k] = v
	}
	if r.Doc != "" {
		out["description"] = r.Doc
	}
	if r.Span != nil {
		r.Span.bound(out)
	}
	if r.Default != "" {
		out["default"] = r.Default
	}
	if r.Enum == nil {
		return out
	}
	if items, ok := schema["items"].(object); ok {
		out["items"] = annotated(items, remarks{Enum: r.Enum})
		return out
	}
	out["enum"] = enumValues(schema, r.Enum)
	return out
}

func (s span) bound(schema object) {
	switch types := typesOf(schema); {
	case slices.Contains(types, "integer"):
		schema["minimum"], schema["maximum"] = s.Least, s.Most
	case slices.Contains(types, "string"):
		schema["maxLength"] = s.Most
		if s.Least > 0 {
			schema["minLength"] = s.Least
		}
	}
}

// words says in a sentence which values of type t the span allows.
func (s span) words(t reflect.Type) string {
	elem, _ := element(t)
	text := strconv.Itoa(s.Least) + " to " + strconv.Itoa(s.Most)
	switch {
	case jsonType(elem) != "string":
		return "From " + text + "."
	case s.Least == 0:
		return "At most " + strconv.Itoa(s.Most) + " characters."
	default:
		return text + " characters."
	}
}

func enumValues(schema object, enum []string) []any {
	types := typesOf(schema)
	var values []any
	for _, text := range enum {
		if n, err := strconv.Atoi(text); err == nil && slices.Contains(types, "integer") {
			values = append(values, n)
		} else {
			values = append(values, text)
		}
	}
	if slices.Contains(types, "null") {
		values = append(values, nil)
	}
	return values
}
