package serve

import (
	"encoding"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// DecodeQuery fills the struct that dst points to from the query string, as ReadQuery does. Everything that is wrong is
// named in one Invalid error.
func DecodeQuery(r *http.Request, dst any) error {
	var problems sett.Problems
	ReadQuery(&problems, r, dst)
	return problems.Refusal()
}

// ReadQuery fills the struct that dst points to from the query string, and notes what is wrong. A field takes the
// parameter that its tag names, `query:"q"`, and is a string, a bool, any int, an encoding.TextUnmarshaler whose errors
// read like "must be a day", or a sett.Optional of those; a tag `enum:"hour,day"` lists the only values. Embedded structs
// without that tag count as part of the outer one. Of a repeated parameter the first value is taken. A parameter without
// a value counts as absent unless it is a string without enum. It panics when a field has another type.
func ReadQuery(problems *sett.Problems, r *http.Request, dst any) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		problems.Add("the query string", "is not valid; write %%25 for a percent sign and %%3B for a semicolon")
		return
	}
	s := reflect.ValueOf(dst).Elem()
	for _, f := range queryFields(s.Type()) {
		if !values.Has(f.Name) {
			continue
		}
		if problem := setQueryField(s.FieldByIndex(f.index), values.Get(f.Name), f.Enum); problem != "" {
			problems.Add(f.Name, "%s", problem)
		}
	}
}

// queryField is one parameter of a query struct.
type queryField struct {
	Name  string
	Type  reflect.Type
	index []int
	remarks
}

func queryFields(t reflect.Type) []queryField {
	var fields []queryField
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("query"); name != "" {
			fields = append(fields, queryField{name, f.Type, f.Index, remarksOf(f.Tag)})
		}
	}
	return fields
}

// setQueryField sets v to the text, or says why it cannot.
func setQueryField(v reflect.Value, text string, enum []string) (problem string) {
	target := v
	if isOptional(v.Type()) {
		target = v.FieldByName("Value")
	}
	if text == "" && (enum != nil || target.Kind() != reflect.String) {
		return ""
	}
	if enum != nil && !slices.Contains(enum, text) {
		return "must be one of " + strings.Join(enum, ", ")
	}
	if problem := setText(target, text); problem != "" {
		return problem
	}
	if isOptional(v.Type()) {
		v.FieldByName("Sent").SetBool(true)
	}
	return ""
}

func setText(v reflect.Value, text string) (problem string) {
	if !storable(text) {
		return "must be valid UTF-8 without NUL characters"
	}
	if own, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if err := own.UnmarshalText([]byte(text)); err != nil {
			return err.Error()
		}
		return ""
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return "must be true or false"
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return "must be an integer"
		}
		v.SetInt(n)
	default:
		panic("serve: a query parameter cannot be a " + v.Type().String())
	}
	return ""
}

// isOptional reports whether t is a sett.Optional of something.
func isOptional(t reflect.Type) bool {
	return t.PkgPath() == optionalOfAny.PkgPath() && strings.HasPrefix(t.Name(), "Optional[")
}

var optionalOfAny = reflect.TypeFor[sett.Optional[any]]()

// optionalElem is the type inside of a sett.Optional.
func optionalElem(t reflect.Type) reflect.Type {
	f, _ := t.FieldByName("Value")
	return f.Type
}
