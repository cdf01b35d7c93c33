package ingest

import (
	"math/bits"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sett/internal/sett"
)

// The shape that a payload may have. Both bounds are far above what clients send; they keep a hostile payload from
// costing more to read than to send.
const (
	maxDepth = 64     // arrays and objects inside one another
	maxKeys  = 10_000 // keys of all objects together
)

// scanner walks one JSON document (RFC 8259) from front to back and checks all of it on the way; what the caller does
// not ask for is only checked. The first error stays in err and ends every loop, so that callers look at it once. The
// document must be valid UTF-8.
//
// It exists because decoding is the dearest step of intake. With the tokens of jsontext in its place all of parsing took
// 1.6 times as long and allocated four times as much, without bounds on depth and keys (8 KiB, November 2026; see
// BenchmarkParse).
type scanner struct {
	doc   string
	pos   int
	depth int
	keys  int
	err   error
}

// members calls yield with each key of the object that comes next; the loop's body must consume the key's value. A
// value that is no object has no members and is passed over.
func (s *scanner) members(yield func(key string) bool) {
	if s.peek() != '{' {
		s.value()
		return
	}
	s.enter()
	for first := true; s.more('}', first); first = false {
		if s.peek() != '"' {
			s.fail("a key in double quotes")
			return
		}
		key := s.text()
		if s.keys++; s.keys > maxKeys {
			s.refuse(sett.Errorf(sett.Invalid, "The notice has more than %d keys. Send less data with it.", maxKeys))
		}
		s.expect(':')
		if s.err != nil || !yield(key) {
			return
		}
	}
}

// elements calls yield before each element of the array that comes next; the loop's body must consume the element. A
// value that is no array has no elements and is passed over.
func (s *scanner) elements(yield func() bool) {
	if s.peek() != '[' {
		s.value()
		return
	}
	s.enter()
	for first := true; s.more(']', first); first = false {
		if !yield() {
			return
		}
	}
}

// value passes over any value and returns its JSON.
func (s *scanner) value() string {
	c := s.peek()
	start := s.pos
	switch {
	case c == '"':
		s.quoted()
	case c == '{':
		for range s.members {
			s.value()
		}
	case c == '[':
		for range s.elements {
			s.value()
		}
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	case c == 't':
		s.literal("true")
	case c == 'f':
		s.literal("false")
	case c == 'n':
		s.literal("null")
	default:
		s.fail("a value")
	}
	if s.err != nil {
		return ""
	}
	return s.doc[start:s.pos]
}

// text returns a string's text, "" for null, and any other value's JSON. A NUL, which PostgreSQL cannot store, and
// half a surrogate pair, which JavaScript leaves when it cuts an emoji, become U+FFFD.
func (s *scanner) text() string {
	if s.peek() != '"' {
		if v := s.value(); v != "null" {
			return v
		}
		return ""
	}
	start := s.pos
	escaped := s.quoted()
	switch {
	case s.err != nil:
		return ""
	case escaped:
		return unquote(s.doc[start:s.pos])
	default:
		return s.doc[start+1 : s.pos-1]
	}
}

func unquote(quoted string) string {
	text, _ := jsontext.AppendUnquote(nil, quoted) // checked before; the error only tells of half a surrogate pair
	return strings.ReplaceAll(string(text), "\x00", "\uFFFD")
}

// end checks that nothing follows the document.
func (s *scanner) end() error {
	if c := s.peek(); c != 0 || s.pos < len(s.doc) {
		s.fail("the end")
	}
	return s.err
}

// quoted passes over a string and reports whether it has escapes.
func (s *scanner) quoted() (escaped bool) {
	s.pos++
	for {
		s.pos += plainPrefix(s.doc[s.pos:])
		switch {
		case s.pos >= len(s.doc):
			s.fail("the rest of a text")
			return escaped
		case s.doc[s.pos] == '"':
			s.pos++
			return escaped
		case s.doc[s.pos] != '\\':
			s.fail("an escape such as \\n in place of a control character")
			return escaped
		}
		escaped = true
		if s.escape(); s.err != nil {
			return escaped
		}
	}
}

