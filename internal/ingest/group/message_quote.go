package group

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quotes are the opening quotes that a message may use. A back quote is closed by another, or by an apostrophe as Ruby
// wrote until 3.3 (`x'), so that an upgrade of Ruby does not change the message.
const quotes = "\"'`“"

// quote takes out quoted text that begins here, and reports whether there was any. An apostrophe within a word, as in
// "can't", neither opens nor closes.
func (m *scanner) quote() bool {
	open, size := utf8.DecodeRuneInString(m.in[m.at:])
	kind := strings.IndexRune(quotes, open)
	if m.unclosed[kind] || (open == '\'' && m.afterWord()) {
		return false
	}
	end := m.quoteEnd(open, m.at+size)
	m.unclosed[kind] = end == 0
	if m.second && end > 0 {
		if name, ok := m.quotedName(open, m.at+size, end); ok {
			m.emit("'"+name+"'", len(name)+2)
			m.at = end
			return true
		}
	}
	return m.take(end, markText)
}

// quoteEnd is the offset behind the first quote at or after from that closes open; 0 when there is none.
func (m *scanner) quoteEnd(open rune, from int) int {
	closers := closing(open)
	for {
		i := strings.IndexAny(m.in[from:], closers)
		if i < 0 {
			return 0
		}
		c, size := utf8.DecodeRuneInString(m.in[from+i:])
		from += i + size
		if c != '\'' || !wordFollows(m.in[from:]) {
			return from
		}
	}
}

func closing(open rune) string {
	switch open {
	case '“':
		return "”"
	case '`':
		return "`'"
	default:
		return string(open)
	}
}

// wordFollows reports whether a letter or digit comes next, or a '<', because a word may have become one.
func wordFollows(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && (r == '<' || isWordRune(r))
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
