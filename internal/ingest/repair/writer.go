package repair

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// writer writes the JSON that a text is meant to be. It reads each character once, and never goes back.
type writer struct {
	text  string
	at    int
	out   []byte
	most  int // bytes of out, behind which the text counts as cut off
	depth int // levels that may still be entered
	wide  int // members of an object and elements of an array
	keys  int // that were written
	notes *Notes
}

// peek returns the next character, and 0 at the end.
func (m *writer) peek() byte {
	if m.at < len(m.text) {
		return m.text[m.at]
	}
	return 0
}

func (m *writer) ended() bool { return m.at >= len(m.text) }

// skip moves behind white space and comments.
func (m *writer) skip() {
	for !m.ended() {
		switch c := m.text[m.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			m.at++
		case c == '/' && (strings.HasPrefix(m.text[m.at:], "//") || strings.HasPrefix(m.text[m.at:], "/*")):
			m.comment()
		default:
			return
		}
	}
}

func (m *writer) comment() {
	m.notes.Add(Malformed)
	end, length := strings.Index(m.text[m.at:], "\n"), 1
	if m.text[m.at+1] == '*' {
		end, length = strings.Index(m.text[m.at:], "*/"), 2
	}
	if end < 0 {
		m.at = len(m.text)
		return
	}
	m.at += end + length
}

// value writes the value that comes next.
func (m *writer) value() {
	m.skip()
	switch c := m.peek(); {
	case m.ended():
		m.notes.Add(Cut)
		m.write("null")
	case c == '{' || c == '[':
		m.inside(c)
	case c == '"' || c == '\'':
		m.string()
	case strings.IndexByte(",:}]", c) >= 0:
		m.notes.Add(Malformed)
		m.write("null")
	default:
		m.word()
	}
}

// inside writes an object or array, and closes it if it was cut off.
func (m *writer) inside(opening byte) {
	m.at++
	if m.depth == 0 {
		m.notes.Add(Deep)
		m.leaveOut()
		m.write(`"…"`)
		return
	}
	m.depth--
	m.out = append(m.out, opening)
	closing := opening + 2 // in ASCII
	for n := 0; m.next(closing, n > 0); n++ {
		before, keys := len(m.out), m.keys
		if n > 0 {
			m.out = append(m.out, ',')
		}
		if opening == '{' {
			m.key()
		}
		if m.value(); n >= m.wide {
			m.out, m.keys = m.out[:before], keys
			m.notes.Add(Many)
		}
	}
	m.depth++
	m.out = append(m.out, closing)
}

// next moves to the next member or element, over the comma that separates it, and reports false behind the end.
func (m *writer) next(closing byte, separated bool) bool {
	commas := 0
	for {
		m.skip()
		switch c := m.peek(); {
		case m.ended():
			m.notes.Add(Cut)
			return false
		case c == closing:
			if m.at++; commas > 0 {
				m.notes.Add(Malformed)
			}
			return false
		case c == '}' || c == ']' || c == ':': // one too many
			m.at++
			m.notes.Add(Malformed)
		case c == ',':
			m.at++
			commas++
		default:
			if (commas == 1) != separated {
				m.notes.Add(Malformed)
			}
			return true
		}
	}
}

// key writes a key and its colon.
func (m *writer) key() {
	m.keys++
	if c := m.peek(); c == '"' || c == '\'' {
		m.string()
	} else {
		m.notes.Add(Malformed)
		m.quote(m.bare())
	}
	m.out = append(m.out, ':')
	if m.skip(); m.peek() == ':' {
		m.at++
	} else if !m.ended() {
		m.notes.Add(Malformed)
	}
}

// leaveOut moves behind the object or array whose opening bracket was passed.
func (m *writer) leaveOut() {
	for depth := 1; depth > 0 && !m.ended(); {
		switch c := m.text[m.at]; c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			m.passString(c)
			continue
		}
		m.at++
	}
}

func (m *writer) passString(quote byte) {
	for m.at++; !m.ended() && m.text[m.at] != quote; m.at++ {
		if m.text[m.at] == '\\' {
			m.at++
		}
	}
	m.at = min(m.at+1, len(m.text))
}

// word writes a value without quotes: a number, true, false or null, and anything else as text.
func (m *writer) word() {
	word := m.bare()
	switch strings.ToLower(word) {
	case "true", "false", "null":
		if lower := strings.ToLower(word); lower != word {
			m.notes.Add(Malformed)
			word = lower
		}
		m.write(word)
	case "none", "undefined", "nil":
		m.notes.Add(Malformed)
		m.write("null")
	case "nan", "infinity", "-infinity", "+infinity", "inf", "-inf", "+inf":
		m.notes.Add(NotFinite)
		m.quote(word)
	default:
		m.number(word)
	}
}