// plainPrefix returns how many bytes of text come before the first quote, backslash or control character. It looks at
// eight bytes at a time: of the usual tests for a byte that is zero or less than n, the lowest byte that is flagged is
// always right (Mycroft 1987; Anderson, Bit Twiddling Hacks). Flipping bit 1 makes a quote 0x20 and leaves control
// characters below it, so that one test finds both.
func plainPrefix(text string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		flipped, backslash := x^0x02*ones, x^'\\'*ones
		if stops := ((flipped-0x21*ones)&^flipped | (backslash-ones)&^backslash) & tops; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}

// escape passes over one escape sequence (RFC 8259 §7).
func (s *scanner) escape() {
	s.pos++
	switch s.at() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
	case 'u':
		s.pos++
		for range 4 {
			if c := s.at(); (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
				s.fail("four hexadecimal digits")
				return
			}
			s.pos++
		}
	default:
		s.fail("one of the escapes of JSON")
	}
}

// number passes over a number (RFC 8259 §6) of any size.
func (s *scanner) number() {
	if s.at() == '-' {
		s.pos++
	}
	if s.at() == '0' {
		s.pos++
	} else {
		s.digits()
	}
	if s.at() == '.' {
		s.pos++
		s.digits()
	}
	if s.at()|0x20 == 'e' {
		s.pos++
		if c := s.at(); c == '+' || c == '-' {
			s.pos++
		}
		s.digits()
	}
}

func (s *scanner) digits() {
	start := s.pos
	for c := s.at(); '0' <= c && c <= '9'; c = s.at() {
		s.pos++
	}
	if s.pos == start {
		s.fail("a digit")
	}
}

func (s *scanner) literal(word string) {
	if !strings.HasPrefix(s.doc[s.pos:], word) {
		s.fail("a value")
		return
	}
	s.pos += len(word)
}

// enter steps into an object or array.
func (s *scanner) enter() {
	s.pos++
	if s.depth++; s.depth > maxDepth {
		s.refuse(sett.Errorf(sett.Invalid, "The notice is nested more than %d levels deep. Send flatter data with it.", maxDepth))
	}
}

// more steps to the next member or element, over the comma, or out of the object or array that closes with the given
// character.
func (s *scanner) more(closing byte, first bool) bool {
	switch c := s.peek(); {
	case s.err != nil:
		return false
	case c == closing:
		s.pos++
		s.depth--
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		return true
	default:
		s.fail("a comma or " + string(rune(closing)))
		return false
	}
}

func (s *scanner) expect(c byte) {
	if s.peek() != c {
		s.fail(string(rune(c)))
		return
	}
	s.pos++
}

// peek returns the first byte of what comes next, after white space; 0 at the end and after an error.
func (s *scanner) peek() byte {
	if c := s.at(); c > ' ' {
		return c
	}
	return s.skipSpace()
}

func (s *scanner) skipSpace() byte {
	for c := s.at(); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = s.at() {
		s.pos++
	}
	return s.at()
}

func (s *scanner) at() byte {
	if s.pos < len(s.doc) {
		return s.doc[s.pos]
	}
	return 0
}

// fail notes that the document is no JSON at the current byte, counted from 1.
func (s *scanner) fail(expected string) {
	if s.pos >= len(s.doc) {
		s.refuse(sett.Errorf(sett.Malformed, "The JSON is cut off after %d bytes: %s was expected next. Send the whole document.", len(s.doc), expected))
		return
	}
	s.refuse(sett.Errorf(sett.Malformed, "The body is not valid JSON: at byte %d %s was expected.", s.pos+1, expected))
}

// refuse keeps the first error and lets everything that follows see an empty document.
func (s *scanner) refuse(err error) {
	if s.err == nil {
		s.err = err
	}
	s.doc, s.pos = "", 0
}
