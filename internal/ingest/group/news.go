package group

import (
	_ "embed"
	"strings"
)

// wrappers and generic are tables of classes; see the files.
var (
	//go:embed data/wrappers.txt
	wrappersText string
	//go:embed data/generic.txt
	genericText string

	wrappers, generic = readClasses(wrappersText), readClasses(genericText)
)

// readClasses reads a table with a class on each line.
func readClasses(text string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			all[line] = true
		}
	}
	return all
}

// newsOf returns the error of a chain that carries the news, and the classes of those that only wrap it. It has the frames of the nearest wrapper if it has
// none of the application's.
func newsOf(chain []Error) (news Error, inside string) {
	at := 0
	for at+1 < len(chain) && says(chain[at+1]) && isWrapper(chain[at], chain[at+1]) {
		inside = strings.TrimPrefix(inside+"\n"+strings.TrimSpace(chain[at].Class), "\n")
		at++
	}
	news = chain[at]
	for ; news.App == nil && at > 0; at-- {
		news.App = chain[at-1].App
	}
	return news, inside
}

// says reports whether an error has content.
func says(e Error) bool { return strings.TrimSpace(e.Class) != "" }

// isWrapper reports whether an error says no more than that another led to it: by its class, or because it repeats the message of its cause and is of a class
// that stands for any error.
func isWrapper(e, cause Error) bool {
	if hasClass(wrappers, e.Class) {
		return true
	}
	message := strings.TrimSpace(e.Message)
	return hasClass(generic, e.Class) && (message == "" || cause.Message != "" && strings.HasSuffix(message, strings.TrimSpace(cause.Message)))
}

// IsGeneric reports whether a class stands for any error, so that only the message says which.
func IsGeneric(class string) bool { return class == "" || hasClass(generic, class) }

// hasClass looks a class up with its module, and without.
func hasClass(all map[string]bool, class string) bool {
	if class = strings.TrimSpace(class); all[class] {
		return true
	}
	i := strings.LastIndexAny(class, `.:\`)
	return i >= 0 && all[class[i+1:]]
}
