package ingest

import (
	"bytes"
	"slices"

	"sett/internal/ingest/event"
	"sett/internal/ingest/repair"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/scan"
)

// Readers of all protocols are strict, which is fast. What they refuse is made readable here, in one place, and read once more; an event that was
// read so carries sentences about what was repaired. Only what still has no content is refused, with the first error.

// readable returns what can be read of a body, or a part of one, that was refused with an error, and notes on all that was repaired in the request by then. ok is
// false if nothing can be, or nothing was refused.
func (m *memory) readable(body []byte, refused error) (doc []byte, notes repair.Notes, ok bool) {
	if !repairable(body, refused) {
		return nil, nil, false
	}
	if m.hold != nil && m.hold(2*len(body)) != nil {
		return nil, nil, false
	}
	doc, notes, ok = repair.JSON(body, m.contentType, repair.Bounds{Depth: scan.MaxDepth - 1, Keys: scan.MaxKeys - 1, Most: max(event.MaxNotice, 2*len(body))})
	return doc, slices.Concat(m.notes, notes), ok
}

// readAgain reads a body once as it is, and once repaired, if that says something; a nil says: it always does. notes are on what was repaired in the
// request by then. The error is the first one.
func readAgain[T any](m *memory, body []byte, read func([]byte) (T, error), says func(T) bool) (found T, notes repair.Notes, err error) {
	found, err = read(body)
	if doc, notes, ok := m.readable(body, err); ok {
		if again, fails := read(doc); fails == nil && (says == nil || says(again)) {
			return again, notes, nil
		}
	}
	return found, m.notes, err
}

// repairable reports whether a body may have been refused for how it is written, and not for what it says.
func repairable(body []byte, refused error) bool {
	switch sett.CodeOf(refused) {
	case sett.Malformed, sett.Invalid:
		return true
	case sett.TooLarge:
		return repair.IsWide(body)
	default:
		return false
	}
}

// legible returns a body whose first byte must be one of an object, an array or base64, as text in UTF-8.
func (m *memory) legible(body []byte) []byte {
	if len(body) < 2 || (body[0] == '{' || body[0] == '[') && body[1] != 0 {
		return body
	}
	if text := repair.Text(body, m.contentType, &m.notes); !bytes.Equal(body, []byte(text)) {
		return []byte(text)
	}
	return body
}

// withNotes returns a notice of the contract with what was repaired in the request, unless it would be too long.
func withNotes(doc []byte, notes repair.Notes) []byte {
	if noted := repair.Noted(doc, notes); len(noted) <= event.MaxNotice {
		return noted
	}
	return doc
}

// says reports whether a report that was made of a repaired notice has content at all.
func says(r *faults.Report) bool {
	sent := r.Former // Class and Message are what sett calls it, which is never nothing
	return sent.Class+sent.Message+sent.Fingerprint != "" || r.BacktraceEnd > r.BacktraceStart
}
