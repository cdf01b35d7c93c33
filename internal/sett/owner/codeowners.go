package owner

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"sett/internal/sett/repo"
)

// What a CODEOWNERS file may have at most.
const (
	mostFileText   = 512 << 10 // bytes
	mostFileRules  = 5_000
	mostFileOwners = 50 // of a rule
	mostFileLine   = 2_000
	mostFileWrong  = 20 // problems that are named
	mostFileWild   = 20 // of a pattern

	// mostFileSize is how large the regular expressions of a file may be together: a few bytes such as \pL{1000} take much memory.
	mostFileSize = 100_000
)

// Codeowners are the rules of a CODEOWNERS file. The zero value has none.
type Codeowners struct {
	host     repo.Host
	sections []section // only GitLab has more than one
}

// section is a part of a file of GitLab, in which the last rule that matches decides.
type section struct {
	name     string // in lower case
	defaults []string
	rules    []fileRule
}

type fileRule struct {
	pattern *regexp.Regexp
	owners  []string
	negated bool // GitLab: what matches has no owner in the section; Gitea: what does not match
}

// ParseCodeowners reads a CODEOWNERS file as its host does, without the lines that are wrong. The problems say which those are, and why.
func ParseCodeowners(h repo.Host, text string) (Codeowners, []string) {
	c, r := Codeowners{host: h, sections: make([]section, 1)}, fileReader{host: h}
	if len(text) > mostFileText || !utf8.ValidString(text) {
		return c, []string{fmt.Sprintf("The file is longer than %d bytes, or not text in UTF-8.", mostFileText)}
	}
	at := 0 // section that rules belong to
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		r.line++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' || h == repo.Bitbucket && strings.HasPrefix(line, "CODEOWNERS.") {
			continue
		}
		if r.rules == mostFileRules {
			r.add("and those behind it are too many; at most %d rules are read", mostFileRules)
			break
		}
		if h == repo.GitLab {
			if s, ok := r.heading(line); ok {
				at = c.open(s)
				continue
			}
		}
		if rule, ok := r.read(line); ok {
			if h == repo.GitLab && len(rule.owners) == 0 {
				rule.owners = c.sections[at].defaults
			}
			c.sections[at].rules = append(c.sections[at].rules, rule)
			r.rules++
		}
		if r.size > mostFileSize {
			r.add("and those behind it are not read: the expressions are too large together. Write them without counts such as {1000}")
			break
		}
	}
	return c, r.problems
}

// open returns the number of a section. Those with the same name are one, with the defaults of the last heading that has some.
func (c *Codeowners) open(s section) int {
	for i, old := range c.sections {
		if i > 0 && old.name == s.name {
			if len(s.defaults) > 0 {
				c.sections[i].defaults = s.defaults
			}
			return i
		}
	}
	c.sections = append(c.sections, s)
	return len(c.sections) - 1
}

// Owners returns who owns a file, as the file writes them, each once: @user, @organization/team or an email address. path is that in the
// repository. The last rule that matches decides; at GitLab the last of each section; at Gitea all that match.
func (c Codeowners) Owners(path string) []string {
	path = strings.TrimPrefix(path, "/")
	if path == "" || len(path) > mostFileLine {
		return nil
	}
	var lists [][]string
	for _, s := range c.sections {
		if c.host != repo.Gitea {
			lists = append(lists, s.last(path))
			continue
		}
		for _, rule := range s.rules {
			if rule.pattern.MatchString(path) != rule.negated {
				lists = append(lists, rule.owners)
			}
		}
	}
	return once(lists)
}

// last returns the owners of the last rule that matches. A section of GitLab may leave a file out, and no rule of it brings that back.
func (s section) last(path string) (owners []string) {
	for _, rule := range s.rules {
		if !rule.pattern.MatchString(path) {
			continue
		}
		if rule.negated {
			return nil
		}
		owners = rule.owners
	}
	return owners
}

// Names returns everyone whom the file names, each once, in order.
func (c Codeowners) Names() []string {
	var lists [][]string
	for _, s := range c.sections {
		for _, rule := range s.rules {
			lists = append(lists, rule.owners)
		}
	}
	return once(lists)
}

// Size returns how many rules the file has.
func (c Codeowners) Size() (n int) {
	for _, s := range c.sections {
		n += len(s.rules)
	}
	return n
}
