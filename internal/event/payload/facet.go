package payload

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of what searches over notices can look at.
const (
	MaxFacetText = 256     // bytes of one key and of one value; what is longer is cut at a rune
	MaxFacets    = 6 << 10 // bytes of all facets of a notice
)

// projectRoot is what clients put in place of the directory of a project.
const projectRoot = "[PROJECT_ROOT]/"

// FacetLine returns "key=value" the way the Facets of a Report spell it: lower case, control characters as spaces, each
// side at most MaxFacetText bytes, a file without [PROJECT_ROOT]/ before it. A notice has the value when its Facets
// contain "\n" + FacetLine(key, value) + "\n". Intake writes facets and searches look for them with this one rule, so
// that they agree.
func FacetLine(key, value string) string {
	return string(AppendFacet(nil, []byte(key), []byte(value)))
}

// AppendFacet appends FacetLine(key, value) to dst; it does not allocate when dst has room.
func AppendFacet(dst, key, value []byte) []byte {
	if string(key) == "file" && len(value) >= len(projectRoot) && strings.EqualFold(string(value[:len(projectRoot)]), projectRoot) {
		value = value[len(projectRoot):]
	}
	dst = appendFolded(dst, key)
	dst = append(dst, '=')
	return appendFolded(dst, value)
}

// appendFolded appends text in lower case, without control characters, cut to MaxFacetText bytes. ASCII, nearly all
// there is, is copied and then folded in place, eight bytes at a time as long as all of them are printable.
func appendFolded(dst, text []byte) []byte {
	start := len(dst)
	dst = append(dst, text[:min(len(text), MaxFacetText)]...)
	i := start
	for ; i+8 <= len(dst); i += 8 {
		folded, ok := foldEight(binary.LittleEndian.Uint64(dst[i:]))
		if !ok {
			break
		}
		binary.LittleEndian.PutUint64(dst[i:], folded)
	}
	for ; i < len(dst); i++ {
		switch c := dst[i]; {
		case 'A' <= c && c <= 'Z':
			dst[i] = c | 0x20
		case c < ' ' || c == 0x7f:
			dst[i] = ' '
		case c >= utf8.RuneSelf:
			return appendFoldedRunes(dst[:i], text[i-start:], start+MaxFacetText)
		}
	}
	return dst
}

// foldEight returns eight characters in lower case, or false when one of them is no printable ASCII. A difference from
// a byte whose top bit was set keeps that bit where the byte was no less than what is taken away.
func foldEight(x uint64) (folded uint64, printable bool) {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	set := x | tops
	upper := (set - 'A'*ones) &^ (set - '['*ones) & tops
	others := (x | (x + ones) | ^(set - ' '*ones)) & tops // beyond ASCII, DEL, or below a space
	return x | upper>>2, others == 0
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
