package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// The most that a warning names.
const (
	mostIgnored    = 10 // fields
	longestIgnored = 60 // bytes of one
)

// DecodeBody is DecodeJSON for a body whose unknown and read-only fields are ignored. It returns their names, such as site.state
// or check_ins[].id, and sets a Warning header (RFC 7234 §5.5) that says so.
func DecodeBody(w http.ResponseWriter, r *http.Request, dst any) (ignored []string, err error) {
	data, err := decodeJSON(w, r, dst)
	if err != nil {
		return nil, err
	}
	ignored = ignoredOf(data, reflect.TypeOf(dst), "")
	slices.Sort(ignored)
	if ignored = slices.Compact(ignored); len(ignored) > 0 {
		w.Header().Set("Warning", warning(ignored))
	}
	return ignored, nil
}

func warning(ignored []string) string {
	var names []string
	for _, name := range ignored[:min(len(ignored), mostIgnored)] {
		quoted := strconv.QuoteToASCII(name[:min(len(name), longestIgnored)])
		names = append(names, strings.ReplaceAll(strings.Trim(quoted, `"`), `\`, ""))
	}
	if more := len(ignored) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return `299 - "unknown or read-only, and ignored: ` + strings.ReplaceAll(strings.Join(names, ", "), `"`, "") + `"`
}

// ignoredOf returns the members of JSON that a value of type t does not take. Names have no case in encoding/json.
func ignoredOf(data []byte, t reflect.Type, prefix string) (ignored []string) {
	for isOptional(t) || t.Kind() == reflect.Pointer {
		if isOptional(t) {
			t = optionalElem(t)
		} else {
			t = t.Elem()
		}
	}
	switch {
	case ownSchema(t) != nil:
		return nil
	case t.Kind() == reflect.Slice:
		var elements []json.RawMessage
		_ = json.Unmarshal(data, &elements) // of another type it is refused elsewhere
		for _, element := range elements {
			ignored = append(ignored, ignoredOf(element, t.Elem(), prefix+"[]")...)
		}
	case t.Kind() == reflect.Struct && !readsItself(t):
		ignored = ignoredMembers(data, t, prefix)
	}
	return ignored
}

// readsItself reports whether a type has its own idea of what is unknown.
func readsItself(t reflect.Type) bool {
	return !isOptional(t) && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func ignoredMembers(data []byte, t reflect.Type, prefix string) (ignored []string) {
	var object map[string]json.RawMessage
	_ = json.Unmarshal(data, &object) // of another type it is refused elsewhere
	if prefix != "" {
		prefix += "."
	}
	known := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		i := slices.IndexFunc(known, func(f field) bool { return strings.EqualFold(f.Name, name) })
		if i < 0 {
			ignored = append(ignored, prefix+name)
			continue
		}
		ignored = append(ignored, ignoredOf(object[name], known[i].Type, prefix+name)...)
	}
	return ignored
}

// MemberNames returns the names of the members of an object that is answered.
func MemberNames(view any) (names []string) {
	for _, f := range fieldsOf(reflect.TypeOf(view)) {
		names = append(names, f.Name)
	}
	return names
}
