package sett

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Search is a parsed search over faults: all of its Terms must hold. The zero Search finds everything.
type Search struct {
	Terms []SearchTerm
}

// SearchTerm is one condition: that any of Values holds or, when Negated, that its single value does not. A key that
// was typed again adds its value to the first term of that key; negated terms and full text are never merged.
type SearchTerm struct {
	Key     SearchKey
	Path    string // with SearchRequest, SearchParams, SearchContext and SearchSession: the dotted path, lower case
	Negated bool
	Values  []SearchValue
}

// Asks reports whether the term asks for one value of a key, and for nothing else.
func (t SearchTerm) Asks(key SearchKey, text string) bool {
	return t.Key == key && !t.Negated && len(t.Values) == 1 && strings.EqualFold(t.Values[0].Text, text)
}

// SearchValue is what one term asks for. Of a date, From and To bound a half-open range [From, To); zero means
// unbounded. A date in terms of the last deploy has no range, since only the store knows when that was.
type SearchValue struct {
	Text       string // as typed, without quotes; "" asks for what is empty or absent
	Op         SearchOp
	From, To   time.Time
	LastDeploy bool
}

// Wildcard reports whether the value is a pattern: each "*" in Text stands for any text, also none.
func (v SearchValue) Wildcard() bool { return strings.Contains(v.Text, "*") }

// ComponentAction splits the text of a SearchComponentAction.
func (v SearchValue) ComponentAction() (component, action string) {
	component, action, _ = strings.Cut(v.Text, "#")
	return component, action
}

// SearchOp is how a value of a date is meant; everything else is a match.
type SearchOp string

// The operators, as they stand behind a key and a dot.
const (
	SearchMatch  SearchOp = ""
	SearchOn     SearchOp = "on" // not typed: a date key without an operator
	SearchAfter  SearchOp = "after"
	SearchBefore SearchOp = "before"
)

// SearchKey is what a term is about.
type SearchKey string

// The keys of the search language (wire.md §4). All but the first two are typed as they read here.
const (
	SearchText            SearchKey = "text"             // full text over class and message: a word or phrase without a key
	SearchComponentAction SearchKey = "component_action" // "Component#action": both together

	SearchClass       SearchKey = "class"
	SearchComponent   SearchKey = "component"
	SearchAction      SearchKey = "action"
	SearchEnvironment SearchKey = "environment"
	SearchMessage     SearchKey = "message"
	SearchTag         SearchKey = "tag"
	SearchFile        SearchKey = "file"
	SearchHostname    SearchKey = "hostname"
	SearchRevision    SearchKey = "revision"
	SearchAssignee    SearchKey = "assignee" // "me", "nobody", "anybody", an e-mail address or a name
	SearchIs          SearchKey = "is"       // a state; see SearchStates
	SearchHas         SearchKey = "has"      // "comment"

	SearchCreated      SearchKey = "created" // dates; also with .after and .before
	SearchOccurred     SearchKey = "occurred"
	SearchLastOccurred SearchKey = "last_occurred"

	SearchRequest SearchKey = "request" // with a path behind a dot, as in "context.user.email"
	SearchParams  SearchKey = "params"
	SearchContext SearchKey = "context"
	SearchSession SearchKey = "session"
)

// SearchStates lists the values of SearchIs.
func SearchStates() []string {
	return []string{"resolved", "unresolved", "ignored", "assigned", "paused", "pending_resolution", "new"}
}

// The most that a search may hold: bytes, and words or quoted phrases.
const (
	MaxSearchBytes = 2000
	MaxSearchTerms = 50
)

// Parse reads a search as people type it. Terms stand between spaces; "-" negates; quotes hold words together; an unknown
// key is a word like any other; a key without a value asks for what is empty. now is what relative dates count from; weeks
// begin on Monday, days at midnight UTC. problem says what is wrong with the search and what is allowed, "" for nothing;
// the search is then without the wrong term and all behind it.
func Parse(q string, now time.Time) (s Search, problem string) {
	tokens := searchTokens(storableText(q))
	switch {
	case len(q) > MaxSearchBytes:
		return s, fmt.Sprintf("may be at most %d bytes long; leave some terms out", MaxSearchBytes)
	case len(tokens) > MaxSearchTerms:
		return s, fmt.Sprintf("may have at most %d terms; put words that belong together in quotes", MaxSearchTerms)
	}
	for len(tokens) > 0 {
		term, used, problem := parseSearchTerm(tokens, now.UTC())
		if problem != "" {
			return s, problem
		}
		s.add(term)
		tokens = tokens[used:]
	}
	return s, ""
}

