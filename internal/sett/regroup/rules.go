// Package regroup holds the rules by which a project corrects the grouping of its errors. It takes the text that people write, a rule on each line, and returns
// the rules, or what is wrong with which line. Of a frame of a backtrace it then says which rule it meets: whose code it is, and whether it may decide; of a class,
// whether messages tell its errors apart. Of the rules that match, the last one counts, as in ownership rules. The package never changes an event and stores nothing.
package regroup

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"sett/internal/sett"
)

// Kind is what a rule says.
type Kind string

// The kinds of rules.
const (
	App        Kind = "app"         // a frame is the application's
	Library    Kind = "library"     // a frame is a library's
	Helper     Kind = "helper"      // a function fails for what its caller did wrong, and never decides alone
	MessageOn  Kind = "message on"  // messages tell errors of a class apart
	MessageOff Kind = "message off" // they do not
)

// The most that a project can have.
const (
	mostRules      = 200
	longestPattern = 300 // characters
	mostStars      = 8   // in a pattern, so that the work for an event stays small
)

// Rule is one line.
type Rule struct {
	Line    int // from 1, in the text
	Kind    Kind
	Pattern string
}

// String is the rule as people write it.
func (r Rule) String() string {
	switch r.Kind {
	case MessageOn:
		return "message: on for " + r.Pattern
	case MessageOff:
		return "message: off for " + r.Pattern
	default:
		return string(r.Kind) + ": " + r.Pattern
	}
}

// Rules are those of a project. nil has none.
type Rules struct {
	frames, messages []Rule // the last first
}

// Parse reads the text of a project's rules. Empty lines and those that begin with "#" say nothing. The error is Invalid and says which lines are wrong.
func Parse(text string) (*Rules, error) {
	var problems sett.Problems
	r := new(Rules)
	line := 0
	for one := range strings.Lines(text) {
		line++
		if one = strings.TrimSpace(one); one == "" || one[0] == '#' {
			continue
		}
		rule, wrong := parseRule(one)
		if wrong != "" {
			problems.Add("rules", "has an error in line %d: %s", line, wrong)
			continue
		}
		rule.Line = line
		r.add(rule)
	}
	if n := len(r.frames) + len(r.messages); n > mostRules {
		problems.Add("rules", "has %d rules; at most %d are possible", n, mostRules)
	}
	if err := problems.Refusal(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Rules) add(rule Rule) {
	all := &r.frames
	if rule.Kind == MessageOn || rule.Kind == MessageOff {
		all = &r.messages
	}
	*all = append([]Rule{rule}, *all...)
}

const whatToWrite = `Write "app: PATTERN", "library: PATTERN", "helper: PATTERN", "message: on for CLASS" or "message: off for CLASS"`

// parseRule reads a line, or says what is wrong with it.
func parseRule(line string) (r Rule, wrong string) {
	word, rest, ok := strings.Cut(line, ":")
	r.Kind, r.Pattern = Kind(strings.ToLower(strings.TrimSpace(word))), strings.TrimSpace(rest)
	if r.Kind == "message" {
		if wrong = r.readMessage(); wrong != "" {
			return r, wrong
		}
	}
	switch {
	case !ok:
		return r, "the colon is missing. " + whatToWrite + "."
	case r.Kind != App && r.Kind != Library && r.Kind != Helper && r.Kind != MessageOn && r.Kind != MessageOff:
		return r, strconv.Quote(cut(word)) + " is no kind of rule. " + whatToWrite + "."
	}
	return r, wrongPattern(r.Pattern)
}

// readMessage reads what stands behind "message:", or says what is wrong with it.
func (r *Rule) readMessage() (wrong string) {
	words := strings.Fields(r.Pattern)
	if len(words) != 3 || words[1] != "for" || words[0] != "on" && words[0] != "off" {
		return `it says neither "on for" nor "off for" a class. Write for example "message: off for PaymentError".`
	}
	r.Kind, r.Pattern = Kind("message "+words[0]), words[2]
	return ""
}

func wrongPattern(pattern string) string {
	switch {
	case strings.Trim(pattern, "*?. /") == "":
		return `the pattern needs a letter or digit. Write for example "src/vendor/*" or "com.example.legacy.*".`
	case utf8.RuneCountInString(pattern) > longestPattern:
		return "the pattern has more than " + strconv.Itoa(longestPattern) + " characters. Write a shorter one, with * for the rest."
	case strings.Count(pattern, "*") > mostStars:
		return "the pattern has more than " + strconv.Itoa(mostStars) + " asterisks. Write fewer: one stands for any text, slashes included."
	}
	return ""
}

func cut(word string) string {
	if utf8.RuneCountInString(word) > 30 {
		return string([]rune(word)[:30]) + "…"
	}
	return word
}

// Frame returns the rule that decides about a frame of a file and a function, either of which may be ""; and whether there is one.
func (r *Rules) Frame(file, function string) (Rule, bool) {
	if r == nil {
		return Rule{}, false
	}
	file = strings.ReplaceAll(file, `\`, "/")
	for _, rule := range r.frames {
		if meets(rule.Pattern, file) || meets(rule.Pattern, function) {
			return rule, true
		}
	}
	return Rule{}, false
}

// Message returns the rule that decides whether messages tell errors of a class apart; and whether there is one.
func (r *Rules) Message(class string) (Rule, bool) {
	if r == nil {
		return Rule{}, false
	}
	for _, rule := range r.messages {
		if meets(rule.Pattern, class) {
			return rule, true
		}
	}
	return Rule{}, false
}

// Sees reports whether any rule is about frames.
func (r *Rules) Sees() bool { return r != nil && len(r.frames) > 0 }
