package sett

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"sett/internal/base/moment"
)

// Optional is one field of a request body that may be absent. A change applies a field only when it was Sent; null is
// sent too, and resets the field, as does an empty string where the field is no text. Numbers may be sent as text. A value of the wrong type is not an error while decoding: it is kept as Bad, so that
// all wrong fields of a body can be named at once (see Problems.Check).
type Optional[T any] struct {
	Sent  bool
	Null  bool
	Value T
	Bad   string // why the value could not be read, such as "must be a boolean"; "" when it could
}

// Some returns an Optional that was sent with the value v.
func Some[T any](v T) Optional[T] { return Optional[T]{Sent: true, Value: v} }

// UnmarshalJSON notes that the field was sent and reads its value. It never fails.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	*o = Optional[T]{Sent: true}
	if string(data) == "null" || reflect.TypeFor[T]().Kind() != reflect.String && isBlankText(data) {
		o.Null = true
		return nil
	}
	if moment.Unmarshal(data, &o.Value) != nil && !readNumbers(data, &o.Value) {
		var zero T
		o.Value = zero
		o.Bad = "must be " + describeType(reflect.TypeFor[T]())
	}
	return nil
}

// Blank reports whether null or an empty text was sent.
func (o Optional[T]) Blank() bool {
	v := reflect.ValueOf(&o.Value).Elem()
	return o.Null || o.Sent && o.Bad == "" && v.Kind() == reflect.String && v.Len() == 0
}

// Filled reports whether something was sent that is neither null nor an empty text.
func (o Optional[T]) Filled() bool { return o.Sent && !o.Blank() }

// isBlankText reports whether a JSON value is a string without visible characters.
func isBlankText(data []byte) bool {
	var text string
	return data[0] == '"' && json.Unmarshal(data, &text) == nil && strings.TrimSpace(text) == ""
}

// readNumbers reads numbers, or an array of them, that are sent as text, and texts that are sent as numbers, as they are written; ok is false
// when v is of another type, or when they are none.
func readNumbers(data []byte, v any) (ok bool) {
	if text := reflect.ValueOf(v).Elem(); text.Kind() == reflect.String {
		var number json.Number
		err := json.Unmarshal(data, &number)
		text.SetString(number.String())
		return err == nil && data[0] != '"'
	}
	switch v := v.(type) {
	case *[]string:
		var texts []Optional[string]
		if json.Unmarshal(data, &texts) != nil {
			return false
		}
		*v = make([]string, len(texts))
		for i, text := range texts {
			if (*v)[i] = text.Value; text.Null || text.Bad != "" {
				return false
			}
		}
		return true
	case *int64, *float64:
		var text json.Number // which takes a number in quotes
		return json.Unmarshal(data, &text) == nil && json.Unmarshal([]byte(text), v) == nil
	case *[]int64:
		var texts []json.Number
		if json.Unmarshal(data, &texts) != nil {
			return false
		}
		*v = make([]int64, len(texts))
		for i, text := range texts {
			if json.Unmarshal([]byte(text), &(*v)[i]) != nil {
				return false
			}
		}
		return true
	}
	return false
}

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Sent || o.Null {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// IsZero reports whether the field was absent, for the json option omitzero.
func (o Optional[T]) IsZero() bool { return !o.Sent }

// Or returns the value, or fallback when none was sent.
func (o Optional[T]) Or(fallback T) T {
	if !o.Sent || o.Null {
		return fallback
	}
	return o.Value
}

func describeType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "an integer"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return describeArray(t.Elem())
	default:
		return "an object"
	}
}

func describeArray(elem reflect.Type) string {
	switch elem.Kind() {
	case reflect.Int64:
		return "an array of integers"
	case reflect.String:
		return "an array of strings"
	case reflect.Struct:
		return "an array of objects, each member of the right type"
	default:
		return "an array"
	}
}

// Problems collects what is wrong with a request, field by field.
type Problems []string

// Add notes that field has a problem, such as Add("name", "can't be blank").
func (p *Problems) Add(field, format string, args ...any) {
	*p = append(*p, field+" "+fmt.Sprintf(format, args...))
}

// mostUnknown is how many unknown keys UnknownKeys returns.
const mostUnknown = 3

// UnknownKeys returns the first keys of an object, by name, that are not known, so that
// misspelled keys are refused and not ignored.
func UnknownKeys(object []byte, known []string) (unknown []string) {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(object, &all) // it was read as an object before
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(known, name) && len(unknown) < mostUnknown {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Check notes that the field could not be read, if so, and reports whether it was sent with a value that can be used.
func Check[T any](p *Problems, field string, o Optional[T]) bool {
	if o.Bad != "" {
		p.Add(field, "%s", o.Bad)
	}
	return o.Sent && !o.Null && o.Bad == ""
}

// CheckSent notes that the field could not be read or was not sent at all; needs is what it must be, such as "an integer".
func CheckSent[T any](p *Problems, field string, o Optional[T], needs string) {
	if !Check(p, field, o) && o.Bad == "" {
		p.Add(field, "must be %s", needs)
	}
}

// Err returns an Invalid error that names every problem as a command line does, without a capital and a full stop; nil
// when there is none.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return Errorf(Invalid, "%s", strings.Join(p, "; "))
}

// Refusal returns an Invalid error that names every problem in one sentence, as the interfaces answer; nil when there is
// none.
func (p Problems) Refusal() error {
	if len(p) == 0 {
		return nil
	}
	return &refusal{Errorf(Invalid, "Please correct: %s.", strings.Join(p, "; ")), p}
}

// refusal is an Error that remembers which fields it is about.
type refusal struct {
	err      *Error
	problems Problems
}

func (r *refusal) Error() string { return r.err.Message }

func (r *refusal) Unwrap() error { return r.err }

// ProblemsOf returns what the refusal in an error's chain says of each field, for forms that say it there; nil for none.
func ProblemsOf(err error) Problems {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.problems
	}
	return nil
}

// Refuse returns the refusal of one field, such as Refuse("name", "can't be blank").
func Refuse(field, format string, args ...any) error {
	var p Problems
	p.Add(field, format, args...)
	return p.Refusal()
}

// LenientBool is a boolean of a request body that clients also send as a string: "true", "false", "1" or "0", as
// Terraform's provider does (wire.md §1.6). The interface documents it as a boolean.
type LenientBool bool

// UnmarshalJSON reads either form. Anything else is an error, whose text Optional replaces.
func (b *LenientBool) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `true`, `"true"`, `"1"`:
		*b = true
	case `false`, `"false"`, `"0"`:
		*b = false
	default:
		return errors.New("no boolean")
	}
	return nil
}
