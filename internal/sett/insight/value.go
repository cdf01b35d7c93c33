package insight

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Kind is what a Value is.
type Kind int

// The kinds of values.
const (
	Absent Kind = iota // also null
	Text
	Number
	Bool
	List   // an array, or an object that is nested too deeply
	Moment // a time in an answer: Num is in microseconds
)

// Value is the value of a field, or of a column of a result.
type Value struct {
	Kind Kind
	Text string // of a text: itself; of others their JSON
	Num  float64
}

// TextField returns a field with a text.
func TextField(key, text string) Field { return Field{CleanKey(key), QuoteText(text)} }

// NumberField returns a field with a number.
func NumberField(key string, n float64) Field { return Field{CleanKey(key), formatNumber(n)} }

// CleanKey returns a key as it is stored: without control characters, and not too long.
func CleanKey(key string) string {
	clean := func(r rune) bool { return r < ' ' || r == 0x7f || r == utf8.RuneError }
	if len(key) <= MaxKey && !strings.ContainsFunc(key, clean) {
		return key
	}
	key = strings.Map(func(r rune) rune {
		if clean(r) {
			return '_'
		}
		return r
	}, key)
	return cutText(key, MaxKey)
}

// cutText returns at most so many bytes of a text, cut between runes.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// QuoteText returns a text as the value of a field. What is too long is cut.
func QuoteText(text string) string {
	text = cutText(strings.ToValidUTF8(text, "\uFFFD"), MaxText)
	quoted, err := jsontext.AppendQuote(make([]byte, 0, len(text)+2), text)
	if err != nil {
		return `""` // which valid UTF-8 cannot cause
	}
	return string(quoted)
}

// CleanNumber returns a JSON number as the value of a field: whole numbers as they are, others in the shortest form.
func CleanNumber(json string) string {
	if len(json) > MaxKey {
		return QuoteText(json)
	}
	if !strings.ContainsAny(json, ".eE") && json != "-0" {
		return json
	}
	n, err := strconv.ParseFloat(json, 64)
	if err != nil || math.IsInf(n, 0) {
		return QuoteText(json)
	}
	return formatNumber(n)
}

func formatNumber(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "null"
	}
	if a := math.Abs(n); a != 0 && (a < 1e-6 || a >= 1e21) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n+0, 'f', -1, 64)
}

// ReadValue returns the value of a field.
func ReadValue(stored string) Value {
	if stored == "" {
		return Value{}
	}
	switch stored[0] {
	case '"':
		if !strings.Contains(stored, `\`) && len(stored) >= 2 {
			return Value{Kind: Text, Text: stored[1 : len(stored)-1]}
		}
		text, _ := jsontext.AppendUnquote(nil, stored)
		return Value{Kind: Text, Text: string(text)}
	case 't', 'f':
		return Value{Kind: Bool, Text: stored}
	case 'n':
		return Value{}
	case '[', '{':
		return Value{Kind: List, Text: stored}
	}
	n, err := strconv.ParseFloat(stored, 64)
	if err != nil {
		return Value{Kind: Text, Text: stored}
	}
	return Value{Kind: Number, Text: stored, Num: n}
}

// NumberValue returns the value of a number.
func NumberValue(n float64) Value { return Value{Kind: Number, Text: formatNumber(n), Num: n} }

// number returns the number that a value is, or that its text reads as.
func (v Value) number() (n float64, ok bool) {
	switch v.Kind {
	case Number:
		return v.Num, true
	case Text:
		if v.Text == "" || v.Text[0] > '9' {
			return 0, false
		}
		n, err := strconv.ParseFloat(v.Text, 64)
		return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
	}
	return 0, false
}

// texts calls yield with the texts by which a value is found: of a list those of its elements.
func (v Value) texts(yield func(text string)) {
	if v.Kind != List {
		yield(v.Text)
		return
	}
	var elements []any
	if json.Unmarshal([]byte(v.Text), &elements) != nil {
		yield(v.Text)
		return
	}
	for _, e := range elements {
		switch e := e.(type) {
		case string:
			yield(e)
		case float64:
			yield(formatNumber(e))
		case bool:
			yield(strconv.FormatBool(e))
		}
	}
}

// ranks are the order of kinds.
var ranks = [...]int{Number: 0, Moment: 1, Bool: 2, Text: 3, List: 4, Absent: 5}

// Compare orders values: numbers by size and before texts, and what is absent last.
func Compare(a, b Value) int {
	if a.Kind != b.Kind {
		return cmp.Compare(ranks[a.Kind], ranks[b.Kind])
	}
	if a.Kind == Number || a.Kind == Moment {
		return cmp.Compare(a.Num, b.Num)
	}
	return strings.Compare(a.Text, b.Text)
}

// MarshalJSON returns the value as JSON.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.Kind {
	case Absent:
		return []byte("null"), nil
	case Text, Moment:
		return json.Marshal(v.Text)
	default:
		return []byte(v.Text), nil
	}
}
