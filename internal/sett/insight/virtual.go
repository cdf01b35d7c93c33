package insight

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// The names that begin with @.
const (
	atTime    = "@ts"
	atPreview = "@preview"
	atFill    = "@fill"
)

// virtualField is a field that every event has.
type virtualField struct {
	about  string
	always bool // also behind stats
	of     func(e *env) Value
}

var virtualFields = map[string]virtualField{
	atTime:            {"when the event occurred", false, func(e *env) Value { return momentValue(e.f.At[e.row]) }},
	atPreview:         {"the event as JSON", false, func(e *env) Value { return Value{Kind: Text, Text: cutText(e.preview(), maxPreview)} }},
	"@id":             {"an id that follows from the time and the fields of the event", false, idOf},
	"@received_ts":    {"when the event was received: sett takes `@ts` for it", false, func(e *env) Value { return momentValue(e.f.At[e.row]) }},
	"@stream.id":      {"the id of the stream of the event", false, func(e *env) Value { return textValue(e.f.Stream.ID(e.project)) }},
	"@stream.name":    {"`Default` for what clients sent, `Internal` for what sett recorded", false, func(e *env) Value { return textValue(e.f.Stream.Name()) }},
	"@size":           {"bytes of the event as JSON", false, func(e *env) Value { return NumberValue(float64(len(e.preview()))) }},
	"@query.start_at": {"the start of the time of the query", true, func(e *env) Value { return momentValue(e.from) }},
	"@query.end_at":   {"the end of that time", true, func(e *env) Value { return momentValue(e.to) }},
	atFill:            {"true in rows that `fill` has added", true, func(*env) Value { return boolValue(false) }},
}

// maxPreview is how many bytes of an event a calculation gets.
const maxPreview = 128 << 10

func virtualNames() (names []string) {
	for name := range virtualFields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// virtual remembers that a query asks for a field with @.
func (p *parser) virtual(name string) {
	if !slices.Contains(p.virtuals, name) {
		p.virtuals = append(p.virtuals, name)
	}
}

// virtualExpr returns the expression of a field with @. Where events were made rows already, it is a column of theirs.
func virtualExpr(name string, at int) *expr {
	of := virtualFields[name].of
	return &expr{at: at, name: name, size: 1, rowly: true, loose: name == atFill, calc: func(e *env, _ []Value) Value {
		if e.f.made {
			if c, err := e.f.Column(name); err == nil && c != nil {
				return c.at(e.row)
			}
		}
		return of(e)
	}}
}

// preview returns the event of the row as JSON.
func (e *env) preview() string {
	event, err := e.f.Event(e.row, nil)
	if err != nil {
		if e.err == nil {
			e.err = err
		}
		return ""
	}
	text := event.preview()
	e.work += len(text)
	return text
}

func idOf(e *env) Value {
	sum := sha256.Sum256([]byte(strconv.FormatInt(e.f.At[e.row], 10) + e.preview()))
	return textValue(hex.EncodeToString(sum[:8]))
}
