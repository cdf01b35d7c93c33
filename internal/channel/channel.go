// Package channel is how to tell someone, one file per kind of channel. In comes one message and where it goes; out
// comes nil once it was taken, or a *Failure that says what was wrong and whether another try is of use. It connects
// through package dial alone. It never stores anything, never tries a second time by itself, and never decides who is
// told of what.
package channel

import (
	"strings"
	"time"
	"unicode"
)

// Failure is a message that was not taken. Its text is written for whoever runs the server, and has no secret in it.
type Failure struct {
	Problem    string        // one line, at most maxProblem bytes
	Permanent  bool          // the same message would fail again
	Gone       bool          // nobody will ever take one there; Permanent too
	Status     int           // of HTTP; 0: there was no answer
	RetryAfter time.Duration // how long the other side wants to be left alone; 0: it did not say
}

func (f *Failure) Error() string { return f.Problem }

// maxProblem bounds what is kept of a problem: part of it is the other side's own words.
const maxProblem = 500

// failure makes one readable line of a problem.
func failure(permanent bool, problem string) *Failure {
	return &Failure{Problem: oneLine(problem), Permanent: permanent}
}

func oneLine(problem string) string {
	line := strings.Join(strings.FieldsFunc(problem, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(line) > maxProblem {
		line = strings.ToValidUTF8(line[:maxProblem], "")
	}
	return strings.ToValidUTF8(line, "?")
}
