package main

import (
	"strings"
	"unicode"
)

// plain returns text of strangers as one line that cannot act on a terminal: without control characters, which begin escape sequences,
// and without invisible marks, which turn the direction of text.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
}
