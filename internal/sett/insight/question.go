package insight

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// Question is what a person asks in one field: a search, or a query.
type Question struct {
	Text      string
	Statement *Statement // nil: a search
	search    Filter
}

// Ask reads a question. The error is Invalid; that of a query is a Problem.
func Ask(text string) (q Question, err error) {
	q.Text = strings.TrimSpace(text)
	if IsQuery(q.Text) {
		q.Statement, err = ParseStatement(q.Text)
	} else {
		q.search, err = ParseSearch(q.Text)
	}
	return q, err
}

// Lists reports whether the answer is events as they are, and not a table of columns.
func (q Question) Lists() bool {
	return q.Statement == nil || q.Statement.lists
}

// Counts reports whether the answer is groups of events.
func (q Question) Counts() bool { return q.Statement != nil && q.Statement.Counts() }

// Filter returns which events are asked about.
func (q Question) Filter() Filter {
	if q.Statement != nil {
		return q.Statement.stages[0].filter
	}
	return q.search
}

// Plan returns what the question needs of the events of a time; see Statement.Plan. A search returns at most so many events of clients: of each
// that sett records, it would have to read all that was sent with it.
func (q Question) Plan(from, to time.Time, zone *time.Location, rows int) Plan {
	if q.Statement != nil {
		return q.Statement.Plan(from, to, zone)
	}
	return Plan{Streams: []Stream{Sent}, Filter: q.search, From: Micros(from), To: Micros(to), Rows: rows}
}

var (
	firstWord  = regexp.MustCompile(`^\s*([A-Za-z]+)(:?)`)
	pipedWord  = regexp.MustCompile(`^\|\s*([A-Za-z]+)`)
	searchHead = regexp.MustCompile(`^\s*(?:-|"|-?[A-Za-z_@][A-Za-z0-9_@./\-]*:(?:[^:]|$))`)
)

// IsQuery reports whether a text is a query, and not a search. It is one if it begins with the name of a function or a pipe, or has a pipe before
// the name of a function. A misspelt name counts if the text has signs that only queries have.
func IsQuery(text string) bool {
	if strings.HasPrefix(strings.TrimSpace(text), "|") || slices.ContainsFunc(pipes(text), func(i int) bool { return isPiped(text[i:]) }) {
		return true
	}
	if _, _, ok := cutSearch(text); ok {
		return true
	}
	word := firstWord.FindStringSubmatch(text)
	if word == nil || word[2] != "" {
		return false
	}
	if isClause(word[1]) {
		return true
	}
	_, near := phrase.Misspelt(strings.ToLower(word[1]), clauseNames())
	return near && strings.ContainsAny(text, "(|=")
}

func isClause(word string) bool { return slices.Contains(clauseNames(), strings.ToLower(word)) }

// isPiped reports whether a text begins with a pipe and the name of a function.
func isPiped(text string) bool {
	word := pipedWord.FindStringSubmatch(text)
	return word != nil && isClause(word[1])
}

// pipes returns where a text has pipes that are not in quotes.
func pipes(text string) (at []int) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '`':
			quote = c
		case c == '|':
			at = append(at, i)
		}
	}
	return at
}

// cutSearch cuts off the search that a query begins with. It begins with a key and a value, a phrase in quotes or a minus, and ends at a pipe.
func cutSearch(text string) (search, rest string, ok bool) {
	if !searchHead.MatchString(text) {
		return "", text, false
	}
	for _, i := range pipes(text) {
		if i > 0 && strings.ContainsRune(" \t\r\n", rune(text[i-1])) || isPiped(text[i:]) {
			return text[:i], text[i:], true
		}
	}
	return "", text, false
}
