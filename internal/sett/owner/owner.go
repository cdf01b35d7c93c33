// Package owner decides who owns an error. It takes the ownership rules of a project, as text in the form of a CODEOWNERS file, the CODEOWNERS
// files of its repositories, and where an error happened: the files of its backtrace and its component. It returns the owners that the last
// matching rule names; files decide only where no rule of the project does. It looks up no user or team, stores nothing, and never changes
// an error.
package owner

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/repo"
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
	Line      int      // from 1
	Owners    []string // email addresses, or names of teams behind @; none: what matches has no owner
	component bool     // the pattern is of components, not of files
	pattern   *regexp.Regexp
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
	words := wordsOf(text, false)
	if len(words) == 0 || headingOf.MatchString(text) {
		return rule, false
	}
	rule = Rule{Line: line, Owners: words[1:]}
	pattern, component := strings.CutPrefix(words[0], "component:")
	var problem string
	switch {
	case len(text) > longestLine:
		problem = "is too long"
	case strings.HasPrefix(words[0], "!"):
		problem = "negates a pattern, which CODEOWNERS files cannot do; write a later rule without an owner instead"
	case pattern == "":
		problem = "has no pattern"
	case wildcards(pattern) > mostWildcard:
		problem = fmt.Sprintf("has more than %d wildcards", mostWildcard)
	case len(rule.Owners) > mostOwners:
		problem = "has too many owners"
	}
	for _, name := range rule.Owners {
		if problem == "" && !named(name) {
			problem = "names " + name + ", which is neither an email address nor a team such as @payments"
		}
	}
	if problem != "" {
		if len(*p) < mostProblems {
			p.Add(field, "has a mistake in line %d: it %s", line, problem)
		}
		return rule, false
	}
	if rule.component = component; component {
		rule.pattern = regexp.MustCompile(componentPattern(pattern))
	} else {
		rule.pattern = regexp.MustCompile(gitPattern(pattern, true))
	}
	return rule, true
}

// Find returns the rule that decides: for the first frame whose file any rule matches, or the component, the last rule that does.
func (r Rules) Find(frames []repo.Frame, component string) (rule Rule, ok bool) {
	if len(r.all) == 0 {
		return rule, false
	}
	if len(frames) == 0 {
		frames = make([]repo.Frame, 1)
	}
	for _, frame := range frames[:min(len(frames), mostFrames)] {
		if rule, ok = r.last(repo.Cleaned(frame.File), component); ok {
			return rule, true
		}
	}
	return rule, false
}

func (r Rules) last(path, component string) (Rule, bool) {
	for _, rule := range slices.Backward(r.all) {
		text := path
		if rule.component {
			text = component
		}
		if text != "" && len(text) <= longestPlace && rule.pattern.MatchString(text) {
			return rule, true
		}
	}
	return Rule{}, false
}

// Size returns how many rules there are.
func (r Rules) Size() int { return len(r.all) }

// decideAll reports whether a rule "*" decides about every file that no other rule names.
func (r Rules) decideAll() bool {
	everything := gitPattern("*", true)
	return slices.ContainsFunc(r.all, func(rule Rule) bool { return !rule.component && rule.pattern.String() == everything })
}

// Names returns everyone whom the rules name, each once, in order.
func (r Rules) Names() []string {
	var lists [][]string
	for _, rule := range r.all {
		lists = append(lists, rule.Owners)
	}
	return once(lists)
}
