package channel

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Maximum sizes of the parts of a message: the limits of the strictest service, with room for escaping.
const (
	longestTitle  = 250
	longestText   = 400
	longestDetail = 1000
	longestName   = 60
	longestValue  = 200
	mostFacts     = 8
	longestFrame  = 160
	mostFrames    = 8
)

// brief returns the message with its texts cut, and without control characters: of Detail alone, lines stay.
func (m Message) brief() Message {
	line := func(text string, most int) string { return fit(clean(text, ""), most, plainly) }
	m.Project, m.Environment = line(m.Project, longestName), line(m.Environment, longestName)
	m.Text, m.Title, m.Detail = line(m.Text, longestText), line(m.Title, longestTitle), fit(clean(m.Detail, "\n"), longestDetail, plainly)
	facts := m.Facts[:min(len(m.Facts), mostFacts)]
	m.Facts = nil
	for _, f := range facts {
		if f.Name, f.Value = line(f.Name, longestName), line(f.Value, longestValue); f.Name != "" && f.Value != "" {
			m.Facts = append(m.Facts, f)
		}
	}
	frames := m.Trace[:min(len(m.Trace), mostFrames)]
	m.Trace = nil
	for _, frame := range frames {
		m.Trace = append(m.Trace, line(frame, longestFrame))
	}
	if m.Title == "" {
		m.Title = fit(m.Text, longestTitle, plainly)
	}
	return m
}

// clean returns a text that is valid UTF-8, without space around it, and with a space for each control character and line
// end that is not in keep.
func clean(text, keep string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if (unicode.IsControl(r) || r == '\u2028' || r == '\u2029') && !strings.ContainsRune(keep, r) {
			return ' '
		}
		return r
	}, text))
}

// plainly escapes nothing.
func plainly(r rune) string { return string(r) }

// fit returns a text as escape writes it, cut to so many characters of UTF-16, which is how the strictest services count.
// What is cut ends with an ellipsis, and no escaped character is torn.
func fit(text string, most int, escape func(rune) string) string {
	return cut(text, most, escape, func(r rune) int { return max(utf16.RuneLen(r), 1) }, 1)
}

// fitBytes is fit for a service that counts bytes.
func fitBytes(text string, most int) string {
	return cut(text, most, plainly, func(r rune) int { return max(utf8.RuneLen(r), 1) }, len(ellipsis))
}

const ellipsis = "…"

func cut(text string, most int, escape func(rune) string, size func(rune) int, dots int) string {
	var b strings.Builder
	used, end := 0, 0 // end: up to where an ellipsis still fits behind
	for _, r := range text {
		piece := escape(r)
		for _, p := range piece {
			used += size(p)
		}
		if used > most {
			return ellipsisAt(b.String()[:end], most, dots)
		}
		b.WriteString(piece)
		if used+dots <= most {
			end = b.Len()
		}
	}
	return b.String()
}

func ellipsisAt(text string, most, dots int) string {
	if dots > most {
		return ""
	}
	return text + ellipsis
}

// length is how many characters of UTF-16 a text has.
func length(text string) (n int) {
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// joined joins the parts that are there with a separator: from the first, as many as fit whole into so many characters.
func joined(most int, separator string, parts ...string) string {
	var kept []string
	left := most + length(separator)
	for _, part := range parts {
		if part == "" {
			continue
		}
		if left -= length(part) + length(separator); left < 0 {
			break
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, separator)
}
