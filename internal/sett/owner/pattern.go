package owner

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Patterns become regular expressions, which take linear time for any text.

// componentPattern translates a pattern of components, in which a star stands for any text. Case does not matter.
func componentPattern(pattern string) string {
	return "(?i)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
}

// gitPattern translates a pattern that is like one of .gitignore: one without a slash before its end is for any directory, and a directory is
// all that is in it. A loose one may always begin at any directory, as frames often have the path on the machine; two stars stand for any
// directories wherever they are in it.
func gitPattern(pattern string, loose bool) string {
	inside, directory := strings.CutSuffix(pattern, "/")
	rest, rooted := strings.CutPrefix(inside, "/")
	start, end := "^", "(?:/.*)?$"
	if loose || !rooted && !strings.Contains(rest, "/") {
		start = "^(?:.*/)?"
	}
	switch {
	case directory:
		end = "/.*$"
	case strings.HasSuffix(pattern, "/*"): // the files of a directory, without those of the directories in it
		end = "$"
	}
	return start + globOf(rest, loose) + end
}

// labPattern translates a pattern of GitLab: one without a slash before it is for any directory, and one without a slash behind it is for
// files.
func labPattern(pattern string) string {
	if pattern == "*" {
		return "^"
	}
	rest, rooted := strings.CutPrefix(pattern, "/")
	start := "^"
	if !rooted {
		start = "^(?:.*/)?"
	}
	if strings.HasSuffix(rest, "/") {
		rest += "**/*"
	}
	return start + globOf(rest, false) + "$"
}

// globOf translates the signs of a pattern: ** stands for any directories, * and ? for any text and any sign within a name.
func globOf(pattern string, loose bool) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 3
		case rest == "**" || loose && strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i += 2
		case rest[0] == '*':
			b.WriteString("[^/]*")
			i++
		case rest[0] == '?':
			b.WriteString("[^/]")
			i++
		default:
			end := strings.IndexAny(rest, "*?")
			if end < 0 {
				end = len(rest)
			}
			b.WriteString(regexp.QuoteMeta(rest[:end]))
			i += end
		}
	}
	return b.String()
}

// wildcards returns how many stars and question marks a pattern has; two stars side by side are one.
func wildcards(pattern string) int {
	return strings.Count(strings.ReplaceAll(pattern, "**", "*"), "*") + strings.Count(pattern, "?")
}

// sizeOf returns how large a regular expression is when it is compiled, in steps and ranges of characters; 0 for one that cannot be read.
func sizeOf(expression string) int {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0
	}
	return stepsOf(parsed)
}

func stepsOf(e *syntax.Regexp) int {
	steps := 1 + len(e.Rune)
	for _, part := range e.Sub {
		steps += stepsOf(part)
	}
	if e.Op == syntax.OpRepeat {
		steps *= max(e.Min, e.Max, 1)
	}
	return steps
}
