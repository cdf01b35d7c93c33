package sourcemap

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// scanner reads JSON from front to back and copies only what is asked for, so that a text takes no more memory than the values that are
// kept. It stops at the first error: all later calls return nothing.
type scanner struct {
	text []byte
	at   int
	err  error
}

// mostNested is how deep values may be nested that are skipped.
const mostNested = 1000

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = errorf("The source map is not valid JSON: %s at byte %d. Send the .map file that your bundler writes, unchanged", what, s.at)
	}
}

// peek returns the next byte that is not a blank; 0 at the end or after an error.
func (s *scanner) peek() byte {
	for s.err == nil && s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// take skips a byte if it is the next one.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.err != nil {
		return false
	}
	s.at++
	return true
}

func (s *scanner) expect(c byte) {
	if !s.take(c) {
		s.fail("expected " + strconv.QuoteRune(rune(c)))
	}
}

// null skips a null if it is next.
func (s *scanner) null() bool {
	if s.peek() != 'n' || !bytes.HasPrefix(s.text[s.at:], []byte("null")) {
		return false
	}
	s.at += len("null")
	return true
}

// members calls f for each member of an object, with its value next.
func (s *scanner) members(f func(key string)) {
	s.expect('{')
	for first := true; s.err == nil && !s.take('}'); first = false {
		if !first {
			s.expect(',')
		}
		key := s.unquoted()
		s.expect(':')
		if s.err == nil {
			f(key)
		}
	}
}

// elements calls f for each element of an array, with its value next. A null has no elements.
func (s *scanner) elements(f func()) {
	if s.null() {
		return
	}
	s.expect('[')
	for first := true; s.err == nil && !s.take(']'); first = false {
		if !first {
			s.expect(',')
		}
		if s.peek() == 0 {
			s.fail("the text ends in a list")
		}
		if s.err == nil {
			f()
		}
	}
}

// quoted returns the next string as it is written, with its quotes. It is part of the text.
func (s *scanner) quoted() []byte {
	if s.peek() != '"' {
		s.fail("expected a string")
		return nil
	}
	for end := s.at + 1; ; end++ {
		quote := bytes.IndexByte(s.text[end:], '"')
		if quote < 0 {
			s.fail("a string has no end")
			return nil
		}
		end += quote
		escapes := 0
		for s.text[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			q := s.text[s.at : end+1]
			s.at = end + 1
			return q
		}
	}
}

// unquoted returns the next string as a copy; "" for null.
func (s *scanner) unquoted() (text string) {
	if s.null() {
		return ""
	}
	at, q := s.at, s.quoted()
	if s.err != nil {
		return ""
	}
	if plain(q) {
		return string(q[1 : len(q)-1])
	}
	if err := json.Unmarshal(q, &text); err != nil {
		s.at = at
		s.fail("a string with a wrong escape or a control character")
	}
	return text
}

// plain reports whether a string in quotes has only characters that stand for themselves.
func plain(q []byte) bool {
	for _, c := range q {
		if c == '\\' || c < ' ' || c >= 0x80 {
			return false
		}
	}
	return true
}

// integer returns the next number, from 0 to most.
func (s *scanner) integer(most int) int {
	s.peek()
	end := s.at
	for end < len(s.text) && s.text[end] >= '0' && s.text[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(s.text[s.at:min(end, s.at+20)]))
	if err != nil || n > most {
		s.fail("expected a number from 0 to " + strconv.Itoa(most))
		return 0
	}
	s.at = end
	return n
}

// skip skips any value.
func (s *scanner) skip() {
	var open []byte // what closes the values that are open
	for s.err == nil {
		switch c := s.peek(); {
		case c == 0:
			s.fail("the text ends in a value")
		case c == '"':
			s.quoted()
		case c == '{' || c == '[':
			open = append(open, c+2) // the closing bracket, in ASCII
			s.at++
		case (c == '}' || c == ']') && len(open) > 0 && open[len(open)-1] == c:
			open = open[:len(open)-1]
			s.at++
		case (c == ',' || c == ':') && len(open) > 0:
			s.at++
			continue
		default:
			s.skipWord()
		}
		if len(open) > mostNested {
			s.fail("values are nested too deeply")
		}
		if len(open) == 0 {
			return
		}
	}
}

// skipWord skips a number, true, false or null.
func (s *scanner) skipWord() {
	from := s.at
	for s.at < len(s.text) && (s.text[s.at] >= '0' && s.text[s.at] <= '9' || s.text[s.at] >= 'a' && s.text[s.at] <= 'z' || bytes.IndexByte([]byte("+-.E"), s.text[s.at]) >= 0) {
		s.at++
	}
	if s.at == from {
		s.fail("expected a value")
	}
}
