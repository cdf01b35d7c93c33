package regroup

// What clients send may be long: of a text so many bytes are compared, and a pattern is tried behind so many signs.
const (
	mostCompared = 500
	mostStarts   = 32
)

// meets reports whether a pattern matches all of a text, or all of it behind one of the signs between the parts of paths and names. An asterisk stands for any
// text, a question mark for any byte.
func meets(pattern, text string) bool {
	text = text[:min(len(text), mostCompared)]
	if text == "" || matches(pattern, text) {
		return text != ""
	}
	if pattern[0] == '*' {
		return false // it would have matched from the beginning
	}
	starts := 0
	for i := 0; i < len(text)-1 && starts < mostStarts; i++ {
		switch text[i] {
		case '/', '.', ':', '#', '\\', '$':
			if starts++; matches(pattern, text[i+1:]) {
				return true
			}
		}
	}
	return false
}

// matches goes back to the last asterisk only, so that its work is at most the product of both lengths.
func matches(pattern, text string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p, t = p+1, t+1
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
