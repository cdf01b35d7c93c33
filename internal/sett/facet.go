package sett

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of what searches over notices can look at.
const (
	MaxFacetText = 256     // bytes of one key and of one value; what is longer is cut at a rune
	MaxFacets    = 6 << 10 // bytes of all facets of a notice
)

// FacetLine returns "key=value" the way the Facets of a Report spell it: lower case, control characters as spaces, each
// side at most MaxFacetText bytes, a file without [PROJECT_ROOT]/ before it. A notice has the value when its Facets
// contain "\n" + FacetLine(key, value) + "\n". Intake writes facets and searches look for them with this one rule, so
// that they agree.
func FacetLine(key, value string) string {
	return string(AppendFacet(nil, []byte(key), []byte(value)))
}

// AppendFacet appends FacetLine(key, value) to dst; it does not allocate when dst has room.
func AppendFacet(dst, key, value []byte) []byte {
	const root = "[PROJECT_ROOT]/"
	if string(key) == "file" && len(value) >= len(root) && strings.EqualFold(string(value[:len(root)]), root) {
		value = value[len(root):]
	}
	dst = appendFolded(dst, key)
	dst = append(dst, '=')
	return appendFolded(dst, value)
}

// appendFolded appends text in lower case, without control characters, cut to MaxFacetText bytes. ASCII, nearly all
// there is, is copied and then folded in place.
func appendFolded(dst, text []byte) []byte {
	start := len(dst)
	dst = append(dst, text[:min(len(text), MaxFacetText)]...)
	for i, c := range dst[start:] {
		switch {
		case 'A' <= c && c <= 'Z':
			dst[start+i] = c | 0x20
		case c < ' ' || c == 0x7f:
			dst[start+i] = ' '
		case c >= utf8.RuneSelf:
			return appendFoldedRunes(dst[:start+i], text[i:], start+MaxFacetText)
		}
	}
	return dst
}

// appendFoldedRunes does the same for text beyond ASCII, as long as dst does not grow past end.
func appendFoldedRunes(dst, text []byte, end int) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r = unicode.ToLower(r); unicode.IsControl(r) {
			r = ' '
		}
		if len(dst)+utf8.RuneLen(r) > end {
			break
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}