// bare returns what comes next until something that ends a value.
func (m *writer) bare() string {
	start := m.at
	for !m.ended() && !strings.ContainsRune(",:{}[]\"'\r\n", rune(m.text[m.at])) {
		m.at++
	}
	if m.at == start && !m.ended() { // whatever it is, it must not come again
		m.at++
	}
	return strings.TrimSpace(m.text[start:m.at])
}

// number writes a number as JSON has it, and what is none as text.
func (m *writer) number(word string) {
	if isNumber(word) {
		m.write(word)
		return
	}
	m.notes.Add(Malformed)
	f, err := strconv.ParseFloat(word, 64)
	if err != nil || f != f || f > 1<<53 || f < -1<<53 {
		m.quote(word)
		return
	}
	m.write(strconv.FormatFloat(f, 'g', -1, 64))
}

// isNumber reports whether a word is a number of JSON (RFC 8259 §6).
func isNumber(word string) bool {
	rest := strings.TrimPrefix(word, "-")
	whole, rest := digits(rest)
	if whole == 0 || whole > 1 && strings.TrimPrefix(word, "-")[0] == '0' {
		return false
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		if whole, rest = digits(after); whole == 0 {
			return false
		}
	}
	if len(rest) > 0 && rest[0]|0x20 == 'e' {
		if rest = rest[1:]; len(rest) > 0 && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		if whole, rest = digits(rest); whole == 0 {
			return false
		}
	}
	return rest == ""
}

// digits returns how many digits a text begins with, and what follows.
func digits(text string) (n int, rest string) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n, text[n:]
}

// string writes a text, of which the quotes may be single, and the end missing.
func (m *writer) string() {
	quote := m.text[m.at]
	if quote == '\'' {
		m.notes.Add(Malformed)
	}
	m.out = append(m.out, '"')
	for m.at++; ; m.character() {
		if m.stop(); m.ended() {
			m.notes.Add(Cut)
			break
		}
		if m.text[m.at] == quote {
			m.at++
			break
		}
	}
	m.out = append(m.out, '"')
}

// stop ends the text where too much was written.
func (m *writer) stop() {
	if len(m.out) > m.most {
		m.at = len(m.text)
	}
}

// character writes one character of a text, or an escape.
func (m *writer) character() {
	switch c := m.text[m.at]; {
	case c == '\\':
		m.escape()
	case c == '"':
		m.out = append(m.out, '\\', '"')
		m.at++
	case c < ' ':
		m.notes.Add(Control)
		m.control(c)
		m.at++
	case c < utf8.RuneSelf:
		m.out = append(m.out, c)
		m.at++
	default:
		_, size := utf8.DecodeRuneInString(m.text[m.at:])
		m.out = append(m.out, m.text[m.at:m.at+size]...)
		m.at += size
	}
}

const hexDigits = "0123456789abcdef"

func (m *writer) control(c byte) {
	switch c {
	case '\n':
		m.out = append(m.out, `\n`...)
	case '\r':
		m.out = append(m.out, `\r`...)
	case '\t':
		m.out = append(m.out, `\t`...)
	default:
		m.out = append(m.out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
	}
}

// escape writes an escape, and one that JSON does not have as what it is meant to be.
func (m *writer) escape() {
	rest := m.text[m.at+1:]
	if rest == "" {
		m.at++
		return
	}
	switch c := rest[0]; {
	case strings.IndexByte(`"\/bfnrt`, c) >= 0:
		m.out = append(m.out, '\\', c)
		m.at += 2
	case c == 'u' && isHex(rest[1:], 4):
		m.out = append(append(m.out, '\\'), rest[:5]...)
		m.at += 6
	case c == 'x' && isHex(rest[1:], 2):
		m.notes.Add(Malformed)
		m.out = append(append(m.out, `\u00`...), rest[1:3]...)
		m.at += 4
	case c == '\'':
		m.notes.Add(Malformed)
		m.out = append(m.out, c)
		m.at += 2
	default:
		m.notes.Add(Malformed)
		m.out = append(m.out, '\\', '\\')
		m.at++
	}
}

func isHex(text string, n int) bool {
	if len(text) < n {
		return false
	}
	for i := range n {
		if c := text[i] | 0x20; !('0' <= text[i] && text[i] <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return true
}

// quote writes a text that has no escapes.
func (m *writer) quote(text string) {
	inner := writer{text: text, notes: m.notes, out: append(m.out, '"')}
	for !inner.ended() {
		if text[inner.at] == '\\' {
			inner.out, inner.at = append(inner.out, '\\', '\\'), inner.at+1
			continue
		}
		inner.character()
	}
	m.out = append(inner.out, '"')
}

// write writes a value.
func (m *writer) write(value string) {
	m.out = append(m.out, value...)
	m.stop()
}
