package web

import (
	"fmt"
	"net/url"
	"strings"

	"sett/internal/sett/stats"
)

// View links to one view of what a page shows, such as the errors of a project by class.
type View struct {
	Label, Path string
	On          bool
}

// ErrorReport is a view that counts the events of a project's errors.
type ErrorReport struct {
	Kind        stats.ReportKind
	View, Label string // of the link, and of the rows
}

// ErrorReports are the reports in the order of their links.
var ErrorReports = []ErrorReport{
	{stats.NoticesByClass, "By class", "Class"},
	{stats.NoticesByLocation, "By place", "Place"},
	{stats.NoticesByUser, "By user", "User"},
	{stats.NoticesPerDay, "By day", "Day"},
}

// ErrorViews returns the views of the errors of a project. They keep the environment, and reports also keep their days.
func (s Shell) ErrorViews() []View {
	errors := fmt.Sprintf("/projects/%d/faults", s.Nav.Project.ID)
	views := []View{{"List", errors + s.keeping("environment"), s.Here == errors}}
	for _, r := range ErrorReports {
		path := fmt.Sprintf("/projects/%d/reports/%s", s.Nav.Project.ID, r.Kind)
		views = append(views, View{r.View, path + s.keeping("environment", "start", "stop"), s.Here == path})
	}
	return views
}

// OverviewViews returns the views of a project as a whole.
func (s Shell) OverviewViews() []View {
	return s.views("Overview", fmt.Sprintf("/projects/%d", s.Nav.Project.ID), "Activity", fmt.Sprintf("/projects/%d/timeline", s.Nav.Project.ID))
}

// ReleaseViews returns the views of what was released.
func (s Shell) ReleaseViews() []View {
	return s.views("List", fmt.Sprintf("/projects/%d/releases", s.Nav.Project.ID), "All deploys", fmt.Sprintf("/projects/%d/deploys", s.Nav.Project.ID))
}

// views returns views from pairs of a label and a path.
func (s Shell) views(pairs ...string) (views []View) {
	for i := 0; i+1 < len(pairs); i += 2 {
		views = append(views, View{pairs[i], pairs[i+1], s.Here == pairs[i+1]})
	}
	return views
}

// keeping returns the query of an address with some members of the query of this page.
func (s Shell) keeping(names ...string) string {
	_, query, _ := strings.Cut(s.Address, "?")
	has, _ := url.ParseQuery(query) // what cannot be read is not kept
	kept := url.Values{}
	for _, name := range names {
		if value := has.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return "?" + kept.Encode()
}
