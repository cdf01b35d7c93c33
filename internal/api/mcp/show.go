package mcp

import (
	"encoding/json"
	"regexp"
	"time"

	"sett/internal/base/fence"
)

// object is something that a route of /v2 answered. Every text in it is shown between marks, whatever it is; only numbers, times and ids are not.
type object map[string]any

// list is what a route of /v2 answered with a list.
type list struct {
	Results []object `json:"results"`
	Total   *int64   `json:"total"`
}

// field is a member of an object that is shown, and how many bytes of it.
type field struct {
	name fence.Words
	most int
}

// fields are members with the same bound.
func fields(most int, names ...fence.Words) (all []field) {
	for _, name := range names {
		all = append(all, field{name, most})
	}
	return all
}

// show writes members of an object, one to a line, and leaves out what is missing or empty.
func show(w *fence.Writer, o object, by fence.Origin, shown ...field) {
	for _, f := range shown {
		v, ok := o[string(f.name)]
		if !ok || v == nil || v == "" || isEmpty(v) {
			continue
		}
		w.Say("- %: ", fence.Known(f.name))
		value(w, f.name, v, by, f.most)
		w.Say("\n")
	}
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// ids are the forms of ids that sett makes, or takes from clients in no other form.
var ids = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// value writes one value.
func value(w *fence.Writer, name fence.Words, v any, by fence.Origin, most int) {
	switch v := v.(type) {
	case bool:
		w.Say("%", fence.Is(v))
	case float64:
		if v == float64(int64(v)) {
			w.Say("%", fence.Count(int64(v)))
			return
		}
		w.Say("%", fence.Number(v))
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			w.Say("%", fence.At(at))
			return
		}
		if ids.MatchString(v) {
			w.Say("%", fence.Known(fence.Words(ids.FindString(v))))
			return
		}
		w.Quote(name, by, v, most)
	default:
		text, err := json.Marshal(v)
		if err == nil {
			w.Quote(name, by, string(text), most)
		}
	}
}

// number returns a member that is a number; 0 for none.
func (o object) number(name string) int64 {
	n, _ := o[name].(float64)
	return int64(n)
}

// word returns a member that is a text; "" for none.
func (o object) word(name string) string {
	text, _ := o[name].(string)
	return text
}

// inside returns a member that is an object.
func (o object) inside(name string) object {
	inside, _ := o[name].(map[string]any)
	return inside
}

// many returns a member that is a list of objects.
func (o object) many(name string) (all []object) {
	found, _ := o[name].([]any)
	for _, v := range found {
		if one, ok := v.(map[string]any); ok {
			all = append(all, one)
		}
	}
	return all
}
