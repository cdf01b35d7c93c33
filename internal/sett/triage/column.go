package triage

import (
	"slices"
	"strings"
)

// Column is a column of the list of errors that a user can show or hide.
type Column string

// The columns, in the order of the list.
const (
	TrendColumn       Column = "trend"
	EventsColumn      Column = "events"
	UsersColumn       Column = "users"
	AssigneeColumn    Column = "assignee"
	ComponentColumn   Column = "component"
	EnvironmentColumn Column = "environment"
	FirstSeenColumn   Column = "first_seen"
	LastSeenColumn    Column = "last_seen"
)

// Columns returns every column, in the order of the list.
func Columns() []Column {
	return []Column{TrendColumn, EventsColumn, UsersColumn, AssigneeColumn, ComponentColumn, EnvironmentColumn, FirstSeenColumn, LastSeenColumn}
}

// usualColumns are shown to users who have not chosen any.
var usualColumns = []Column{TrendColumn, EventsColumn, UsersColumn, FirstSeenColumn, LastSeenColumn}

// noColumn is what is stored for users who have chosen to see none.
const noColumn = "none"

// ShownColumns are the columns that a user sees.
type ShownColumns []Column

// ReadColumns returns the columns in a stored text; "" is the usual ones. What is no column is left out.
func ReadColumns(stored string) ShownColumns {
	if stored == "" {
		return usualColumns
	}
	return ChosenColumns(strings.Split(stored, ","))
}

// ChosenColumns returns the chosen columns, each once and in the order of the list. What is no column is left out.
func ChosenColumns(names []string) (shown ShownColumns) {
	for _, c := range Columns() {
		if slices.Contains(names, string(c)) {
			shown = append(shown, c)
		}
	}
	return shown
}

// Text returns the columns as a text to store, which is short whatever was chosen.
func (s ShownColumns) Text() string {
	if slices.Equal(s, usualColumns) {
		return ""
	}
	var names []string
	for _, c := range s {
		names = append(names, string(c))
	}
	if len(names) == 0 {
		return noColumn
	}
	return strings.Join(names, ",")
}

// Has reports whether a column is shown.
func (s ShownColumns) Has(name string) bool { return slices.Contains(s, Column(name)) }
