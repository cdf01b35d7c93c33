// Package ndjson reads structured events as clients of Honeybadger send them: JSON objects, one a line. In comes the body of a request,
// without its compression; out come events, and what is wrong with those that are none. It is pure, and one line that cannot be read
// costs no other.
package ndjson

import (
	"encoding/json"
	"strings"
	"time"

	"sett/internal/ingest/scan"
	"sett/internal/insight"
	"sett/internal/moment"
	"sett/internal/sett"
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

// Read returns the events of a body, in their order. now is the time of those that have none. Errors of lines are Malformed, Invalid or
// TooLarge; the error of the body is TooLarge, for one with too many events.
func Read(body string, now time.Time) (lines []Line, err error) {
	first := true
	for text := range strings.SplitSeq(body, "\n") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		next := read(text, now)
		if first && next.Err != nil && json.Valid([]byte(body)) { // one document that has several lines, or a list
			return document(body, now)
		}
		first = false
		if len(lines) == MaxEvents {
			return nil, errMany()
		}
		lines = append(lines, next)
	}
	return lines, nil
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
	s := scan.New(strings.ToValidUTF8(text, "\uFFFD"))
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
