// Package dashboard is about dashboards: pages of widgets that show queries of structured events, errors, alarms, deploys, checks and check-ins of a
// project. It takes what clients write, as decoded JSON, and returns checked dashboards, or every field that is wrong. It is pure, runs no query,
// and does not know whether a query can be read: one that cannot shows its problem in its widget.
package dashboard

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/insight"
)

// The bounds of dashboards.
const (
	Most        = 100       // of a project
	MostWidgets = 50        // of a dashboard
	MostBytes   = 256 << 10 // of its widgets as JSON
)

// Dashboard is a page of widgets.
type Dashboard struct {
	ID        string
	ProjectID int64
	First     bool // the first of the list: the oldest of its project
	CreatedAt time.Time
	UpdatedAt time.Time
	Settings
}

// Settings are what people write of a dashboard.
type Settings struct {
	Title     string
	DefaultTS string // the time that it shows first, as queries have it; "": the usual one of queries
	Widgets   []Widget
}

// Widget is a part of a dashboard. Its fields are those of the API.
type Widget struct {
	ID           string         `json:"id"`
	Type         Type           `json:"type"`
	Grid         Grid           `json:"grid"`
	Presentation map[string]any `json:"presentation,omitempty"` // title and subtitle
	Config       map[string]any `json:"config,omitempty"`       // by type, as the interface documents
}

// Type is what a widget shows.
type Type string

// The types.
const (
	Query    Type = "insights_vis" // the result of a query
	Errors   Type = "errors"
	Alarms   Type = "alarms"
	Deploys  Type = "deployments"
	CheckIns Type = "checkins"
	Uptime   Type = "uptime"
)

// Grid is where a widget is: columns and rows, from the top left.
type Grid struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// Columns is how many columns a dashboard has.
const Columns = 12

// usualGrid is the place of a widget that names none.
var usualGrid = Grid{0, 0, Columns, 3}

// Text returns a text of the configuration, such as the query; "" if there is none.
func (w Widget) Text(path ...string) string {
	text, _ := at(w.Config, path...).(string)
	return text
}

// Number returns a whole number of the configuration; 0 if there is none.
func (w Widget) Number(path ...string) int {
	n, _ := at(w.Config, path...).(float64)
	return int(n)
}

// On reports whether a switch of the configuration is on.
func (w Widget) On(path ...string) bool { return at(w.Config, path...) == true }

// Title returns the title that people gave the widget; "" for none.
func (w Widget) Title() string {
	text, _ := w.Presentation["title"].(string)
	return text
}

// Limit returns how many entries the widget shows.
func (w Widget) Limit() int {
	if n, ok := w.Config["limit"].(float64); ok {
		return int(min(n, mostEntries))
	}
	return usualEntries
}

const (
	usualEntries = 10
	mostEntries  = 100
)

// Streams returns the streams that a query of the widget reads; none: all.
func (w Widget) Streams() (streams []insight.Stream) {
	list, _ := w.Config["streams"].([]any)
	for _, s := range list {
		if text, ok := s.(string); ok {
			streams = append(streams, insight.Stream(text))
		}
	}
	return streams
}

// at follows a path through objects.
func at(object map[string]any, path ...string) any {
	var v any = object
	for _, key := range path {
		inside, _ := v.(map[string]any)
		v = inside[key]
	}
	return v
}

// Change is a dashboard as a client writes it. What is written replaces what was.
type Change struct {
	Title     sett.Optional[string] `json:"title,omitzero" doc:"Its title, at most 255 characters." example:"Requests"`
	DefaultTS sett.Optional[string] `json:"default_ts,omitzero" doc:"The time that it shows first, as ts of a query: for example PT3H, P1D or today. Null for the usual 3 hours."`
	Widgets   sett.Optional[[]any]  `json:"widgets,omitzero" doc:"Its widgets, in order; at most 50. An empty list removes all."`
}

// Check returns the settings, or an Invalid error. newID returns an id for a widget that has none.
func (c Change) Check(now time.Time, newID func() string) (s Settings, err error) {
	var p sett.Problems
	sett.CheckSent(&p, "title", c.Title, "a text")
	s.Title = strings.TrimSpace(c.Title.Value)
	if c.Title.Sent {
		sett.CheckName(&p, "title", s.Title)
	}
	sett.SetField(&p, "default_ts", c.DefaultTS, &s.DefaultTS, "")
	if s.DefaultTS != "" {
		if _, _, err := insight.ParseSpan(s.DefaultTS, time.UTC, now); err != nil {
			p.Add("default_ts", "is not a time of queries, such as PT3H, P1D, today, yesterday, week or month")
		}
	}
	sett.CheckSent(&p, "widgets", c.Widgets, "a list of widgets, which may be empty")
	s.Widgets = readWidgets(&p, c.Widgets.Value, newID)
	return s, p.Refusal()
}

// CheckRoom returns an Invalid error if a project has too many dashboards to make another.
func CheckRoom(have int64) error {
	if have < Most {
		return nil
	}
	return sett.Errorf(sett.Invalid, "%s", fmt.Sprintf("Delete a dashboard of this project first: there can be at most %d.", Most))
}
