// Package cell writes the values of tables. In go texts, numbers, booleans, times, lists of texts and JSON; out comes the text
// of a CSV cell, the value that JSON gets, or one line that is safe on a terminal. It never returns a text that a spreadsheet
// takes for a formula, and knows nothing of what a table is about.
package cell

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Text returns a cell of CSV. Numbers are as they are, and texts are never formulas.
func Text(value any) string {
	switch v := value.(type) {
	case string:
		return NoFormula(v)
	case []string:
		return NoFormula(strings.Join(v, " "))
	case json.RawMessage:
		return string(v)
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return v.UTC().Format(time.RFC3339)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case nil:
		return ""
	}
	return fmt.Sprint(value)
}

// Value returns a cell as JSON has it: what there is not is null.
func Value(value any) any {
	switch v := value.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
		return v.UTC().Format(time.RFC3339)
	case []string:
		return append([]string{}, v...)
	}
	return value
}

// NoFormula prevents spreadsheets from reading a text as a formula (OWASP, CSV injection), also after spaces and with the
// full-width characters of East Asia.
func NoFormula(text string) string {
	begins := strings.TrimLeft(text, " \u00a0\u3000\ufeff")
	if first, _ := utf8.DecodeRuneInString(begins); begins != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + text
	}
	return text
}

// Plain returns text of strangers as one line that cannot act on a terminal: without control characters, which begin escape sequences,
// and without invisible marks, which turn the direction of text.
func Plain(text string) string {
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
