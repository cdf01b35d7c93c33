package insight

import (
	"fmt"
	"strings"

	"sett/internal/base/phrase"
	"sett/internal/sett"
)

// Problem is why a query cannot be read. It wraps an Invalid error with the same message.
type Problem struct {
	At      int    // the first character that is not understood, from 1
	Message string // what is wrong there, and what is expected
	refusal error
}

func (p *Problem) Error() string { return p.refusal.Error() }

// Unwrap returns the error with its code.
func (p *Problem) Unwrap() error { return p.refusal }

// queryProblem returns the problem at a place of a query.
func queryProblem(at int, format string, args ...any) error {
	message := strings.TrimSuffix(fmt.Sprintf(format, args...), ".")
	return &Problem{at, message, sett.Refuse("query", "character %d: %s", at, message)}
}

// meant asks whether a token was meant to be the nearest of some words; "" if none is near.
func (t token) meant(words []string) string {
	if near, ok := phrase.Nearest(t.text, words); ok && len(t.text) > 2 {
		return " Did you mean " + phrase.Quote(near) + "?"
	}
	return ""
}
