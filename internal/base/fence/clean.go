package fence

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// active are the beginnings of HTML elements that load or run something, where Markdown is shown.
var active = regexp.MustCompile(`(?i)<(/?(?:a|img|iframe|script|svg|video|audio|link|object|embed|form|input|style|base|picture|source|meta)\b|!)`)

// apart takes links, pictures and code blocks of Markdown apart.
var apart = strings.NewReplacer("](", "] (", "][", "] [", "]:", "] :", "![", "! [", "```", "'''", "~~~", "---", "<http", "< http")

// Clean returns at most so many bytes of a text, and a mark if there is more: without what cannot be seen, and with Markdown and HTML taken apart.
func Clean(text string, most int) string {
	whole := len(text) <= most
	text = strings.Map(visible, strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), most)], "\r\n", "\n"), ""))
	text = active.ReplaceAllString(apart.Replace(text), "< $1")
	if len(text) > most {
		whole, text = false, strings.ToValidUTF8(text[:most], "")
	}
	if !whole {
		text += " …"
	}
	return text
}

// visible drops characters that a reader of the text does not see: control, format (bidi, zero-width, tags), fillers and variation selectors.
func visible(c rune) rune {
	switch {
	case c == '\n' || c == '\t':
		return c
	case c == '\u2028' || c == '\u2029' || c == '\r':
		return '\n'
	case c == utf8.RuneError, unicode.In(c, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Variation_Selector):
		return -1
	case c == '\u115f' || c == '\u1160' || c == '\u3164' || c == '\uffa0' || c == '\u2800' || c == '\u034f' || c == '\u17b4' || c == '\u17b5':
		return -1
	}
	return c
}
