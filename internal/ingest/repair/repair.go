// Package repair makes bodies readable that strict readers refuse. It takes a body as it was sent, with what its headers say, and returns
// JSON in UTF-8 with all that could be read, and sentences that say what was repaired. It never looks at what the JSON means. Callers use
// it only for bodies that a strict reader has refused.
package repair

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The sentences about a body. Those about a charset name it.
const (
	NotCompressed = "The body was not compressed as its Content-Encoding says."
	CutCompressed = "The compressed body was cut off or damaged: what came before is kept."
	Mark          = "The body began with a byte order mark, which is left out."
	Blank         = "The body began with blank lines, which are left out."
	NotUTF8       = "Bytes that are no valid UTF-8 are replaced by �."
	NotFinite     = "NaN and Infinity, which JSON does not have, are kept as texts."
	Control       = "Control characters in texts, which JSON does not allow, are escaped."
	Cut           = "The JSON was cut off: what came before is kept."
	Rest          = "What follows the JSON is left out."
	Malformed     = "The JSON was not valid: it is read as far as possible."
	Deep          = "Values that are nested too deeply are replaced by …"
	Many          = "Members beyond those that are read are left out."
)

// mostNotes is how many sentences there are about one body.
const mostNotes = 8

// Notes are the sentences about one body, each once. The zero value has none.
type Notes []string

// Add adds sentences that are not there.
func (n *Notes) Add(sentences ...string) {
	for _, s := range sentences {
		if !slices.Contains(*n, s) && len(*n) < mostNotes {
			*n = append(*n, s)
		}
	}
}

// Bounds are what readers take.
type Bounds struct {
	Depth int // levels of arrays and objects
	Keys  int // keys of all objects together
	Most  int // bytes
}

// widths are how many members of an object and elements of an array are written: fewer where there are more keys than may be.
var widths = []int{math.MaxInt, 1_000, 100, 10}

// JSON returns what can be read of a body as JSON, and what was repaired. ok is false if there is nothing of an object or array in it.
func JSON(body []byte, contentType string, b Bounds) (doc []byte, notes Notes, ok bool) {
	var ofText Notes
	text := Text(body, contentType, &ofText)
	for _, wide := range widths {
		notes = slices.Clone(ofText)
		m := writer{text: text, out: doc[:0], most: b.Most, depth: b.Depth, wide: wide, notes: &notes}
		m.skip()
		if c := m.peek(); c != '{' && c != '[' {
			return nil, nil, false
		}
		m.value()
		if m.skip(); !m.ended() {
			notes.Add(Rest)
		}
		if doc = m.out; m.keys <= b.Keys {
			return doc, notes, true
		}
	}
	return nil, nil, false
}

// Trimmed returns a body without what comes before its first line: a byte order mark, and blank lines.
func Trimmed(body []byte, notes *Notes) []byte {
	rest, marked := bytes.CutPrefix(body, []byte("\uFEFF"))
	if marked {
		notes.Add(Mark)
	}
	trimmed := bytes.TrimLeft(rest, " \t\r\n")
	if len(trimmed) < len(rest) {
		notes.Add(Blank)
	}
	return trimmed
}

// Noted returns a JSON object with the sentences as its first member, repairs. It returns the object as it is where there are none, or where it is
// not an object.
func Noted(object []byte, notes Notes) []byte {
	if len(notes) == 0 {
		return object
	}
	inside, ok := bytes.CutPrefix(bytes.TrimLeft(object, " \t\r\n"), []byte("{"))
	if !ok {
		return object
	}
	out := slices.Grow([]byte(`{"repairs":[`), len(inside)+100*len(notes))
	for i, note := range notes {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, note) // the error is about what is not UTF-8
	}
	if out = append(out, ']'); !bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte("}")) {
		out = append(out, ',')
	}
	return append(out, inside...)
}

// valid returns text with each run of bytes that are no UTF-8 replaced by U+FFFD.
func valid(text []byte, notes *Notes) string {
	if utf8.Valid(text) {
		return string(text)
	}
	notes.Add(NotUTF8)
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
