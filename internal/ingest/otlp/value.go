package otlp

import (
	"strings"

	"sett/internal/ingest/notice"
)

// value is the value of an attribute.
type value struct {
	text string      // of a text; of other values their JSON
	json notice.JSON // "" for a text
}

func textValue(text string) value      { return value{text: clean(text)} }
func jsonValue(json notice.JSON) value { return value{text: string(json), json: json} }
func (v value) empty() bool            { return v.text == "" || v.json == "null" }
func (v value) asJSON() notice.JSON    { return firstJSON(v.json, notice.Text(v.text)) }
func clean(text string) string         { return strings.ToValidUTF8(text, "\uFFFD") }
func firstJSON(a, b notice.JSON) notice.JSON {
	if a != "" {
		return a
	}
	return b
}

// attribute is one attribute; a key may come more than once, and the first counts.
type attribute struct {
	key   string
	value value
}

type attributes []attribute

// add appends an attribute, if there is room for it.
func (a *attributes) add(key string, v value) {
	if len(*a) < maxAttributes && !v.empty() {
		*a = append(*a, attribute{key, v})
	}
}

// text returns the text of the first attribute there is of some keys, or "".
func (a attributes) text(keys ...string) string {
	for _, key := range keys {
		for i := range a {
			if a[i].key == key {
				return a[i].value.text
			}
		}
	}
	return ""
}

// exception reports whether the attributes describe one.
func (a attributes) exception() bool {
	return a.text("exception.type", "exception.message", "exception.stacktrace") != ""
}

// longestValue is how many bytes of JSON an attribute may have to be shown, and mostValues how many all of them.
const (
	longestValue = 16 << 10
	mostValues   = 64 << 10
)

// members returns the attributes as members of an object, without those that leave says, and as many as there is room for.
func (a attributes) members(leave func(key string) bool) (members []notice.Member) {
	room := mostValues
	for _, at := range a {
		if leave(at.key) || len(at.value.text) > longestValue {
			continue
		}
		json := at.value.asJSON()
		if room -= len(json) + len(at.key); room < 0 {
			return members
		}
		members = append(members, notice.Member{Key: at.key, Value: json})
	}
	return members
}
