package fault

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/web"
)

// value is a named value that a client reported.
type value struct {
	Name, Text string
	Long       string  // the full text, "" if it fits in a line
	Lost       int64   // characters that are not shown
	Filtered   bool    // the client filtered it
	Path       string  // path of the page of the user that it names, or of the errors that have it too; ""
	Tree       *branch // what it contains; nil if it is a single value

	key string // as it was sent
	raw any
}

// Limits of values. The event's JSON has all of them.
const (
	mostValues   = 100
	mostMeta     = 20
	longestName  = 100
	longestText  = 160
	longestValue = 4000
	mostIndented = 12 // levels, as deeper ones are mostly spaces
)

// valuesOf returns the values of an object, sorted by name.
func valuesOf(object map[string]any) (values []value) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		values = append(values, newValue(name, object[name]))
	}
	return values
}

// linkUsersIn adds the pages of users to the values of an object, which are sorted by name.
func linkUsersIn(path string, object map[string]any, values []value) []value {
	for i, name := range slices.Sorted(maps.Keys(object)) {
		switch v := object[name].(type) {
		case map[string]any, []any, nil:
		default:
			if payload.NamesUser([]byte(path+name)) && !values[i].Filtered {
				values[i].Path = web.AffectedUser(payload.TextOf(v))
			}
		}
	}
	return values
}

func textsOf(texts map[string]string) (values []value) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		values = append(values, newValue(name, texts[name]))
	}
	return values
}

func newValue(name string, v any) value {
	text := show(v)
	one := value{Name: cut(orWord(name, "(no name)"), longestName), Text: cut(text, longestText), Filtered: strings.EqualFold(text, "[FILTERED]")}
	if one.Text != text || strings.Contains(text, "\n") {
		one.Text = cut(strings.Join(strings.Fields(cut(text, longestValue)), " "), longestText)
		one.Long = cut(text, longestValue)
		one.Lost = max(0, length(text)-longestValue)
	}
	one.key, one.raw = name, v
	return one
}

// show formats a value: text as it is, anything else as JSON.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	}
	text := plainJSON(v, "")
	if len(text) > longestText && len(text) <= longestValue && depth(v) <= mostIndented {
		return plainJSON(v, "  ")
	}
	return text
}

func plainJSON(v any, indent string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if enc.Encode(v) != nil { // it was read from JSON
		return "?"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// depth returns the nesting depth of a value.
func depth(v any) int {
	most := 0
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			most = max(most, depth(inner))
		}
	case []any:
		for _, inner := range v {
			most = max(most, depth(inner))
		}
	default:
		return 0
	}
	return most + 1
}
