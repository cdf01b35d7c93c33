package web

import (
	"html/template"
	"strings"
	"unicode"
)

// Where a text may be broken, and how often, so that no text of a client makes a page of breaks.
const (
	softLeast = 20 // characters of a word that is broken at all
	softPart  = 4  // of what is left on a line at least
	softMost  = 40 // breaks in a text
)

// Soft writes a text, such as the name of a class, so that browsers break its long words behind a dot, "::", a slash, a
// backslash or an underscore before they break them anywhere. All of the text is escaped.
func Soft(text string) template.HTML {
	var b strings.Builder
	breaks := softMost
	for len(text) > 0 {
		n := strings.IndexFunc(text, unicode.IsSpace)
		if n < 0 {
			n = len(text)
		}
		breaks -= softWord(&b, text[:n], breaks)
		text = text[n:]
		n = len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
		b.WriteString(template.HTMLEscapeString(text[:n]))
		text = text[n:]
	}
	return template.HTML(b.String()) //nolint:gosec // everything that was written to it is escaped
}

// softWord writes one word with at most so many breaks, and returns how many it has.
func softWord(b *strings.Builder, word string, most int) (breaks int) {
	if len(word) <= softLeast {
		b.WriteString(template.HTMLEscapeString(word))
		return 0
	}
	last := 0
	for i := range len(word) {
		if breaks == most || i-last < softPart || len(word)-i < softPart || !softAt(word, i) {
			continue
		}
		b.WriteString(template.HTMLEscapeString(word[last:i]) + "<wbr>")
		breaks, last = breaks+1, i
	}
	b.WriteString(template.HTMLEscapeString(word[last:]))
	return breaks
}

// softAt reports whether a word may be broken before its byte i.
func softAt(word string, i int) bool {
	switch word[i-1] {
	case '.', '/', '\\', '_':
		return word[i] != word[i-1]
	case ':':
		return word[i] != ':' && i > 1 && word[i-2] == ':'
	}
	return false
}
