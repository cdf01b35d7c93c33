package owner

import "strings"

// wordsOf splits a line at blanks that have no backslash before them, and ends at a comment. Of a regular expression it keeps backslashes
// before signs that it has no use for itself.
func wordsOf(line string, expression bool) (words []string) {
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, word.String())
		}
		word.Reset()
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			if expression && !strings.ContainsRune(`# \`, rune(line[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(line[i])
		case c == ' ' || c == '\t':
			end()
		case c == '#' && (word.Len() == 0 || expression):
			end()
			return words
		default:
			word.WriteByte(c)
		}
	}
	end()
	return words
}

// named reports whether a word can name an owner: @user, @organization/team or an email address.
func named(word string) bool {
	at := strings.LastIndexByte(word, '@')
	return at >= 0 && at < len(word)-1
}

// once returns the names in all lists, each once, in order.
func once(lists [][]string) (names []string) {
	seen := map[string]bool{}
	for _, list := range lists {
		for _, name := range list {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}
