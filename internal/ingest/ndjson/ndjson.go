// Package ndjson reads structured events as clients of Honeybadger send them: JSON objects, one a line. It takes the uncompressed body of a
// request, and returns events, and what is wrong with the lines that are none. It is pure. A line that cannot be read does not affect the
// others.
package ndjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/base/moment"
	"sett/internal/ingest/repair"
	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/sett/scan"
)

// The bounds of a body.
const (
	MaxEvents = 10_000
	MaxEvent  = 100 << 10 // bytes of one event, as JSON
)

// ahead is how far the time of an event may be ahead of the server's.
const ahead = time.Hour

// Line is one event, or why it is none.
type Line struct {
	insight.Event
	Bytes int // as JSON
	Err   error
}

// Read returns the events of a body, in their order. What of a line cannot be read as it is, is read as far as possible, with a note. now is the time of
// those that have none. Errors of lines are Malformed, Invalid or TooLarge; the error of the body is TooLarge, for one with too many events.
func Read(body []byte, contentType string, now time.Time) (lines []Line, err error) {
	text := string(body)
	var notes repair.Notes
	if !utf8.ValidString(text) || !strings.HasPrefix(text, "{") {
		text = repair.Text(body, contentType, &notes)
	}
	first := true
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		next := read(line, now)
		if first && next.Err != nil {
			if whole := asDocument(text, &notes); whole != "" { // one document that has several lines, or a list
				return noted(notes)(document(whole, now))
			}
		}
		first = false
		if len(lines) == MaxEvents {
			return nil, errMany()
		}
		lines = append(lines, repaired(next, line, now))
	}
	return noted(notes)(lines, nil)
}

// asDocument returns a body as one document, "" if it is none: repaired where it is no JSON, but all of it.
func asDocument(text string, notes *repair.Notes) string {
	if json.Valid([]byte(text)) {
		return text
	}
	if !strings.Contains(strings.TrimSpace(text), "\n") && !strings.HasPrefix(text, "[") {
		return "" // a line
	}
	doc, repairs, ok := repair.JSON([]byte(text), "", boundsOf(len(text)))
	if !ok || slices.Contains(repairs, repair.Rest) || slices.Contains(repairs, repair.Cut) {
		return ""
	}
	notes.Add(repairs...)
	return string(doc)
}

func boundsOf(length int) repair.Bounds {
	return repair.Bounds{Depth: scan.MaxDepth - 1, Keys: scan.MaxKeys - 1, Most: max(MaxEvent, 2*length)}
}

// repaired returns a line that was refused as far as it can be read, if that has any field.
func repaired(line Line, text string, now time.Time) Line {
	if code := sett.CodeOf(line.Err); code != sett.Malformed && code != sett.Invalid {
		return line
	}
	doc, notes, ok := repair.JSON([]byte(text), "", boundsOf(len(text)))
	if !ok {
		return line
	}
	again := read(string(doc), now)
	if again.Err != nil || len(again.Fields) == 0 {
		return line
	}
	again.Event = Noted(again.Event, notes)
	return again
}

// noted returns a function that notes on all lines what was repaired in their body.
func noted(notes repair.Notes) func([]Line, error) ([]Line, error) {
	return func(lines []Line, err error) ([]Line, error) {
		for i := range lines {
			lines[i].Event = Noted(lines[i].Event, notes)
		}
		return lines, err
	}
}

// KeyRepairs is the key of a text that says what of an event is not as it was sent.
const KeyRepairs = "sett.repairs"

// Noted returns an event with further sentences about what is not as it was sent.
func Noted(e insight.Event, notes []string) insight.Event {
	if len(notes) == 0 {
		return e
	}
	text := strings.Join(notes, " ")
	for i, f := range e.Fields {
		if f.Key == KeyRepairs {
			e.Fields[i] = insight.TextField(KeyRepairs, insight.ReadValue(f.Value).Text+" "+text)
			return e
		}
	}
	if len(e.Fields) < insight.MaxFields {
		e.Fields = append(e.Fields, insight.TextField(KeyRepairs, text))
	}
	return e
}

// Count returns how many events a body has at most, one a line.
func Count(body []byte) (n int) {
	for line := range bytes.Lines(body) {
		if len(bytes.TrimSpace(line)) > 0 {
			n++
		}
	}
	return n
}

func errMany() error {
	return sett.Errorf(sett.TooLarge, "The request has more than %d events. Send smaller batches.", MaxEvents)
}

// document reads a body that is one object, or an array of objects.
func document(body string, now time.Time) (lines []Line, err error) {
	if !strings.HasPrefix(strings.TrimSpace(body), "[") {
		return []Line{read(body, now)}, nil
	}
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		return nil, sett.Errorf(sett.Malformed, "The body is not valid JSON.")
	}
	if len(all) > MaxEvents {
		return nil, errMany()
	}
	for _, text := range all {
		lines = append(lines, read(string(text), now))
	}
	return lines, nil
}

// read reads one event.
func read(text string, now time.Time) Line {
	line := Line{Bytes: len(text)}
	if len(text) > MaxEvent {
		line.Err = sett.Errorf(sett.TooLarge, "The event has %d bytes. At most %d are accepted.", len(text), MaxEvent)
		return line
	}
	s := scan.New(text)
	if s.Peek() != '{' {
		line.Err = sett.Errorf(sett.Malformed, "An event must be a JSON object on one line.")
		return line
	}
	w := walk{scanner: &s}
	w.object("", 0)
	if line.Err = s.End(); line.Err == nil {
		line.Event = dated(w.fields, now)
	}
	return line
}

// dated returns an event with the time that its fields say, or now if they say none.
func dated(fields []insight.Field, now time.Time) insight.Event {
	for i, f := range fields {
		if f.Key != insight.KeyTime {
			continue
		}
		if at, ok := readTime(f.Value); ok && Plausible(at, now) {
			return insight.Event{At: insight.Micros(at), Fields: append(fields[:i:i], fields[i+1:]...)}
		}
		break
	}
	return insight.Event{At: insight.Micros(now), Fields: fields}
}

// Plausible reports whether an event can have a time: it is not older than events are kept, and not far ahead. Otherwise the time at which it was
// received counts.
func Plausible(at, now time.Time) bool {
	return at.After(now.Add(-insight.Keep)) && at.Before(now.Add(ahead))
}

// readTime reads a time as JSON.
func readTime(value string) (time.Time, bool) {
	text := scan.New(value)
	return moment.Read(text.Text())
}
