package scrub

import "slices"

// A matcher finds out in one pass whether one of some words is in a text: Aho and Corasick, Efficient String Matching (1975). It is a table of
// states. Each is the longest beginning of a word that the text ends with so far, and has the next state for each class of characters.
type matcher [][classes]uint16

// The classes of characters: signs between words, which change nothing; letters; and all that is in no word.
const (
	signClass   = 0
	firstLetter = 1
	digitTwo    = firstLetter + 26 // the only digit in a word
	otherClass  = digitTwo + 1
	classes     = 32
)

// matched is the state in which a word was found.
const matched = 1

// plainClass has the class of each character, in any case.
var plainClass = func() (t [256]uint8) {
	for i, c := range plain {
		switch {
		case c == 0:
			t[i] = signClass
		case 'a' <= c && c <= 'z':
			t[i] = firstLetter + c - 'a'
		case c == '2':
			t[i] = digitTwo
		default:
			t[i] = otherClass
		}
	}
	return t
}()

// secretMatcher finds the usual names of secrets and the parts of them.
var secretMatcher = func() matcher {
	words := secretNames
	for _, parts := range secretParts {
		words = slices.Concat(words, parts)
	}
	return newMatcher(words)
}()

func newMatcher(words []string) matcher {
	words = slices.Clone(words)
	slices.SortStableFunc(words, byLength) // a word that begins another one is found first
	m := make(matcher, 2)
	beginnings := []string{"", ""} // by state; that of matched is not used
	for _, word := range words {
		state := uint16(0)
		for i := range len(word) {
			class := plainClass[word[i]]
			if m[state][class] == 0 {
				m[state][class] = uint16(len(m))
				if i == len(word)-1 {
					m[state][class] = matched
				} else {
					m, beginnings = append(m, [classes]uint16{}), append(beginnings, word[:i+1])
				}
			}
			if state = m[state][class]; state == matched {
				break // a shorter word is its beginning
			}
		}
	}
	m.complete(beginnings)
	return m
}

// complete adds where states go on that the next character does not make a longer beginning of their word: to that of the longest ending of
// them that begins a word. Shorter beginnings come first, as they are needed for longer ones.
func (m matcher) complete(beginnings []string) {
	order := make([]uint16, 0, len(m))
	for state := range m {
		if state != matched {
			order = append(order, uint16(state))
		}
	}
	slices.SortStableFunc(order, func(a, b uint16) int { return byLength(beginnings[a], beginnings[b]) })
	for _, state := range order {
		shorter := uint16(0)
		if text := beginnings[state]; text != "" {
			shorter = m.after(text[1:])
		}
		for class := range classes {
			switch next := m[state][class]; {
			case class == signClass:
				m[state][class] = state
			case next == 0 && state != 0:
				m[state][class] = m[shorter][class]
			case next > matched && m.after(beginnings[next][1:]) == matched: // a word is inside of another one
				m[state][class] = matched
			}
		}
	}
}

func byLength(a, b string) int { return len(a) - len(b) }

// after returns the state after a text.
func (m matcher) after(text string) (state uint16) {
	for i := range len(text) {
		if state = m[state][plainClass[text[i]]]; state == matched {
			return matched
		}
	}
	return state
}
