package group

import "strings"

// The functions named …End, in this file and its neighbors, return where something that begins at offset at of s ends; 0 if
// nothing of the kind begins there.

// numberEnd ends an integer, a fraction, a version or a list without spaces, such as "1,234.5", "2.0.1" and "1,2,3",
// with an exponent where there is one.
func numberEnd(s string, at int) int {
	end := digitsEnd(s, at)
	for end+1 < len(s) && (s[end] == '.' || s[end] == ',') && isDigit(s[end+1]) {
		end = digitsEnd(s, end+1)
	}
	if end+1 < len(s) && (s[end] == 'e' || s[end] == 'E') {
		exponent := end + 1
		if s[exponent] == '-' || s[exponent] == '+' {
			exponent++
		}
		if e := digitsEnd(s, exponent); e > exponent && !alnumAt(s, e) {
			return e
		}
	}
	return end
}

// hexEnd ends a word that is "0x" and hexadecimal digits, or that looks like a digest; all of s must be the word.
func hexEnd(s string, at int) int {
	digits, marked := strings.CutPrefix(s[at:], "0x")
	if marked && digits != "" && strings.IndexFunc(digits, notHex) < 0 {
		return len(s)
	}
	if hexWord(s[at:]) && !allDigits(s[at:]) {
		return len(s)
	}
	return 0
}

func notHex(r rune) bool { return r > 'f' || !isHex(byte(r)) }

// randomEnd ends a word that changes between letters and digits four times or more, as a random id does and
// "sha256sum" does not; all of s must be the word.
func randomEnd(s string, at int) int {
	changes := 0
	for i := at + 1; i < len(s); i++ {
		if isDigit(s[i]) != isDigit(s[i-1]) {
			changes++
		}
	}
	if changes >= 4 {
		return len(s)
	}
	return 0
}

const uuidLength = len("00000000-0000-0000-0000-000000000000")

func uuidEnd(s string, at int) int {
	end := at + uuidLength
	if end > len(s) || alnumAt(s, end) {
		return 0
	}
	digits := 0
	for i, c := range []byte(s[at:end]) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return 0
			}
		default:
			if !isHex(c) {
				return 0
			}
			if isDigit(c) {
				digits++
			}
		}
	}
	if digits == 0 {
		return 0
	}
	return end
}

// emailEnd ends an e-mail address that begins here.
func (m *scanner) emailEnd() int {
	if m.at < m.noEmailTo {
		return 0
	}
	s, at := m.in, m.at
	for at < len(s) && (isAlnum(s[at]) || strings.IndexByte("._%+-", s[at]) >= 0) {
		at++
	}
	m.noEmailTo = at
	if at+1 >= len(s) || s[at] != '@' || !isAlnum(s[at+1]) {
		return 0
	}
	// A domain has a label behind a dot that begins with a letter, unlike a version.
	end, named := at+1, false
	for end < len(s) && (isAlnum(s[end]) || s[end] == '-' || (s[end] == '.' && alnumAt(s, end+1))) {
		named = named || (s[end] == '.' && !isDigit(s[end+1]))
		end++
	}
	if !named {
		return 0
	}
	return end
}

// urlEnd ends a URL whose "://" is at offset at: before white space, quotes and brackets, and before the punctuation
// of the sentence that it stands in.
func urlEnd(s string, at int) int {
	begin := at + len("://")
	end := begin
	for end < len(s) && s[end] > ' ' && strings.IndexByte("\"'`<>", s[end]) < 0 {
		end++
	}
	return begin + len(strings.TrimRight(s[begin:end], ".,;:!?)]}"))
}

func alnumEnd(s string, at int) int {
	for at < len(s) && isAlnum(s[at]) {
		at++
	}
	return at
}

func digitsEnd(s string, at int) int {
	for at < len(s) && isDigit(s[at]) {
		at++
	}
	return at
}

func allDigits(s string) bool       { return s != "" && digitsEnd(s, 0) == len(s) }
func alnumAt(s string, at int) bool { return at < len(s) && isAlnum(s[at]) }
func isDigit(c byte) bool           { return '0' <= c && c <= '9' }
func isLetter(c byte) bool          { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool           { return isDigit(c) || isLetter(c) }
func isHex(c byte) bool             { return isDigit(c) || ('a' <= c|0x20 && c|0x20 <= 'f') }

func hasDigit(s string) bool {
	for i := range len(s) {
		if isDigit(s[i]) {
			return true
		}
	}
	return false
}
