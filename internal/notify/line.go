package notify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Maximum lengths in characters of texts from outside.
const (
	mostText    = 1000
	mostComment = 250 // of the one-line text of a comment (wire.md §5.3)
	mostTitle   = 300
	mostDetail  = 4000
	mostFact    = 200
)

// line makes one readable line of a text.
func line(text string) string { return strings.Join(strings.FieldsFunc(text, breaks), " ") }

// breaks reports whether a character has no place in a line: blanks, and what would have it read in another order.
func breaks(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// paragraph makes a readable text of one that may have several lines.
func paragraph(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.Map(func(r rune) rune {
			switch {
			case r == '\t' || !breaks(r):
				return r
			case unicode.IsSpace(r):
				return ' '
			}
			return -1
		}, lines[i]), " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// cut returns a text of at most so many characters; one that is shortened ends with "...".
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-3]) + "..."
}
