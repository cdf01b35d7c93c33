package card

import (
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/norm"
)

// longest is how many characters of a text are looked at: no card has room for more.
const longest = 300

// Readable returns a text as a card can write it: on one line, composed, and without signs that the fonts lack, such as emoji. It is "" where
// letters or digits are missing, so that nothing would be left that says the same.
func Readable(text string) string {
	f, err := bold()
	if err != nil {
		return ""
	}
	var b strings.Builder
	var buffer sfnt.Buffer
	n := 0
	for _, r := range norm.NFC.String(cutRunes(text, longest)) {
		glyph, err := f.GlyphIndex(&buffer, r)
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case err == nil && glyph != 0 && unicode.IsPrint(r):
			b.WriteRune(r)
			n++
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Variation_Selector, r):
			return ""
		}
	}
	if n == 0 {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func cutRunes(text string, most int) string {
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i]
		}
	}
	return text
}

// ellipsis ends what was cut.
const ellipsis = "…"

// wrap breaks a text into lines of a width, at most so many. Words that are longer than a line are broken.
func wrap(face font.Face, text string, width, most int) (lines []string) {
	if face == nil {
		return nil
	}
	rest := strings.Fields(text)
	for len(rest) > 0 && len(lines) < most-1 {
		n := 1
		for n < len(rest) && fits(face, strings.Join(rest[:n+1], " "), width) {
			n++
		}
		line := strings.Join(rest[:n], " ")
		if head := beginning(face, line, width); head != line {
			lines, rest[0] = append(lines, head), line[len(head):]
			continue
		}
		lines, rest = append(lines, line), rest[n:]
	}
	if len(rest) > 0 {
		lines = append(lines, cut(face, strings.Join(rest, " "), width))
	}
	return lines
}

func fits(face font.Face, text string, width int) bool {
	return font.MeasureString(face, text).Ceil() <= width
}

// beginning returns the longest beginning of a text that fits.
func beginning(face font.Face, text string, width int) string {
	end := 0
	for i, r := range text {
		next := i + len(string(r))
		if !fits(face, text[:next], width) {
			return text[:end]
		}
		end = next
	}
	return text
}

// cut returns a text that fits, with an ellipsis where something is missing.
func cut(face font.Face, text string, width int) string {
	if face == nil || fits(face, text, width) {
		return text
	}
	return strings.TrimRight(beginning(face, text, width-font.MeasureString(face, ellipsis).Ceil()), " ,.;:–-") + ellipsis
}
