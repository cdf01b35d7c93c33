package query

import (
	"strings"
	"unicode"
)

// Write returns the search for one value of a key, as people would type it: in quotes if it needs them. Parse reads the value again. Of a
// value with more stars than a search may have, it asks for the beginning.
func Write(key Key, value string) string {
	if strings.Count(value, "*") > MaxStars {
		value = strings.Join(strings.SplitAfterN(value, "*", MaxStars+1)[:MaxStars], "")
	}
	needs := func(c rune) bool { return unicode.IsSpace(c) || c == 0 }
	if strings.HasPrefix(value, `"`) || strings.ContainsFunc(value, needs) {
		value = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return string(key) + ":" + value
}
