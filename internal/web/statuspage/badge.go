package statuspage

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"sett/internal/sett/status"
)

// badgeWord returns the key of a short label of the overall state, and a color on which white text is readable (4.5 to 1).
func badgeWord(o status.OverallState) (key, colour string) {
	switch o {
	case status.OverallUp:
		return "badge_up", "#1f6f3f"
	case status.OverallMixed:
		return "badge_mixed", "#8a5300"
	case status.OverallDown:
		return "badge_down", "#b3261e"
	case status.OverallMaintenance:
		return "badge_maintenance", "#6b3fa0"
	}
	return "badge_unknown", "#625b52"
}

// Measures of a badge, in pixels. Letters of 11 pixels are assumed to have an average width, which textLength enforces.
const (
	badgeHeight = 20
	badgeLetter = 6.6
	badgeMargin = 8
	badgeWide   = 11 // of a letter as wide as high, such as those of Japanese
)

func badgeWidth(text string) (letters, box float64) {
	for _, r := range text {
		if r >= 0x2e80 {
			letters += badgeWide
		} else {
			letters += badgeLetter
		}
	}
	return letters, letters + 2*badgeMargin
}

// badgeDocument renders the overall state as an image for other pages.
func (f *variant) badgeDocument(before *document) (*document, error) {
	view := f.rendered.view
	key, colour := badgeWord(view.Overall())
	word, badgeLabel := f.lang.Text(key), f.lang.Text("badge_label")
	var name bytes.Buffer
	if err := xml.EscapeText(&name, []byte(view.Page.Name)); err != nil {
		return nil, fmt.Errorf("write badge: %w", err)
	}
	label, left := badgeWidth(badgeLabel)
	letters, right := badgeWidth(word)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" xml:lang="%s" width="%.0f" height="%d" role="img" aria-labelledby="t">`, f.lang, left+right, badgeHeight)
	fmt.Fprintf(&b, `<title id="t">%s: %s</title>`, name.Bytes(), word)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%d" rx="3" fill="#544e46"/>`, left+right, badgeHeight)
	fmt.Fprintf(&b, `<path fill="%s" d="M%.1f 0H%.1fa3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H%.1fz"/>`, colour, left, left+right-3, left)
	fmt.Fprintf(&b, `<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" aria-hidden="true">`)
	fmt.Fprintf(&b, `<text x="%d" y="14" textLength="%.1f">%s</text>`, badgeMargin, label, badgeLabel)
	fmt.Fprintf(&b, `<text x="%.1f" y="14" textLength="%.1f">%s</text></g></svg>`, left+badgeMargin, letters, word)
	return newDocument(before, badgeForm, b.Bytes()), nil
}
