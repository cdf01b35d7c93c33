// Package group decides which events belong to the same error. It takes what a client reports (an error with its message, its place and what led to it, and an
// optional fingerprint), and returns a faults.Grouping: a key, and what the key is made of, from which Explain makes sentences. Events of one project with the same key
// are one error; faults.Continues decides which other keys go on with it. The rules are pure and versioned: the same input gives the same key on every node and in
// every release. They never use the time, ids, the action, columns or any payload. Tables of what is known about languages, frameworks and engines are in data.
package group

import (
	"strings"

	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// The versions of the rule. A version is part of every key, so a change that can move events to other errors makes a new one.
const (
	First  = 1 // see Of
	Second = 2 // see Locate
)

// The values of faults.Grouping.Basis: what decided.
const (
	byFingerprint = "fingerprint"
	byLocation    = "location"
	byMessage     = "message"
)

// Frame is one line of a backtrace.
type Frame struct {
	File, Method, Line string
	Column             int    // 0: unknown
	Source             string // the text of the line; "" if it is unknown
}

// Error is one error of a chain: the one that was reported, or one that led to it.
type Error struct {
	Class, Message string
	App            *Frame // the first application frame that is not a helper's (see IsHelper); nil for none
	Caller         *Frame // the application frame behind App; nil for none
	Top            *Frame // the first frame; nil for none
	Helped         bool   // App called a helper, which failed
}

// Event is what rule 2 looks at. Texts are as sent by the client.
type Event struct {
	ProjectID   int64
	Environment string
	Fingerprint string // chosen by the client; blank means none
	Component   string
	Revision    string
	Chain       []Error // the error that was reported first, then what led to it, nearest first; at least one
	Rules       *regroup.Rules
}

// How many percent of the words of a message two events of one error have in common, where the message may be a value, where the class stands for any error or a bundler has joined the
// lines, and where a helper says what its caller did wrong.
const (
	alikeValues  = 10
	alikeErrors  = 34
	alikeHelpers = 60
)

// Locate groups an event by its place. A fingerprint decides alone. Else the error that carries the news decides (see newsOf): by class, first application frame,
// codes and names of the message, and causes. Where there is no application frame, the shape of the message decides in place of it.
//
// Events with one Key are one error. An event whose key is unknown may still continue an error with the same Near: see faults.Continues.
func Locate(e Event) faults.Grouping {
	g := faults.Grouping{Rule: Second, Environment: e.Environment, Revision: strings.TrimSpace(e.Revision)}
	if g.Fingerprint = strings.TrimSpace(e.Fingerprint); g.Fingerprint != "" {
		g.Basis = byFingerprint
		return seal(e.ProjectID, g)
	}
	news, causes, inside := newsOf(e.Chain)
	class, message, placeless := sayingOf(news)
	g.Component, g.Class, g.Message, g.Causes, g.Inside = strings.TrimSpace(e.Component), class, message, causes, inside
	rule, ruled := e.Rules.Message(class)
	if ruled && rule.Kind == regroup.MessageOff {
		g.Message = ""
	}
	if p := placeOf(news.App); !placeless && !p.isNone() {
		g = inPlace(p, news, g)
		if ruled && rule.Kind == regroup.MessageOn {
			g.Signs = g.Message // all of it is a sign
		}
	} else if g.Basis = byMessage; g.Message == "" {
		g.Method = plainMethod("", news.Top)
	}
	return seal(e.ProjectID, g)
}

// inPlace completes the grouping of an error that has a place.
func inPlace(p place, news Error, g faults.Grouping) faults.Grouping {
	g.Basis, g.File, g.Method, g.Line, g.Source, g.Loose = byLocation, p.file, p.method, p.line, p.source, p.isLoose()
	g.Via, g.Callers = p.calledFrom(placeOf(news.Caller))
	g.Signs = signsOf(g.Message, !p.script)
	switch {
	case news.Helped:
		g.Alike = alikeHelpers
	case p.joined, IsGeneric(g.Class):
		g.Alike = alikeErrors
	default:
		g.Alike = alikeValues
	}
	return g
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
