package events

import (
	"fmt"
	"strings"

	"sett/internal/event/query"
	"sett/internal/sett/insight"
	"sett/internal/web"
)

// eventRow is an event.
type eventRow struct {
	When   web.Moment
	Type   string
	Text   string       // the first fields on one line
	Fields []shownField // all of them
}

// shownField is a field with its value as people read it.
type shownField struct{ Key, Value, Search string }

const (
	fieldsInLine = 6
	textInLine   = 80 // characters of a value
)

// rowOf returns the row of an event.
func rowOf(s web.Shell, a asked, e insight.Event) eventRow {
	row := eventRow{When: s.Moment(e.Time())}
	var line []string
	for _, f := range e.Fields {
		v := insight.ReadValue(f.Value)
		shown := shownField{Key: f.Key, Value: v.Text}
		if q := a.narrowed(f.Key, v); q != "" {
			shown.Search = pathIn(s.Nav.Project.ID) + a.query(q)
		}
		row.Fields = append(row.Fields, shown)
		switch {
		case f.Key == insight.KeyType:
			row.Type = v.Text
		case len(line) < fieldsInLine:
			line = append(line, f.Key+"="+short(v.Text))
		}
	}
	row.Text = strings.Join(line, "  ")
	return row
}

// narrowed returns the question for those of its events that have a value; "" if there is none.
func (a asked) narrowed(key string, v insight.Value) string {
	if s := a.Question.Statement; s != nil {
		return s.Narrow(insight.Is{Key: key, Value: v})
	}
	return strings.TrimSpace(a.Q + " " + query.Write(query.Key(key), v.Text))
}

// pathIn returns the path of the page of a project.
func pathIn(project int64) string { return fmt.Sprintf("/projects/%d/insights", project) }

// short returns the beginning of a text.
func short(text string) string {
	if runes := []rune(text[:min(len(text), 4*textInLine)]); len(runes) > textInLine {
		return string(runes[:textInLine]) + "…"
	}
	return text
}
