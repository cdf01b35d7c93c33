// Package ndjson reads structured events as clients of Honeybadger send them: JSON objects, one a line. In comes the body of a request,
// without its compression; out come events, and what is wrong with those that are none. It is pure, and one line that cannot be read
// costs no other.
package ndjson

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"sett/internal/ingest/scan"
	"sett/internal/insight"
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
		if at, ok := readTime(insight.ReadValue(f.Value)); ok && Plausible(at, now) {
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

// layouts are the forms in which clients write times.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 MST", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// readTime reads a time as text, or as seconds or milliseconds since 1970.
func readTime(v insight.Value) (time.Time, bool) {
	if v.Kind == insight.Number {
		return ofSeconds(v.Num)
	}
	if v.Kind != insight.Text {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, v.Text); err == nil {
			return at, true
		}
	}
	if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
		return ofSeconds(n)
	}
	return time.Time{}, false
}

// ofSeconds returns the time that a number says, in seconds or milliseconds since 1970.
func ofSeconds(n float64) (time.Time, bool) {
	const mostSeconds = 1e11 // the year 5138; as milliseconds, 1973
	if n >= mostSeconds {
		n /= 1000
	}
	if !(n > 0 && n < mostSeconds) {
		return time.Time{}, false
	}
	whole, rest := math.Modf(n)
	return time.Unix(int64(whole), int64(rest*1e9)).UTC(), true
}
