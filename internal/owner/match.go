package owner

import (
	"net/url"
	"regexp"
	"strings"
)

// matcher compares paths with a pattern of a CODEOWNERS file, or components with one in which a star stands for any text.
type matcher struct {
	pattern  *regexp.Regexp
	anchored bool // the pattern begins at the root of the repository
}

// newMatcher translates a pattern into a regular expression, which takes linear time for any text.
func newMatcher(pattern string, component bool) matcher {
	if component {
		parts := strings.Split(pattern, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		return matcher{pattern: regexp.MustCompile("(?i)^" + strings.Join(parts, ".*") + "$")}
	}
	directory := strings.HasSuffix(pattern, "/")
	pattern = strings.TrimSuffix(pattern, "/")
	anchored := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	var b strings.Builder
	b.WriteString("^")
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	b.WriteString(expression(pattern))
	switch {
	case directory:
		b.WriteString("/.+$")
	case strings.HasSuffix(pattern, "/*"): // the files of a directory, without those of the directories in it
		b.WriteString("$")
	default:
		b.WriteString("(?:/.*)?$")
	}
	return matcher{regexp.MustCompile(b.String()), anchored}
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

func (m matcher) text(text string) bool { return m.pattern.MatchString(text) }

// any reports whether a path matches. Frames often have the path on the machine, whose beginning is not in the repository: a pattern may
// begin at any of its directories. A pattern that is not anchored may do so in any case.
func (m matcher) any(paths []string) bool {
	if !m.anchored {
		paths = paths[:min(1, len(paths))]
	}
	for _, path := range paths {
		if m.pattern.MatchString(path) {
			return true
		}
	}
	return false
}

// suffixes returns a file without its root, and what is left when its first directories are cut off; nil for "".
func suffixes(file string) (paths []string) {
	if u, err := url.Parse(file); err == nil && len(u.Scheme) > 1 && u.Host != "" {
		file = u.Path
	}
	file = strings.ReplaceAll(file, `\`, "/")
	for _, root := range []string{"[PROJECT_ROOT]", "[GEM_ROOT]", "/PROJECT_ROOT", "/GEM_ROOT"} {
		file = strings.TrimPrefix(file, root)
	}
	file = strings.TrimPrefix(strings.TrimLeft(file, "/"), "./")
	for file != "" && len(paths) < mostPathPart {
		paths = append(paths, file)
		_, file, _ = strings.Cut(file, "/")
	}
	return paths
}
