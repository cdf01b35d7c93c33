package sett

import "unicode/utf8"

// FirstInvalid returns the offset of the first byte that is not UTF-8, or the length of data when all of it is.
func FirstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(data)
}
