package sett

import (
	"regexp/syntax"
)

// PatternSteps returns how many instructions an expression is compiled to. RE2 takes a time in proportion to them times the length of a text: some
// 30 ns for each at worst. A number of repetitions multiplies them: (a?){400} has 1,600.
func PatternSteps(text string) (int, error) {
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
