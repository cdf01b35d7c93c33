package repo

import (
	"fmt"
	"regexp"
	"strings"
)

// ownReader reads the lines of a CODEOWNERS file.
type ownReader struct {
	host     Host
	line     int
	rules    int
	problems []string
}

func (r *ownReader) add(format string, args ...any) {
	if len(r.problems) < mostOwnWrong {
		r.problems = append(r.problems, fmt.Sprintf("Line %d %s.", r.line, fmt.Sprintf(format, args...)))
	}
}

// headingOf is that of a section of GitLab: ^[Name][2] @default, where ^ makes it optional, and 2 is how many must approve.
var headingOf = regexp.MustCompile(`^\^?\[([^\]]+)\](?:\[[0-9]+\])?(?:\s+(.*))?$`)

func (r *ownReader) heading(line string) (s section, ok bool) {
	m := headingOf.FindStringSubmatch(line)
	if m == nil {
		return s, false
	}
	s.name = strings.ToLower(strings.TrimSpace(m[1]))
	s.defaults, _ = r.names(ownWords(m[2], false))
	return s, true
}

// read reads a rule: a pattern and its owners.
func (r *ownReader) read(line string) (rule ownRule, ok bool) {
	if len(line) > mostOwnLine {
		r.add("is longer than %d bytes", mostOwnLine)
		return rule, false
	}
	words := ownWords(line, r.host == Gitea)
	if len(words) == 0 {
		return rule, false
	}
	pattern := words[0]
	if r.host == GitLab || r.host == Gitea {
		pattern, rule.negated = strings.CutPrefix(pattern, "!")
	}
	var problem string
	rule.pattern, problem = patternOf(r.host, pattern)
	if problem != "" {
		r.add("%s", problem)
		return rule, false
	}
	if r.host == GitLab && rule.negated {
		return rule, true
	}
	var right bool
	rule.owners, right = r.names(words[1:])
	if !right && r.host != GitLab || r.host == Gitea && len(rule.owners) == 0 {
		if right {
			r.add("names no owner")
		}
		return rule, false
	}
	return rule, true
}

// names returns the words that can name an owner.
func (r *ownReader) names(words []string) (names []string, right bool) {
	right = true
	for _, w := range words {
		if r.host == Bitbucket { // how many of a group are asked, such as :random(2)
			w, _, _ = strings.Cut(w, ":")
		}
		if at := strings.LastIndexByte(w, '@'); at < 0 || at == len(w)-1 {
			r.add("names %q, which is neither @user, @organization/team nor an email address", w)
			right = false
			continue
		}
		if len(names) == mostOwnNames {
			r.add("names more than %d owners", mostOwnNames)
			return names, right
		}
		names = append(names, w)
	}
	return names, right
}

// ownWords splits a line at blanks that have no backslash before them, and ends at a comment. Of a regular expression it keeps backslashes
// before signs that it has no use for itself.
func ownWords(line string, expression bool) (words []string) {
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

// patternOf translates a pattern of a host into a regular expression, which takes linear time for any path.
func patternOf(h Host, pattern string) (*regexp.Regexp, string) {
	var text string
	switch {
	case pattern == "":
		return nil, "has no pattern"
	case h == Gitea:
		text = "^(?:" + pattern + ")$"
	case h == GitLab:
		text = labPattern(pattern)
	case strings.HasPrefix(pattern, "!"):
		return nil, "negates a pattern, which this host does not read; write a later rule without an owner instead"
	case strings.ContainsAny(pattern, "[]"):
		return nil, "has a range of characters, which this host does not read"
	default:
		text = gitPattern(pattern)
	}
	if strings.Count(pattern, "*") > 20 {
		return nil, "has more than 20 wildcards"
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Sprintf("has a regular expression that cannot be read: %q", pattern)
	}
	return compiled, ""
}

// gitPattern translates a pattern of GitHub or Bitbucket, which is like one of .gitignore: one without a slash before its end is for any
// directory, and a directory is all that is in it.
func gitPattern(pattern string) string {
	inside, directory := strings.CutSuffix(pattern, "/")
	rest, rooted := strings.CutPrefix(inside, "/")
	start, end := "^", "(?:/.*)?$"
	if !rooted && !strings.Contains(rest, "/") {
		start = "^(?:.*/)?"
	}
	switch {
	case directory:
		end = "/.*$"
	case strings.HasSuffix(pattern, "/*"): // the files of a directory, without those of the directories in it
		end = "$"
	}
	return start + globOf(rest) + end
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
	return start + globOf(rest) + "$"
}

// globOf translates the signs of a pattern: ** stands for any directories, * and ? for any text and any sign within a name.
func globOf(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 3
		case rest == "**":
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
