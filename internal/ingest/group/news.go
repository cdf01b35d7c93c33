package group

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
)

// wrappers and generic are tables of classes; see the files.
var (
	//go:embed data/wrappers.txt
	wrappersText string
	//go:embed data/groups.txt
	groupsText string
	//go:embed data/generic.txt
	genericText string

	wrappers, groups, generic = readClasses(wrappersText), readClasses(groupsText), readClasses(genericText)
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

// newsOf returns the error of a chain that carries the news, what led to it (see causesOf), and the classes of the errors that only wrap it, a line each.
func newsOf(chain []Error) (news Error, causes, inside string) {
	chain, wrapped := unwrapped(chain)
	return newsAt(chain, wrapped), causesOf(chain[wrapped:]), classesOf(chain[:wrapped])
}

// unwrapped returns a chain with the members of groups in one order, and how many of its errors only wrap another one.
func unwrapped(chain []Error) (_ []Error, wrapped int) {
	for wrapped+1 < len(chain) && says(chain[wrapped+1]) && isWrapper(chain[wrapped], chain[wrapped+1]) {
		if wrapped++; isGroup(chain[wrapped-1].Class) {
			end := wrapped + heldBy(chain[wrapped-1], chain[wrapped:])
			chain = slices.Concat(chain[:wrapped], sorted(chain[wrapped:end]), chain[end:])
		}
	}
	return chain, wrapped
}

// newsAt returns the error of a chain behind its wrappers. It has the frames of the nearest of them if it has none of the application's.
func newsAt(chain []Error, wrapped int) Error {
	news := chain[wrapped]
	for at := wrapped; news.App == nil && at > 0; at-- {
		news.App, news.Caller, news.Helped = chain[at-1].App, chain[at-1].Caller, chain[at-1].Helped
	}
	return news
}

// sorted returns the members of a group in one order, those with application frames first: programs that run at one time fail in any.
func sorted(members []Error) []Error {
	return slices.SortedStableFunc(slices.Values(members), func(a, b Error) int {
		if (a.App == nil) != (b.App == nil) {
			return compareBool(a.App == nil, b.App == nil)
		}
		return cmp.Compare(lineOf(a), lineOf(b))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// classesOf returns the classes of errors, a line each.
func classesOf(chain []Error) string {
	if len(chain) == 0 {
		return ""
	}
	lines := make([]string, 0, len(chain))
	for _, e := range chain {
		lines = append(lines, strings.TrimSpace(e.Class))
	}
	return strings.Join(lines, "\n")
}

// says reports whether an error has content.
func says(e Error) bool { return strings.TrimSpace(e.Class) != "" }

// isWrapper reports whether an error says no more than that another led to it: by its class, or because it repeats the message of its cause and is of a class
// that stands for any error.
func isWrapper(e, cause Error) bool {
	if hasClass(wrappers, e.Class) || isGroup(e.Class) {
		return true
	}
	message := strings.TrimSpace(e.Message)
	return hasClass(generic, e.Class) && (message == "" || cause.Message != "" && strings.HasSuffix(message, strings.TrimSpace(cause.Message)))
}

// isGroup reports whether an error of a class holds several errors that are no causes of one another.
func isGroup(class string) bool { return hasClass(groups, class) }

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

// causesOf returns the classes of what led to the first error of a chain, nearest first, a line each; with codes and names of the message, or all of it where the class
// stands for any error. Members
// of a group that are like the first one are left out.
func causesOf(chain []Error) string {
	if len(chain) == 1 {
		return ""
	}
	lines := []string{lineOf(chain[0])}
	for _, c := range chain[1:] {
		if line := lineOf(c); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[1:], "\n")
}

func lineOf(e Error) string {
	line, message, _ := sayingOf(e)
	signs := signsOf(message, true)
	if IsGeneric(line) {
		signs = cmp.Or(signs, message)
	}
	if signs != "" {
		line += ": " + signs
	}
	return line
}