// storableText is q without what no store keeps, and thus could not find: bytes that are not UTF-8, and NUL.
func storableText(q string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(q, "\uFFFD"), "\x00", " ")
}

// add puts the term into the search, or its value into the term of the same key that is there.
func (s *Search) add(term SearchTerm) {
	i := slices.IndexFunc(s.Terms, func(t SearchTerm) bool {
		return !t.Negated && t.Key == term.Key && t.Path == term.Path && t.Values[0].Op == term.Values[0].Op
	})
	if i < 0 || term.Negated || term.Key == SearchText {
		s.Terms = append(s.Terms, term)
		return
	}
	s.Terms[i].Values = append(s.Terms[i].Values, term.Values...)
}

// parseSearchTerm makes a term of the first tokens, and says of how many, or what is wrong with them.
func parseSearchTerm(tokens []searchToken, now time.Time) (term SearchTerm, used int, problem string) {
	t := tokens[0]
	key, path, op := searchKey(t.key)
	value, used := SearchValue{Text: t.value}, 1
	switch key {
	case SearchText:
		value.Text = t.text
		if !t.quoted && isComponentAction(t.text) {
			key = SearchComponentAction
		}
	case SearchIs:
		value.Text, problem = allowedValue(t, SearchStates())
	case SearchHas:
		value.Text, problem = allowedValue(t, []string{"comment"})
	case SearchCreated, SearchOccurred, SearchLastOccurred:
		value, used, problem = searchDateValue(tokens, op, now)
	}
	return SearchTerm{Key: key, Path: path, Negated: t.negated, Values: []SearchValue{value}}, used, problem
}

// searchKey recognises a key as typed; what is none of the language's is SearchText.
func searchKey(typed string) (key SearchKey, path string, op SearchOp) {
	name, rest, dotted := strings.Cut(strings.ToLower(typed), ".")
	switch key := SearchKey(name); key {
	case SearchRequest, SearchParams, SearchContext, SearchSession:
		if rest != "" {
			return key, rest, SearchMatch
		}
	case SearchCreated, SearchOccurred, SearchLastOccurred:
		switch op := SearchOp(rest); {
		case !dotted:
			return key, "", SearchOn
		case op == SearchAfter || op == SearchBefore:
			return key, "", op
		}
	case SearchClass, SearchComponent, SearchAction, SearchEnvironment, SearchMessage, SearchTag, SearchFile,
		SearchHostname, SearchRevision, SearchAssignee, SearchIs, SearchHas:
		if !dotted {
			return key, "", SearchMatch
		}
	}
	return SearchText, "", SearchMatch
}

// allowedValue is the token's value, which must be one of those allowed, in lower case.
func allowedValue(t searchToken, allowed []string) (value, problem string) {
	if value = strings.ToLower(t.value); slices.Contains(allowed, value) {
		return value, ""
	}
	prefix := strings.ToLower(t.key) + ":"
	return "", "has " + shownTerm(t.text) + ", which is not known; allowed: " + prefix + strings.Join(allowed, ", "+prefix)
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
	return slices.ContainsFunc(s.Terms, func(t SearchTerm) bool {
		switch t.Key {
		case SearchOccurred, SearchRequest, SearchParams, SearchContext, SearchSession,
			SearchHostname, SearchRevision, SearchFile:
			return true
		}
		return false
	})
}

// FacetKey is the key of the facets that a term asks for, and false for a term that is not about what was sent with a
// notice.
func (t SearchTerm) FacetKey() (key string, ok bool) {
	switch t.Key {
	case SearchRequest, SearchParams, SearchContext, SearchSession:
		return string(t.Key) + "." + t.Path, true
	case SearchHostname, SearchRevision, SearchFile:
		return string(t.Key), true
	}
	return "", false
}
