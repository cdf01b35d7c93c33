package scan

import "math/bits"

// document is the text of a JSON document.
type document string

// at returns a byte of d, and 0 behind its end.
func (d document) at(i int) byte {
	if i < len(d) {
		return d[i]
	}
	return 0
}

// skipSpace returns the offset behind the white space at i, if there is any.
func (d document) skipSpace(i int) int {
	for i < len(d) && d[i] <= ' ' && isSpace(d[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// plainPrefix returns how many bytes of text come before the first quote, backslash or control character. It tests eight
// bytes at a time: of the usual tests for a byte that is zero or less than n, the lowest byte that is flagged is always
// right (Mycroft 1987; Anderson, Bit Twiddling Hacks). Flipping bit 1 makes a quote 0x20 and leaves control characters below
// it, so that one test finds both.
func plainPrefix(text document) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(text); i += 8 {
		t := text[i : i+8]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		flipped, backslash := x^0x02*ones, x^'\\'*ones
		if stops := ((flipped-0x21*ones)&^flipped | (backslash-ones)&^backslash) & tops; stops != 0 {
			return i + bits.TrailingZeros64(stops)/8
		}
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			break
		}
	}
	return i
}
