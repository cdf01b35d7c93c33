package repo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a CODEOWNERS file may have at most.
const (
	MostOwnersText = 512 << 10 // bytes
	mostOwnRules   = 5_000
	mostOwnNames   = 50 // of a rule
	mostOwnLine    = 2_000
	mostOwnWrong   = 20 // problems that are named
)

// Codeowners are the rules of a CODEOWNERS file. The zero value has none.
type Codeowners struct {
	host     Host
	sections []section // only GitLab has more than one
}

// section is a part of a file of GitLab, in which the last rule that matches decides.
type section struct {
	name     string // in lower case
	defaults []string
	rules    []ownRule
}

type ownRule struct {
	pattern *regexp.Regexp
	owners  []string
	negated bool // GitLab: what matches has no owner in the section; Gitea: what does not match
}

// OwnersFiles are the paths at which a host looks for a CODEOWNERS file: the first that exists counts.
func OwnersFiles(h Host) []string {
	switch h {
	case GitHub:
		return []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}
	case GitLab:
		return []string{"CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"}
	case Gitea:
		return []string{"CODEOWNERS", "docs/CODEOWNERS", ".gitea/CODEOWNERS", ".forgejo/CODEOWNERS"}
	}
	return []string{".bitbucket/CODEOWNERS"}
}

// ParseOwners reads a CODEOWNERS file as its host does, without the lines that are wrong. The problems say which those are, and why.
func ParseOwners(h Host, text string) (Codeowners, []string) {
	c, r := Codeowners{host: h, sections: make([]section, 1)}, ownReader{host: h}
	if len(text) > MostOwnersText || !utf8.ValidString(text) {
		return c, []string{fmt.Sprintf("The file is longer than %d bytes, or not text in UTF-8.", MostOwnersText)}
	}
	at := 0 // section that rules belong to
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		r.line++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' || h == Bitbucket && strings.HasPrefix(line, "CODEOWNERS.") {
			continue
		}
		if r.rules == mostOwnRules {
			r.add("and those behind it are too many; at most %d rules are read", mostOwnRules)
			break
		}
		if h == GitLab {
			if s, ok := r.heading(line); ok {
				at = c.open(s)
				continue
			}
		}
		if rule, ok := r.read(line); ok {
			if h == GitLab && len(rule.owners) == 0 {
				rule.owners = c.sections[at].defaults
			}
			c.sections[at].rules = append(c.sections[at].rules, rule)
			r.rules++
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
func (c Codeowners) Owners(path string) (owners []string) {
	path = strings.TrimPrefix(path, "/")
	if path == "" || len(path) > mostOwnLine {
		return nil
	}
	add := func(names []string) {
		for _, name := range names {
			if !slices.Contains(owners, name) {
				owners = append(owners, name)
			}
		}
	}
	for _, s := range c.sections {
		if c.host != Gitea {
			add(s.last(path))
			continue
		}
		for _, rule := range s.rules {
			if rule.pattern.MatchString(path) != rule.negated {
				add(rule.owners)
			}
		}
	}
	return owners
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
func (c Codeowners) Names() (names []string) {
	seen := map[string]bool{}
	for _, s := range c.sections {
		for _, rule := range s.rules {
			for _, name := range rule.owners {
				if !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Size returns how many rules the file has.
func (c Codeowners) Size() (n int) {
	for _, s := range c.sections {
		n += len(s.rules)
	}
	return n
}
