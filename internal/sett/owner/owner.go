// Package owner decides who owns an error. It takes the ownership rules of a project, as text in the form of a CODEOWNERS file, the CODEOWNERS
// files of its repositories, and where an error happened: the files of its backtrace and its component. It returns the owners that the last
// matching rule names; files decide only where no rule of the project does. It looks up no user or team, stores nothing, and never changes
// an error.
package owner

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sett/internal/event/payload"
	"sett/internal/sett"
)

// What the rules of a project may have at most.
const (
	MostRules    = 500
	LongestText  = 64 << 10 // bytes
	mostProblems = 5        // that are named
	mostOwners   = 10       // of a rule
	longestLine  = 1_000    // bytes
	mostFrames   = 100      // that are compared
	longestPlace = 1_000    // bytes of a path or component
	mostWildcard = 10       // of a pattern
)

// Rule is a line of the rules of a project.
type Rule struct {
	Line      int // from 1
	Pattern   string
	Component bool     // the pattern is of components, not of files
	Owners    []string // email addresses, or names of teams behind @; none: what matches has no owner
	match     matcher
}

// Rules are the ownership rules of a project. The zero value has none.
type Rules struct{ all []Rule }

// Parse reads rules: one on a line, a pattern and its owners. A line that begins with # is a comment, as is what follows a blank and a #.
// It leaves out lines that are wrong, and names them to p as problems of the field.
func Parse(p *sett.Problems, field, text string) (r Rules) {
	if len(text) > LongestText {
		p.Add(field, "is longer than %d bytes", LongestText)
		return r
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		p.Add(field, "is not text in UTF-8")
		return r
	}
	line := 0
	for l := range strings.Lines(text) {
		line++
		rule, ok := read(p, field, line, strings.TrimSpace(l))
		if ok {
			r.all = append(r.all, rule)
		}
	}
	if len(r.all) > MostRules {
		p.Add(field, "has %d rules; at most %d are possible", len(r.all), MostRules)
		r.all = r.all[:MostRules]
	}
	return r
}

// read reads a line; ok is false for one without a rule.
func read(p *sett.Problems, field string, line int, text string) (rule Rule, ok bool) {
	words := fields(text)
	if len(words) == 0 || sectionOf(text) {
		return rule, false
	}
	rule = Rule{Line: line, Owners: words[1:]}
	rule.Pattern, rule.Component = strings.CutPrefix(words[0], "component:")
	var problem string
	switch {
	case len(text) > longestLine:
		problem = "is too long"
	case strings.HasPrefix(words[0], "!"):
		problem = "negates a pattern, which CODEOWNERS files cannot do; write a later rule without an owner instead"
	case rule.Pattern == "":
		problem = "has no pattern"
	case wildcards(rule.Pattern) > mostWildcard:
		problem = fmt.Sprintf("has more than %d wildcards", mostWildcard)
	case len(rule.Owners) > mostOwners:
		problem = "has too many owners"
	}
	for _, name := range rule.Owners {
		if problem == "" && !strings.Contains(strings.TrimPrefix(name, "@"), "@") && !(strings.HasPrefix(name, "@") && len(name) > 1) {
			problem = "names " + name + ", which is neither an email address nor a team such as @payments"
		}
	}
	if problem != "" {
		if len(*p) < mostProblems {
			p.Add(field, "has a mistake in line %d: it %s", line, problem)
		}
		return rule, false
	}
	rule.match = newMatcher(rule.Pattern, rule.Component)
	return rule, true
}

// sectionOf reports whether a line is the heading of a section of a GitLab file, such as [Documentation][2].
func sectionOf(text string) bool {
	text = strings.TrimPrefix(text, "^")
	return strings.HasPrefix(text, "[") && strings.Contains(text, "]")
}

// fields splits a line at blanks that have no backslash before them, and ends at a comment.
func fields(line string) (words []string) {
	var word strings.Builder
	escaped, inside := false, false
	end := func() {
		if inside {
			words = append(words, word.String())
		}
		word.Reset()
		inside = false
	}
	for _, c := range line {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped, inside = false, true
		case c == '\\':
			escaped = true
		case c == ' ' || c == '\t':
			end()
		case c == '#' && !inside:
			return words
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	end()
	return words
}

// Place is where an error happened.
type Place struct {
	Files     []string // of the frames that decide, newest call first
	Component string
}

// Find returns the rule that decides about a place: for the first file that any rule matches, or the component, the last rule that does.
func (r Rules) Find(p Place) (rule Rule, ok bool) {
	if len(r.all) == 0 {
		return rule, false
	}
	files := p.Files[:min(len(p.Files), mostFrames)]
	if len(files) == 0 {
		files = []string{""}
	}
	for _, file := range files {
		if rule, ok = r.last(inRepository(file), p.Component); ok {
			return rule, true
		}
	}
	return rule, false
}

func (r Rules) last(path, component string) (Rule, bool) {
	for i := len(r.all) - 1; i >= 0; i-- {
		if rule := r.all[i]; rule.Component && rule.match.matches(component) || !rule.Component && rule.match.matches(path) {
			return rule, true
		}
	}
	return Rule{}, false
}

// All returns the rules in order.
func (r Rules) All() []Rule { return r.all }

// PlaceOf returns where a notice happened: the files of its application frames, or of all frames if there are none.
func PlaceOf(n payload.Payload) Place {
	frames := n.ApplicationTrace
	if len(frames) == 0 {
		frames = n.Backtrace
	}
	p := Place{Component: n.Request.Component}
	for _, f := range frames[:min(len(frames), mostFrames)] {
		p.Files = append(p.Files, f.File)
	}
	return p
}
