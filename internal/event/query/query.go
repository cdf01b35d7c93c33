// Package query is the language in which people search errors. It parses a text as it was typed into terms, each a key with the values that
// it may have, or says what is wrong with the text. It finds nothing itself. Any text is a search, or gets a sentence that says why it is
// not.
package query

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Search is a parsed search over faults: all of its Terms must hold. The zero Search finds everything.
type Search struct {
	Terms []Term
}

// Term is one condition: that any of Values holds or, when Negated, that its single value does not. A key that
// was typed again adds its value to the first term of that key; negated terms and full text are never merged.
type Term struct {
	Key     Key
	Path    string // with Request, Params, Context and Session: the dotted path, lower case
	Negated bool
	Values  []Value
}

// Asks reports whether the term asks for one value of a key, and for nothing else.
func (t Term) Asks(key Key, text string) bool {
	return t.Key == key && !t.Negated && len(t.Values) == 1 && strings.EqualFold(t.Values[0].Text, text)
}

// Value is what one term asks for. Of a date, From and To bound a half-open range [From, To); zero means
// unbounded. A date in terms of the last deploy has no range, since only the store knows when that was.
type Value struct {
	Text       string // as typed, without quotes; "" asks for what is empty or absent
	Op         Op
	From, To   time.Time
	LastDeploy bool
}

// Wildcard reports whether the value is a pattern: each "*" in Text stands for any text, also none.
func (v Value) Wildcard() bool { return strings.Contains(v.Text, "*") }

// ComponentAction splits the text of a ComponentAction.
func (v Value) ComponentAction() (component, action string) {
	component, action, _ = strings.Cut(v.Text, "#")
	return component, action
}

// Op is how a value of a date is meant; everything else is a match.
type Op string

// The operators, as they stand behind a key and a dot.
const (
	Match  Op = ""
	On     Op = "on" // not typed: a date key without an operator
	After  Op = "after"
	Before Op = "before"
)

// Key is what a term is about.
type Key string

// The keys of the search language (wire.md §4). All but the first two are typed as they read here.
const (
	Text            Key = "text"             // full text over classes and messages: a word or phrase without a key
	ComponentAction Key = "component_action" // "Component#action": both together

	Class       Key = "class"
	Component   Key = "component"
	Action      Key = "action"
	Environment Key = "environment"
	Message     Key = "message"
	Cause       Key = "cause" // class or message of what led to an event
	Tag         Key = "tag"
	File        Key = "file"
	Hostname    Key = "hostname"
	Revision    Key = "revision" // also by how it begins; see Term.Pattern
	User        Key = "user"     // id, email address or name of the affected user
	Assignee    Key = "assignee" // "me", "nobody", "anybody", an e-mail address or a name
	Is          Key = "is"       // a state; see States
	Has         Key = "has"      // "comment"

	Created      Key = "created" // dates; also with .after and .before
	Occurred     Key = "occurred"
	LastOccurred Key = "last_occurred"

	Request Key = "request" // with a path behind a dot, as in "context.user.email"
	Params  Key = "params"
	Context Key = "context"
	Session Key = "session"
)

// States lists the values of Is.
func States() []string {
	return []string{"resolved", "unresolved", "ignored", "assigned", "paused", "pending_resolution", "new"}
}

// The most that a search may hold: bytes, words or quoted phrases, and stars in one value.
const (
	MaxBytes = 2000
	MaxTerms = 50
	MaxStars = 20
)

// Parse reads a search as people type it. Terms stand between spaces; "-" negates; quotes hold words together; a key without
// a value asks for what is empty. A word with a colon whose key is unknown is a problem if it looks like a key, and
// otherwise a word like any other; see docs/search.md. now is what relative dates count from; weeks begin on Monday, days
// at midnight UTC. problem says what is wrong with the search and what is allowed, "" for nothing; the search is then
// without the wrong term and all behind it.
func Parse(q string, now time.Time) (s Search, problem string) { return Spell(q, now).Search() }

func tooLong() string {
	return fmt.Sprintf("may be at most %d bytes long; leave some terms out", MaxBytes)
}

// storableText is q without what no store keeps, and thus could not find: bytes that are not UTF-8, and NUL.
func storableText(q string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(q, "\uFFFD"), "\x00", " ")
}

