package owner

import (
	"net/url"
	"regexp"
	"strings"
)

// matcher compares paths with a pattern of a CODEOWNERS file, or components with one in which a star stands for any text.
type matcher struct{ pattern *regexp.Regexp }

// newMatcher translates a pattern into a regular expression, which takes linear time for any text. Frames often have the path on the machine,
// whose beginning is not in the repository: so a pattern may begin at any directory of a path.
func newMatcher(pattern string, component bool) matcher {
	if component {
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		return matcher{regexp.MustCompile("(?i)^" + strings.Join(parts, ".*") + "$")}
	}
	directory := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/")
	var b strings.Builder
	b.WriteString("^(?:.*/)?")
	b.WriteString(expression(pattern))
	switch {
	case directory:
		b.WriteString("/.+$")
	case strings.HasSuffix(pattern, "/*"): // the files of a directory, without those of the directories in it
		b.WriteString("$")
	default:
		b.WriteString("(?:/.*)?$")
	}
	return matcher{regexp.MustCompile(b.String())}
}

// expression translates the signs of a pattern: ** stands for any directories, * and ? for any text and any sign within a name.
func expression(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(".*")
			i++
		case pattern[i] == '*':
			b.WriteString("[^/]*")
		case pattern[i] == '?':
			b.WriteString("[^/]")
		default:
			end := i + 1
			for end < len(pattern) && !strings.ContainsRune("*?", rune(pattern[end])) {
				end++
			}
			b.WriteString(regexp.QuoteMeta(pattern[i:end]))
			i = end - 1
		}
	}
	return b.String()
}

// matches reports whether a path or component is as the pattern says; a very long one is not.
func (m matcher) matches(text string) bool {
	return text != "" && len(text) <= longestPlace && m.pattern.MatchString(text)
}

// wildcards returns how many stars and question marks a pattern has; two stars side by side are one.
func wildcards(pattern string) int {
	return strings.Count(strings.ReplaceAll(pattern, "**", "*"), "*") + strings.Count(pattern, "?")
}

// inRepository returns a file without its root.
func inRepository(file string) string {
	if u, err := url.Parse(file); err == nil && len(u.Scheme) > 1 && u.Host != "" {
		file = u.Path
	}
	file = strings.ReplaceAll(file, `\`, "/")
	for _, root := range []string{"[PROJECT_ROOT]", "[GEM_ROOT]", "/PROJECT_ROOT", "/GEM_ROOT"} {
		file = strings.TrimPrefix(file, root)
	}
	return strings.TrimPrefix(strings.TrimLeft(file, "/"), "./")
}
