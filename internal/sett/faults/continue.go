package faults

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// KnownGrouping is an error that has failed at a place before.
type KnownGrouping struct {
	Grouping
	Here bool // it has failed in the revision of the new event too
	Late bool // it has failed within the last day
}

// Why says why an event continues an error although its key is new; "" if it does not.
type Why string

// The reasons.
const (
	LineMoved     Why = "line"    // the same code stands in another line
	MessageVaries Why = "message" // the messages differ in few words
	NamesVary     Why = "names"   // engines disagree whether the function has a name
	RuleChanged   Why = "rule"    // an earlier rule knows the error by another key
	OwnRules      Why = "own"     // the project changed its rules
	Separated     Why = "apart"   // a user made an error of it
)

// Continues decides whether an event at a place continues one of the errors that failed near it, and returns its index and why; -1 for none. Two lines
// of one function are one error if they cannot be two places: the code is another revision's, or the text of the lines is the same. Two messages are one error
// if half of their words are the same.
func Continues(known []KnownGrouping, p Grouping) (int, Why) {
	best, distance, reason := -1, 0, Why("")
	for i, k := range known {
		why := continues(k, p)
		d := lineNumber(k.Line) - lineNumber(p.Line)
		if d = max(d, -d); why != "" && (best < 0 || d < distance) {
			best, distance, reason = i, d, why
		}
	}
	return best, reason
}

func continues(k KnownGrouping, p Grouping) Why {
	switch {
	case k.Near != p.Near:
		return ""
	case k.Message != p.Message && !sharesWords(k.Message, p.Message):
		return ""
	case k.Method != p.Method:
		if k.Line == p.Line && (k.Here || p.Revision == "") && (k.Method == "" || p.Method == "") {
			return NamesVary
		}
		return ""
	case k.Line == p.Line:
		return MessageVaries
	case hasMoved(k, p):
		return LineMoved
	default:
		return ""
	}
}

func lineNumber(line string) int {
	n, _ := strconv.Atoi(line)
	return n
}

// hasMoved reports whether the line of a known error may be that of an event, in another version of the code.
func hasMoved(k KnownGrouping, p Grouping) bool {
	sameText := k.Source != "" && k.Source == p.Source
	switch {
	case p.Revision != "":
		return !k.Here
	case sameText:
		return true
	default:
		return !k.Late
	}
}

// sharesWords reports whether two messages have half of the words of the longer in common.
func sharesWords(a, b string) bool {
	x, y := strings.FieldsFunc(a, notInWord), strings.FieldsFunc(b, notInWord)
	if len(x) > len(y) {
		x, y = y, x
	}
	common := 0
	for _, word := range x {
		if i := slices.Index(y, word); i >= 0 {
			common++
			y = slices.Delete(slices.Clone(y), i, i+1)
		}
	}
	return 2*common >= len(y)+common
}

func notInWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$'
}
