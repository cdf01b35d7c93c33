package fault

import (
	"encoding/json"
	"net/http"
	"strings"

	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// spot is where an error happened: the first frame of the application.
type spot struct {
	Place, Method string // file and line, and the function around it, or ""
	Link          string // to the source, by the template of the project; "" for none
}

// Text returns what is copied.
func (s spot) Text() string {
	if s.Method == "" {
		return s.Place
	}
	return s.Place + " in " + s.Method
}

// spot returns the first frame of the application, or of all if it has none; its place is "" if there is no frame with a file.
func (t trace) spot() spot {
	for _, f := range t.Stack.Frames {
		if f.App && f.Place != "" {
			return f.spot()
		}
	}
	if len(t.Stack.Frames) > 0 {
		return t.Stack.Frames[0].spot()
	}
	return spot{}
}

func (f frame) spot() spot { return spot{f.Place, strings.Trim(f.Method, "?"), f.Link} }

// spotOf returns where the first event of a fault happened.
func spotOf(f faults.Fault) spot {
	g := groupingOf(f)
	s := spot{Place: strings.TrimPrefix(g.File, "[PROJECT_ROOT]/"), Method: g.Method}
	if s.Place != "" && g.Line != "" {
		s.Place += ":" + g.Line
	}
	return s
}

// groupingOf returns how a fault was grouped; an unreadable grouping has no inputs.
func groupingOf(f faults.Fault) (g faults.Grouping) {
	_ = json.Unmarshal([]byte(f.Grouping), &g)
	return g
}

// trend is how many events came, or users were affected, in a day and in the day before.
type trend struct {
	Now, Before int64
	Unit        string
	Some        bool // there were at least so many in the day
	Unknown     bool // it is not known how many in the day before
}

// Sign shows whether there are more or fewer; "" if neither.
func (t trend) Sign() string {
	switch {
	case t.Some || t.Unknown:
		return ""
	case t.Now > t.Before:
		return "▲"
	case t.Now < t.Before:
		return "▼"
	}
	return ""
}

// Text says how many there are, such as "44 in 24 h".
func (t trend) Text() string {
	if t.Now == 0 {
		return "none in 24 h"
	}
	if t.Some {
		return web.Number(t.Now) + "+ in 24 h"
	}
	return web.Number(t.Now) + " in 24 h"
}

// Whole says both.
func (t trend) Whole() string {
	switch {
	case t.Some:
		return web.Count(t.Now, t.Unit) + " in the newest events of the last 24 hours"
	case t.Unknown:
		return web.Count(t.Now, t.Unit) + " in 24 hours"
	}
	return web.Count(t.Now, t.Unit) + " in 24 hours, " + web.Number(t.Before) + " in the 24 hours before"
}

// named is a release with its page.
type named struct{ Revision, Path string } // the path is "" for none

func (n named) Short() string { return shortOf(n.Revision) }

func namedRelease(project int64, revision string) named {
	return named{revision, web.ReleasePath(project, revision)}
}

// shortOf returns a revision as people name it, within a length.
func shortOf(revision string) string { return cut(web.ShortRevision(revision), longestRevision) }

const longestRevision = 40

// showFigures shows how often and in which releases the error happened.
func (v *faultView) showFigures(s *sheet.Fault) {
	first := groupingOf(s.Fault).Revision
	if first == "" || len(s.Parts) > 1 { // it is not known, or of a part that may not be the oldest
		first = s.Position.First
	}
	v.First, v.Last, v.Trend = namedRelease(s.Fault.ProjectID, first), namedRelease(s.Fault.ProjectID, s.Position.Last), &trend{Now: s.Today, Before: s.Yesterday, Unit: "event"}
	v.Spot = spotOf(s.Fault)
}

// Public reports whether the page shows nothing of users.
func (v *faultView) Public() bool { return false }

// zoomed reports whether a request asks for a period of the chart, which is then shown large.
func zoomed(r *http.Request) bool { return r.URL.Query().Has("period") }

// PeriodText says which time the chart shows.
func (v *faultView) PeriodText() string {
	return map[stats.Period]string{stats.PastHour: "Last hour", stats.PastDay: "Last 24 hours", stats.PastWeek: "Last 7 days", stats.PastMonth: "Last 30 days"}[v.Period]
}
