package serve

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"
)

// member is a parameter, or a member of a JSON object under its dotted name, such as "results[].id".
type member struct {
	Name, Type, Doc string
	Values          []string // the only ones; nil for any
	Bounds          string   // of the values, in a sentence; "" for none
	Required        bool
}

func newMember(name string, t reflect.Type, r remarks, required bool) member {
	m := member{Name: name, Type: typeText(t), Doc: r.Doc, Values: r.Enum, Required: required}
	if r.Span != nil {
		m.Bounds = r.Span.words(t)
	}
	return m
}

// membersOf lists the members of the objects in t, outermost first. A type within itself is not opened again, and of a
// list's links, which are explained once at the top of the page, only the name is shown.
func membersOf(t reflect.Type, prefix string, within []reflect.Type) []member {
	t, path := element(t)
	if t.Kind() != reflect.Struct || ownSchema(t) != nil || t == reflect.TypeFor[Links]() || slices.Contains(within, t) {
		return nil
	}
	prefix += path
	if prefix != "" {
		prefix += "."
	}
	within = append(slices.Clone(within), t)
	var members []member
	for _, f := range fieldsOf(t) {
		members = append(members, newMember(prefix+f.Name, f.Type, f.remarks, f.Required))
		inner := membersOf(f.Type, prefix+f.Name, within)
		for i, m := range inner {
			needed := slices.Contains(f.Needs, strings.TrimPrefix(m.Name, prefix+f.Name+"."))
			inner[i].Required = m.Required || needed
		}
		members = append(members, inner...)
	}
	return members
}

// element unwraps pointers, optional values and arrays; path has "[]" for each array.
func element(t reflect.Type) (elem reflect.Type, path string) {
	for {
		switch {
		case isOptional(t):
			t = optionalElem(t)
		case ownSchema(t) != nil:
			return t, path
		case t.Kind() == reflect.Pointer:
			t = t.Elem()
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
			t, path = t.Elem(), path+"[]"
		default:
			return t, path
		}
	}
}

// typeText says in words what JSON value t is, such as "array of string" or "integer or null".
func typeText(t reflect.Type) string {
	switch {
	case isOptional(t):
		return typeText(optionalElem(t)) + " or null"
	case t.Kind() == reflect.Pointer:
		return typeText(t.Elem()) + " or null"
	case t == reflect.TypeFor[time.Time]():
		return "timestamp"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any value"
	}
	if own := ownSchema(t); own != nil {
		return cmp.Or(strings.Join(typesOf(own), " or "), "any value")
	}
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
		return "array of " + typeText(t.Elem())
	}
	return cmp.Or(jsonType(t), "any value")
}
