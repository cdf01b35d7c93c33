// Package channel sends messages to the outside, one file per kind of channel. It takes one message and the options of a channel, and
// returns nil if the message was accepted, or a *Failure with the reason and whether a retry makes sense. It connects only through package
// dial. It stores nothing, never retries by itself, and never decides who receives which event.
package channel

import (
	"strings"
	"time"
	"unicode"
)

// Failure is a message that was not accepted. Its text is for users and operators, and contains no secrets.
type Failure struct {
	Problem    string        // one line, at most maxProblem bytes
	Permanent  bool          // the same message would fail again
	Gone       bool          // the receiver no longer exists; Permanent too
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
