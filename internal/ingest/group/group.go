// Package group decides which notices belong to the same fault. It takes what a client reports about an error (class, component, message,
// frames, and an optional fingerprint), and returns a key and the inputs of that key. Notices of one project with the same key are one
// fault. The rule is pure and versioned: the same input gives the same key on every node and in every release with the same Rule, and the
// inputs are kept so that the grouping can be explained (see Explain). It never uses the time, ids, the action, columns or any payload.
package group

import (
	"strings"

	"sett/internal/sett/faults"
)

// Rule is the version of the grouping rule. It is part of every key, so a change of the rule that can move notices to
// other faults must raise it.
const Rule = 1

// The values of faults.Grouping.Basis: what decided.
const (
	byFingerprint = "fingerprint"
	byLocation    = "location"
	byMessage     = "message"
)

// Input is the input of the rule. Texts are as sent by the client.
type Input struct {
	ProjectID   int64
	Environment string
	Fingerprint string // chosen by the client; blank means none
	Class       string
	Component   string
	Message     string
	App         *Frame // the first application frame; nil for none
	Top         *Frame // the first frame; nil for none
}

// Frame is one line of a backtrace.
type Frame struct {
	File, Method, Line string
	Column             int    // 0: unknown
	Source             string // the text of the line; "" if it is unknown
}

// Of groups a notice: by its fingerprint alone where the client sent one; else by class, component and the first
// application frame; else, where no application frame is known, by class, component and the normalised message.
//
// A library's frame does not locate an error: its path and line change with every upgrade of the library, and quite
// different errors surface in the same one. Only its method is used, and only when there is no message to go by.
//
// The texts of the result are cut to 500 runes for keeping; the key covers them whole.
func Of(in Input) faults.Grouping {
	g := faults.Grouping{Rule: Rule, Environment: in.Environment}
	if g.Fingerprint = strings.TrimSpace(in.Fingerprint); g.Fingerprint != "" {
		g.Basis = byFingerprint
		return seal(in.ProjectID, g)
	}
	g.Class, g.Component = className(in.Class), strings.TrimSpace(in.Component)
	if f := locate(in.App); f.File != "" || f.Method != "" {
		g.Basis, g.File, g.Method, g.Line = byLocation, f.File, f.Method, f.Line
		return seal(in.ProjectID, g)
	}
	g.Basis, g.Message = byMessage, NormalizeMessage(in.Message)
	if g.Message == "" {
		g.Method = locate(in.Top).Method
	}
	return seal(in.ProjectID, g)
}

// className is the class without what differs between two runs: an anonymous class is named by its address.
func className(s string) string {
	if strings.Contains(s, "0x") {
		return NormalizeMessage(s)
	}
	return strings.TrimSpace(s)
}

// seal gives the grouping its key, then cuts its texts to the length that is kept.
func seal(projectID int64, g faults.Grouping) faults.Grouping {
	g.Seal(projectID)
	for _, text := range []*string{
		&g.Environment, &g.Fingerprint, &g.Class, &g.Component, &g.File, &g.Method, &g.Line, &g.Message, &g.Source, &g.Revision, &g.Signs, &g.Causes, &g.Inside, &g.Via, &g.Callers,
	} {
		*text = firstRunes(*text, 500)
	}
	return g
}

func firstRunes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i := range s {
		if most == 0 {
			return s[:i]
		}
		most--
	}
	return s
}
