package draw

import (
	"html/template"
	"strings"
	"unicode"
)

// Limits of line breaks in a text, so that text of clients cannot consist mostly of breaks.
const (
	softLeast = 20 // minimum length of a word that may be broken
	softPart  = 4  // minimum length of each part
	softMost  = 40 // maximum breaks in a text
)

// Soft escapes a text, such as a class name, and lets browsers break its long words after a dot, "::", a slash, a backslash, an
// underscore or a hash rather than anywhere.
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

// softWord writes a word with a maximum of breaks and returns their number.
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

// softAt reports whether a word may be broken before byte i.
func softAt(word string, i int) bool {
	switch word[i-1] {
	case '.', '/', '\\', '_', '#':
		return word[i] != word[i-1]
	case ':':
		return word[i] != ':' && i > 1 && word[i-2] == ':'
	}
	return false
}
