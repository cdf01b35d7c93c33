package scan

import "strings"

// The functions below skip values that are not needed, which is most of a notice. Each method takes the offset where
// something begins and returns the offset after it, or -1 if it is not there; the scanner's error then says what is wrong.
// The offsets stay in registers: walking with Members and Elements takes a third more time.

// pass skips any value.
func (s *Scanner) pass(i int) int {
	doc := s.doc
	switch c := doc.at(i); c {
	case '"':
		end, _ := s.passText(i)
		return end
	case '{':
		return s.passInside(i+1, '}')
	case '[':
		return s.passInside(i+1, ']')
	case 't':
		return s.passWord(i, "true")
	case 'f':
		return s.passWord(i, "false")
	case 'n':
		return s.passWord(i, "null")
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return s.passNumber(i)
		}
		return s.failAt(i, "a value")
	}
}

// passInside skips the members of an object or the elements of an array, and the closing bracket.
func (s *Scanner) passInside(i int, closing byte) int {
	doc := s.doc
	if !s.deeper() {
		return -1
	}
	if i = doc.skipSpace(i); doc.at(i) == closing {
		s.depth--
		return i + 1
	}
	for {
		if closing == '}' {
			if i = s.passKey(i); i < 0 {
				return -1
			}
		}
		if i = s.pass(i); i < 0 {
			return -1
		}
		i = doc.skipSpace(i)
		switch doc.at(i) {
		case ',':
			i = doc.skipSpace(i + 1)
		case closing:
			s.depth--
			return i + 1
		default:
			return s.failAt(i, commaOr(closing))
		}
	}
}

// passKey skips a key, its colon, and the white space after it.
func (s *Scanner) passKey(i int) int {
	doc := s.doc
	if doc.at(i) != '"' {
		return s.failAt(i, quotedKey)
	}
	if i, _ = s.passText(i); i < 0 || !s.oneMoreKey() {
		return -1
	}
	if i = doc.skipSpace(i); doc.at(i) != ':' {
		return s.failAt(i, ":")
	}
	return doc.skipSpace(i + 1)
}

// passText skips a string and reports whether it has escapes.
func (s *Scanner) passText(i int) (end int, escaped bool) {
	doc := s.doc
	i++
	for {
		i += plainPrefix(doc[i:])
		switch c := doc.at(i); {
		case c == '"':
			return i + 1, escaped
		case i >= len(doc):
			return s.failAt(i, "the rest of a text"), escaped
		case c != '\\':
			return s.failAt(i, "an escape such as \\n in place of a control character"), escaped
		}
		escaped = true
		if i = s.passEscape(i + 1); i < 0 {
			return -1, escaped
		}
	}
}

// passEscape skips one escape sequence after its backslash (RFC 8259 §7).
func (s *Scanner) passEscape(i int) int {
	doc := s.doc
	switch doc.at(i) {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for range 4 {
			if i++; !isHex(doc.at(i)) {
				return s.failAt(i, "four hexadecimal digits")
			}
		}
		return i + 1
	default:
		return s.failAt(i, "one of the escapes of JSON")
	}
}

// passNumber skips a number (RFC 8259 §6) of any size.
func (s *Scanner) passNumber(i int) int {
	doc := s.doc
	if doc.at(i) == '-' {
		i++
	}
	if doc.at(i) == '0' {
		i++
	} else if i = s.passDigits(i); i < 0 {
		return -1
	}
	if doc.at(i) == '.' {
		if i = s.passDigits(i + 1); i < 0 {
			return -1
		}
	}
	if doc.at(i)|0x20 != 'e' {
		return i
	}
	if c := doc.at(i + 1); c == '+' || c == '-' {
		i++
	}
	return s.passDigits(i + 1)
}

// passDigits skips one digit or more.
func (s *Scanner) passDigits(i int) int {
	doc := s.doc
	start := i
	for isDigit(doc.at(i)) {
		i++
	}
	if i == start {
		return s.failAt(i, "a digit")
	}
	return i
}

func (s *Scanner) passWord(i int, word string) int {
	if !strings.HasPrefix(string(s.doc[i:]), word) {
		return s.failAt(i, "a value")
	}
	return i + len(word)
}

// What is expected in more than one place.
const quotedKey = "a key in double quotes"

func commaOr(closing byte) string { return "a comma or " + string(rune(closing)) }

// failAt moves to where something is missing, and says so. It returns -1.
func (s *Scanner) failAt(i int, expected string) int {
	s.pos = i
	s.fail(expected)
	return -1
}
