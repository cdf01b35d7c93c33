package owner

import (
	"fmt"
	"regexp"
	"strings"

	"sett/internal/sett/repo"
)

// fileReader reads the lines of a CODEOWNERS file.
type fileReader struct {
	host     repo.Host
	line     int
	rules    int
	size     int // of the regular expressions
	problems []string
}

func (r *fileReader) add(format string, args ...any) {
	if len(r.problems) < mostFileWrong {
		r.problems = append(r.problems, fmt.Sprintf("Line %d %s.", r.line, fmt.Sprintf(format, args...)))
	}
}

// headingOf is that of a section of GitLab: ^[Name][2] @default, where ^ makes it optional, and 2 is how many must approve.
var headingOf = regexp.MustCompile(`^\^?\[([^\]]+)\](?:\[[0-9]+\])?(?:\s+(.*))?$`)

func (r *fileReader) heading(line string) (s section, ok bool) {
	m := headingOf.FindStringSubmatch(line)
	if m == nil {
		return s, false
	}
	s.name = strings.ToLower(strings.TrimSpace(m[1]))
	s.defaults, _ = r.names(wordsOf(m[2], false))
	return s, true
}

// read reads a rule: a pattern and its owners.
func (r *fileReader) read(line string) (rule fileRule, ok bool) {
	if len(line) > mostFileLine {
		r.add("is longer than %d bytes", mostFileLine)
		return rule, false
	}
	words := wordsOf(line, r.host == repo.Gitea)
	if len(words) == 0 {
		return rule, false
	}
	pattern := words[0]
	if r.host == repo.GitLab || r.host == repo.Gitea {
		pattern, rule.negated = strings.CutPrefix(pattern, "!")
	}
	if r.host == repo.Gitea {
		if r.size += sizeOf(pattern); r.size > mostFileSize {
			return rule, false // it is the last line that is read
		}
	}
	var problem string
	rule.pattern, problem = patternOf(r.host, pattern)
	if problem != "" {
		r.add("%s", problem)
		return rule, false
	}
	if r.host == repo.GitLab && rule.negated {
		return rule, true
	}
	var right bool
	rule.owners, right = r.names(words[1:])
	if !right && r.host != repo.GitLab || r.host == repo.Gitea && len(rule.owners) == 0 {
		if right {
			r.add("names no owner")
		}
		return rule, false
	}
	return rule, true
}

// names returns the words that can name an owner.
func (r *fileReader) names(words []string) (names []string, right bool) {
	right = true
	for _, w := range words {
		if r.host == repo.Bitbucket { // how many of a group are asked, such as :random(2)
			w, _, _ = strings.Cut(w, ":")
		}
		if !named(w) {
			r.add("names %q, which is neither @user, @organization/team nor an email address", w)
			right = false
			continue
		}
		if len(names) == mostFileOwners {
			r.add("names more than %d owners", mostFileOwners)
			return names, right
		}
		names = append(names, w)
	}
	return names, right
}

// patternOf translates a pattern of a host into a regular expression, which takes linear time for any path.
func patternOf(h repo.Host, pattern string) (*regexp.Regexp, string) {
	var text string
	switch {
	case pattern == "":
		return nil, "has no pattern"
	case h == repo.Gitea:
		text = "^(?:" + pattern + ")$"
	case h == repo.GitLab:
		text = labPattern(pattern)
	case strings.HasPrefix(pattern, "!"):
		return nil, "negates a pattern, which this host does not read; write a later rule without an owner instead"
	case strings.ContainsAny(pattern, "[]"):
		return nil, "has a range of characters, which this host does not read"
	default:
		text = gitPattern(pattern, false)
	}
	if wildcards(pattern) > mostFileWild {
		return nil, fmt.Sprintf("has more than %d wildcards", mostFileWild)
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Sprintf("has a regular expression that cannot be read: %q", pattern)
	}
	return compiled, ""
}
