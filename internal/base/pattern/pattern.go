// Package pattern says how much work a regular expression is before anybody runs it. In comes the text of an expression (RE2); out comes how many
// steps it takes for each character of a text at most, or what is wrong with it. It never decides how many steps are too many: what the
// expression is matched with, and how often, is known to its callers only. See the bounds in docs/security.md.
package pattern

import (
	"regexp/syntax"
)

// Steps returns how many instructions an expression is compiled to. RE2 takes a time in proportion to them times the length of a text: some
// 30 ns for each at worst. A number of repetitions multiplies them: (a?){400} has 1,600.
func Steps(text string) (int, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}
