package group

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"
)

// helpers and mistakes are tables of names of functions that fail for what their callers did wrong, and of classes of errors that runtimes raise; see the files.
var (
	//go:embed data/helpers.txt
	helpersText string
	//go:embed data/mistakes.txt
	mistakesText string

	helpers, mistakes = readClasses(helpersText), readClasses(mistakesText)
)

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

// IsOwnMistake reports whether an error is a mistake in the line that it comes from, which a runtime found. Then a helper failed for itself, and not for its caller.
func IsOwnMistake(class, message string) bool {
	if hasClass(mistakes, class) {
		return true
	}
	m, _ := spoken.find(strings.TrimSpace(class), withoutDetails(message))
	return m != nil
}
