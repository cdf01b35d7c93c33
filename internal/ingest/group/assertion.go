package group

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

// helpersText is the table of names of functions that fail for what their callers did wrong; see the file.
//
//go:embed data/helpers.txt
var helpersText string

var helpers = readClasses(helpersText)

// IsHelper reports whether a method is an assertion or a check by its name, so that its caller says more.
func IsHelper(method string) bool {
	name := strings.TrimRight(plainName(method), "$")
	if i := strings.IndexAny(name, "(<"); i > 0 {
		name = name[:i]
	}
	name = strings.TrimLeft(name[strings.LastIndexAny(name, ".#:>$\\")+1:], "_")
	for i, r := range name {
		if i > 0 && (unicode.IsUpper(r) || !unicode.IsLetter(r)) {
			return helpers[strings.ToLower(name[:i])]
		}
	}
	first, size := utf8.DecodeRuneInString(name)
	return helpers[string(unicode.ToLower(first))+name[size:]]
}
