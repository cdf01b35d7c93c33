package group

import (
	"strconv"
	"strings"

	"sett/internal/sett/faults"
)

// Line is an input of the rule, as the groupings of two faults have it.
type Line struct{ Name, This, That string }

// Same reports whether the input does not keep the faults apart. Only the first 500 characters of it are known.
func (l Line) Same() bool { return l.This == l.That }

// Compare returns the inputs that any of two groupings has, in the order in which Explain has them.
func Compare(this, that faults.Grouping) (lines []Line) {
	for _, l := range []Line{
		{"Environment", this.Environment, that.Environment},
		{"Fingerprint", this.Fingerprint, that.Fingerprint},
		{"Class", this.Class, that.Class},
		{"Component", this.Component, that.Component},
		{"File", this.File, that.File},
		{"Method", this.Method, that.Method},
		{"Line", this.Line, that.Line},
		{"Text of the line", this.Source, that.Source},
		{"Called from", this.Via, that.Via},
		{"Message", this.Message, that.Message},
		{"Codes and names", this.Signs, that.Signs},
		{"Causes", this.Causes, that.Causes},
		{"Version of the rule", version(this), version(that)},
	} {
		if l.This != "" || l.That != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

func version(g faults.Grouping) string {
	if g.Rule == 0 {
		return ""
	}
	return strconv.Itoa(g.Rule)
}

// Subject is a fault as Likeness compares it.
type Subject struct {
	faults.Grouping
	Class, Component, Message string // of the fault: a grouping by fingerprint has none
}

// Likeness says how much two faults resemble each other, from 0 to 1: by their message most, then by class, location and component.
func Likeness(a, b Subject) float64 {
	const message, class, file, method, component, line = 0.4, 0.2, 0.12, 0.12, 0.1, 0.06
	likeness := message * sharedWords(NormalizeMessage(a.Message), NormalizeMessage(b.Message))
	for _, part := range []struct {
		weight float64
		a, b   string
	}{
		{class, a.Class, b.Class},
		{component, a.Component, b.Component},
		{file, a.File, b.File},
		{method, a.Method, b.Method},
		{line, a.Line, b.Line},
	} {
		if part.a == part.b && part.a != "" {
			likeness += part.weight
		}
	}
	return likeness
}

// sharedWords returns the share of the words of two texts that both have.
func sharedWords(a, b string) float64 {
	all, shared := map[string]bool{}, 0
	for word := range strings.FieldsSeq(a) {
		all[word] = false
	}
	for word := range strings.FieldsSeq(b) {
		if both, has := all[word]; has && !both {
			shared++
		}
		all[word] = true
	}
	if len(all) == 0 {
		return 0
	}
	return float64(shared) / float64(len(all))
}
