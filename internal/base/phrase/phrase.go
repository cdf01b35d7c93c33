// Package phrase makes parts of English sentences: lists, counts, quotations, and the name that was
// most likely meant. It turns words and numbers into text for messages that users read. It knows no
// noun of the product and depends on no other package.
package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// And lists words: "a", "a and b", "a, b and c".
func And(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Count returns a number of things: "1 day", "2 days".
func Count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Number formats an integer with thousands separators: "1,204".
func Number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// Quote returns a text in double quotes, on one line and of at most 60 characters.
func Quote(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return strconv.Quote(text)
}
