package sett

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// LongestName is how many characters a name has at most.
const LongestName = 255

// CheckName notes what keeps a text from being the name of a person, an account or a project: nothing of it can be seen,
// it is too long, or more than a line of text that reads as it is written.
func CheckName(p *Problems, field, name string) {
	if !strings.ContainsFunc(name, IsVisible) {
		p.Add(field, "can't be blank")
	}
	CheckText(p, field, name, LongestName)
}

// IsVisible reports whether a character leaves something on a screen. Inside a name those that leave nothing have their use:
// they join emoji, and letters of some scripts.
func IsVisible(r rune) bool {
	const blankBraille = '\u2800'
	return r != blankBraille && !unicode.IsSpace(r) && !unicode.IsControl(r) &&
		!unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// CheckText notes that a text is longer than so many characters, or none that every engine can store and show in a
// line.
func CheckText(p *Problems, field, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		p.Add(field, "is too long (maximum is %d characters)", most)
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }) {
		p.Add(field, "must not contain control characters")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }) { // one name could look like another
		p.Add(field, "must not contain characters that change the direction of the text")
	}
	if !utf8.ValidString(text) {
		p.Add(field, "must be UTF-8")
	}
}

// FirstInvalid returns the offset of the first byte that is not UTF-8, or the length of data when all of it is.
func FirstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}
