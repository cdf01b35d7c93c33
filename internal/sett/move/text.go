package move

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The longest texts that are taken of a source, in bytes.
const (
	MostName    = 200
	MostMessage = 10_000
	MostComment = 60_000
)

// Line makes one line of a text of the source, of at most so many bytes: no control characters, and no bytes that are no text.
func Line(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(Text(text, 4*most), func(r rune) bool { return unicode.IsControl(r) || r == ' ' }), " ")
	return Text(text, most)
}

// Text cuts a text of the source to so many bytes, and leaves out what is no text.
func Text(text string, most int) string {
	if len(text) > most {
		text = text[:most]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		if r, n := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && n == 1 {
			text = text[:len(text)-1]
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// Link returns an address of the source if it is one that a browser opens and that Markdown does not end; otherwise "".
func Link(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(text) > 1000 || strings.ContainsAny(text, " <>()[]\"'`\\*_|") {
		return ""
	}
	return u.String()
}
