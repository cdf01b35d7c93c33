// Package scan reads the JSON of clients. It takes one document of any shape and size, and returns the
// members, elements and texts that a caller asks for, or an error if it is not JSON or too deep. It
// never decodes what is not asked for, and knows no protocol.
package scan

import (
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"sett/internal/sett"
)

// The shape that a document may have. Both bounds are far above what clients send; they keep a hostile payload from
// costing more to read than to send.
const (
	MaxDepth = 64     // arrays and objects inside one another
	MaxKeys  = 10_000 // keys of all objects together
)

// Scanner walks one JSON document (RFC 8259) from front to back and checks all of it on the way; what the caller does
// not ask for is only checked. The first error stays in err and ends every loop, so that callers look at it once. The
// document must be valid UTF-8.
//
// It exists because decoding is the dearest step of intake. With the tokens of jsontext in its place all of parsing took
// 1.6 times as long and allocated four times as much, without bounds on depth and keys (8 KiB, November 2026; see
// BenchmarkParse).
type Scanner struct {
	doc   document
	pos   int
	depth int
	keys  int
	most  int // keys that there may be
	err   error
}

// New returns a Scanner at the start of a document.
func New(doc string) Scanner { return NewLong(doc, MaxKeys) }

// NewLong is New for a document that may have so many keys.
func NewLong(doc string, keys int) Scanner {
	if seen := watcher.Load(); seen != nil {
		(*seen)(doc)
	}
	return Scanner{doc: document(doc), most: keys}
}

// watcher is called with each document that is about to be walked; nil but in tests.
var watcher atomic.Pointer[func(doc string)]

// Watch calls seen with each document that is about to be walked, until stop is called. Tests count with it how often intake walks the same bytes.
func Watch(seen func(doc string)) (stop func()) {
	watcher.Store(&seen)
	return func() { watcher.Store(nil) }
}

// Err returns the first error, which ended the walk, or nil.
func (s *Scanner) Err() error { return s.err }

// Pos returns the offset of what comes next; 0 after an error.
func (s *Scanner) Pos() int { return s.pos }

// Rest returns what has not been walked yet.
func (s *Scanner) Rest() string { return string(s.doc[s.pos:]) }

// Depth returns how many arrays and objects are around what comes next.
func (s *Scanner) Depth() int { return s.depth }

// Keys returns how many keys were walked.
func (s *Scanner) Keys() int { return s.keys }

// Skip moves behind a value that comes next and has so many bytes and keys: it was walked before, at the same depth. It reports false, and does not
// move, if there may not be so many keys.
func (s *Scanner) Skip(bytes, keys int) bool {
	if s.keys+keys > s.most {
		return false
	}
	s.pos, s.keys = s.pos+bytes, s.keys+keys
	return true
}

// Members calls yield with each key of the object that comes next; the loop's body must consume the key's value. A value
// that is not an object has no members and is skipped.
func (s *Scanner) Members(yield func(key string) bool) {
	if s.Peek() != '{' {
		s.Value()
		return
	}
	s.enter()
	for first := true; s.more('}', first); first = false {
		if s.Peek() != '"' {
			s.fail(quotedKey)
			return
		}
		key := s.Text()
		s.oneMoreKey()
		if s.Peek() != ':' {
			s.fail(":")
			return
		}
		if s.pos++; !yield(key) {
			return
		}
	}
}

// Elements calls yield before each element of the array that comes next; the loop's body must consume the element. A value
// that is not an array has no elements and is skipped.
func (s *Scanner) Elements(yield func() bool) {
	if s.Peek() != '[' {
		s.Value()
		return
	}
	s.enter()
	for first := true; s.more(']', first); first = false {
		if !yield() {
			return
		}
	}
}

// Value skips any value and returns its JSON.
func (s *Scanner) Value() string {
	s.Peek()
	start := s.pos
	if end := s.pass(start); end >= 0 {
		s.pos = end
		return string(s.doc[start:end])
	}
	return ""
}

// Text returns a string's text, "" for null, and any other value's JSON. A NUL, which PostgreSQL cannot store, and
// half a surrogate pair, which JavaScript leaves when it cuts an emoji, become U+FFFD.
func (s *Scanner) Text() string {
	if s.Peek() != '"' {
		if v := s.Value(); v != "null" {
			return v
		}
		return ""
	}
	start := s.pos
	end, escaped := s.passText(start)
	if end < 0 {
		return ""
	}
	s.pos = end
	if escaped {
		return unquote(string(s.doc[start:end]))
	}
	return string(s.doc[start+1 : end-1])
}

func unquote(quoted string) string {
	text, _ := jsontext.AppendUnquote(nil, quoted) // checked before; the error is only about half of a surrogate pair
	return strings.ReplaceAll(string(text), "\x00", "\uFFFD")
}

// End checks that nothing follows the document.
func (s *Scanner) End() error {
	if c := s.Peek(); c != 0 || s.pos < len(s.doc) {
		s.fail("the end")
	}
	return s.err
}

// enter steps into an object or array.
func (s *Scanner) enter() {
	s.pos++
	s.deeper()
}

// more steps to the next member or element, over the comma, or out of the object or array that closes with the given
// character.
func (s *Scanner) more(closing byte, first bool) bool {
	switch c := s.Peek(); {
	case c == closing:
		s.pos++
		s.depth--
		return false
	case first:
		return s.err == nil
	case c == ',':
		s.pos++
		return true
	default:
		s.fail(commaOr(closing))
		return false
	}
}

// deeper counts an object or array that is entered, and reports whether it may be.
func (s *Scanner) deeper() bool {
	if s.depth++; s.depth > MaxDepth {
		s.refuse(sett.Errorf(sett.Invalid, "The data is nested more than %d levels deep. Send flatter data.", MaxDepth))
		return false
	}
	return true
}

// oneMoreKey counts a key, and reports whether it may be there.
func (s *Scanner) oneMoreKey() bool {
	if s.keys++; s.keys > s.most {
		s.refuse(sett.Errorf(sett.Invalid, "The data has more than %d keys. Send less data.", s.most))
		return false
	}
	return true
}

// Peek returns the first byte of what comes next, after white space; 0 at the end and after an error.
func (s *Scanner) Peek() byte {
	s.pos = s.doc.skipSpace(s.pos)
	return s.doc.at(s.pos)
}

// fail records that the document is not valid JSON at the current byte, counted from 1.
func (s *Scanner) fail(expected string) {
	if s.pos >= len(s.doc) {
		s.refuse(sett.Errorf(sett.Malformed, "The JSON is truncated after %d bytes: %s was expected next. Send the whole document.", len(s.doc), expected))
		return
	}
	s.refuse(sett.Errorf(sett.Malformed, "The body is not valid JSON: at byte %d %s was expected.", s.pos+1, expected))
}

// refuse keeps the first error and lets everything that follows see an empty document.
func (s *Scanner) refuse(err error) {
	if s.err == nil {
		s.err = err
	}
	s.doc, s.pos = "", 0
}
