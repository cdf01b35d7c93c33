package scrub

// isCard reports whether a text of digits alone is the number of a payment card.
func isCard(digits string) bool {
	return isCardLength(digits) && luhn(digits)
}

// isCardLength reports whether a number has the beginning and the length of one that a payment network issues (ISO/IEC 7812). Visa's
// numbers of 13 digits are of the last century, and times in milliseconds have 13 digits; those of 19 occur with gaps only, as ids have 19.
func isCardLength(n string) bool {
	if len(n) < 14 || len(n) > 16 && len(n) != 19 {
		return false
	}
	two, four := number(n[:2]), number(n[:4])
	switch {
	case two < 0 || four < 0:
		return false
	case n[0] == '4', 51 <= two && two <= 55, 2221 <= four && four <= 2720, four == 6011, two == 65, 644 <= four/10 && four/10 <= 649, 3528 <= four && four <= 3589, two == 62:
		return len(n) == 16 || len(n) == 19
	case two == 34, two == 37:
		return len(n) == 15
	case two == 36, two == 38, two == 39, 3000 <= four && four <= 3059:
		return len(n) == 14 || len(n) == 16
	}
	return false
}

// number returns the value of digits, or -1.
func number(digits string) (n int) {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return -1
		}
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// luhn reports whether the last digit of a number is the check digit of the others (ISO/IEC 7812-1, annex B).
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i]) - '0'
		if d < 0 || d > 9 {
			return false
		}
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// beginsCard reports whether a number of so many digits, which are not interrupted, can be that of a card or the first group of one.
func beginsCard(first byte, digits int) bool {
	return '2' <= first && first <= '6' && (digits == 4 || 14 <= digits && digits <= 16)
}

// card returns the end of the number of a card that begins at an offset of a text, or 0. Between its digits there may be blanks or dashes, as
// they are printed on a card.
func card(text string, start int) (end int) {
	const most = 19
	var room [most]byte
	var ends [5]int // of the groups
	digits, lengths := room[:0], [len(ends)]int{}
	group := 0
	for i := start; i < len(text) && len(digits) < most; i++ {
		if c := text[i]; isDigit(c) {
			digits = append(digits, c)
			ends[group] = i + 1
			lengths[group]++
		} else if (c == ' ' || c == '-') && isDigit(text[i-1]) && group < len(ends)-1 {
			group++
		} else {
			break
		}
	}
	if len(digits) < 14 {
		return 0
	}
	for ; group >= 0; group-- {
		if lengths[group] == 0 {
			continue
		}
		if isPrinted(lengths[:group+1], len(digits)) && isCard(string(digits)) && !isGlued(text, start, ends[group]) {
			return ends[group]
		}
		digits = digits[:len(digits)-lengths[group]]
	}
	return 0
}

// isPrinted reports whether groups of digits are those of a card: one, 4 4 4 4, 4 4 4 4 3, 4 6 5 or 4 6 4.
func isPrinted(groups []int, digits int) bool {
	switch {
	case len(groups) == 1:
		return digits != 19
	case len(groups) == 3:
		return groups[0] == 4 && groups[1] == 6
	}
	for _, n := range groups[:len(groups)-1] {
		if n != 4 {
			return false
		}
	}
	return groups[len(groups)-1] <= 4
}

// isGlued reports whether what is next to digits makes them a part of something else: an id, a fraction, a phone number.
func isGlued(text string, start, end int) bool {
	if end < len(text) && (isWord(text[end]) || text[end] == '.' && end+1 < len(text) && isDigit(text[end+1])) {
		return true
	}
	if start == 0 {
		return false
	}
	switch c := text[start-1]; {
	case c == '.', c == '+', isWord(c):
		return true
	case c == '-': // an id of hexadecimal digits with dashes, or a number with a sign
		return start > 1 && isWord(text[start-2])
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80
}