// add puts the term into the search, or its value into the term of the same key that is there.
func (s *Search) add(term Term) {
	i := slices.IndexFunc(s.Terms, func(t Term) bool {
		return !t.Negated && t.Key == term.Key && t.Path == term.Path && t.Values[0].Op == term.Values[0].Op
	})
	if i < 0 || term.Negated || term.Key == Text {
		s.Terms = append(s.Terms, term)
		return
	}
	s.Terms[i].Values = append(s.Terms[i].Values, term.Values...)
}

// parseSearchTerm makes a term of the first tokens, and says of how many, or what is wrong with them.
func parseSearchTerm(tokens []searchToken, now time.Time) (term Term, used int, wrong slip) {
	t := tokens[0]
	key, path, op := searchKey(t.key)
	value, used := Value{Text: t.value}, 1
	switch key {
	case Text:
		value.Text = t.text
		wrong = unknownKey(t)
		if !t.quoted && isComponentAction(t.text) {
			key = ComponentAction
		}
	case Is:
		value.Text, wrong = allowedValue(t, States())
	case Has:
		value.Text, wrong = allowedValue(t, []string{"comment"})
	case Created, Occurred, LastOccurred:
		value, used, wrong = searchDateValue(tokens, op, now)
	default:
		if strings.Count(value.Text, "*") > MaxStars {
			wrong.problem = fmt.Sprintf("has %s with more than %d stars; leave some out", shownTerm(t.text), MaxStars)
		}
	}
	return Term{Key: key, Path: path, Negated: t.negated, Values: []Value{value}}, used, wrong
}

// searchKey recognises a key as typed; what is none of the language's is Text.
func searchKey(typed string) (key Key, path string, op Op) {
	name, rest, dotted := strings.Cut(strings.ToLower(typed), ".")
	switch key := Key(name); key {
	case Request, Params, Context, Session:
		if rest != "" {
			return key, rest, Match
		}
	case Created, Occurred, LastOccurred:
		switch op := Op(rest); {
		case !dotted:
			return key, "", On
		case op == After || op == Before:
			return key, "", op
		}
	case Class, Component, Action, Environment, Message, Cause, Tag, File,
		Hostname, Revision, User, Assignee, Is, Has:
		if !dotted {
			return key, "", Match
		}
	}
	return Text, "", Match
}

// allowedValue is the token's value, which must be one of those allowed, in lower case.
func allowedValue(t searchToken, allowed []string) (value string, wrong slip) {
	if value = strings.ToLower(t.value); slices.Contains(allowed, value) {
		return value, slip{}
	}
	prefix := strings.ToLower(t.key) + ":"
	list := prefix + strings.Join(allowed, ", "+prefix)
	return "", slip{problem: "has " + shownTerm(t.text) + ", which is not known; allowed: " + list, text: "Unknown value " + shownTerm(t.text) + ". Use " + list + "."}
}

// shownTerm is a term as an error repeats it.
func shownTerm(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return "“" + text + "”"
}

// NarrowsNotices reports whether the search looks at single notices, so that of a fault it may match only some: when
// they occurred, where they ran, and what was sent along.
func (s Search) NarrowsNotices() bool {
	return slices.ContainsFunc(s.Terms, func(t Term) bool {
		switch t.Key {
		case Occurred, Request, Params, Context, Session,
			Hostname, Revision, User, File:
			return true
		}
		return false
	})
}

// AsksForMessages reports whether a term asks for what an error, its events or their causes say.
func (t Term) AsksForMessages() bool {
	return t.Key == Text || t.Key == Class || t.Key == Message || t.Key == Cause
}

// FacetKey is the key of the facets that a term asks for, and false for a term that is not about what was sent with a
// notice.
func (t Term) FacetKey() (key string, ok bool) {
	switch t.Key {
	case Request, Params, Context, Session:
		return string(t.Key) + "." + t.Path, true
	case Hostname, Revision, User, File:
		return string(t.Key), true
	}
	return "", false
}

// minPrefix is how many characters of a revision find all that begin with them: as many as git shows.
const minPrefix = 7

// Pattern is what a value of a term about what was sent with a notice asks for (see FacetKey), in which each "*" stands for
// any text, also none: the text as typed, with stars around it where the key looks for a part, and with one behind it where
// the beginning of a revision is enough. It is "" for what is empty or absent.
func (t Term) Pattern(v Value) string {
	switch {
	case v.Text == "":
		return ""
	case t.Key == File:
		return "*" + v.Text + "*"
	case t.Key == Revision && !v.Wildcard() && utf8.RuneCountInString(v.Text) >= minPrefix:
		return v.Text + "*"
	}
	return v.Text
}
