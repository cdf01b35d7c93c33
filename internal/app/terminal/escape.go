package terminal

import (
	"bytes"
	"fmt"
	"unicode"
)

// escaped returns JSON in which every control character and invisible mark of a text is written as its number, so that it does not act on a terminal.
func escaped(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.Bytes()
}
