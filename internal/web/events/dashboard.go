package events

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/dashboard"
	"sett/internal/web"
)

// dashboardList is the page of a project's dashboards.
type dashboardList struct {
	web.Shell
	Dashboards []dashboardLine
	Back       string
	New        []web.Field
	Templates  []dashboard.Template
}

type dashboardLine struct {
	Title, Path string
	Widgets     string
	Updated     web.Moment
}

// dashboardPage is a dashboard.
type dashboardPage struct {
	web.Shell
	Back    string // to the list
	Path    string
	Period  period
	Periods []period
	Widgets []*widgetView
	Edits   bool // whether the user changes it
	MayEdit bool // whether they may
	Rename  web.Field
	Add     []web.Field
	Others  []web.Choice // other dashboards, by their paths
}

const dashboardsIn = "/dashboards"

func dashboardPath(d dashboard.Dashboard) string {
	return pathIn(d.ProjectID) + dashboardsIn + "/" + d.ID
}

func (p *pages) dashboards(w http.ResponseWriter, r *http.Request) error {
	page, err := p.dashboardList(r, "", "overview")
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "dashboards", page)
}

func (p *pages) dashboardList(r *http.Request, title, template string) (*dashboardList, error) {
	id := web.Project(r)
	page := &dashboardList{Shell: p.Shell(r, "Dashboards").In("insights"), Back: pathIn(id), Templates: dashboard.Templates()}
	found, _, err := p.Dashboards.List(r.Context(), id, sett.Page{Size: dashboard.Most})
	for _, d := range found {
		page.Dashboards = append(page.Dashboards, dashboardLine{d.Title, dashboardPath(d), web.Count(int64(len(d.Widgets)), "widget"), page.Moment(d.UpdatedAt)})
	}
	var choices []web.Choice
	for _, t := range page.Templates {
		choices = append(choices, web.Choice{Value: t.Name, Label: t.Title})
	}
	page.New = []web.Field{
		{Name: "template", Label: "Begin with", Kind: "select", Value: template, Choices: choices},
		{Name: "title", Label: "Title", Kind: "text", Value: title, Optional: true, Hint: "Without one, it has that of what it begins with."},
	}
	return page, err
}

// makeDashboard makes a dashboard from a template.
func (p *pages) makeDashboard(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := dashboard.Change{Widgets: sett.Some([]any{})}
	for _, t := range dashboard.Templates() {
		if t.Name == form.Get("template") {
			change = dashboard.ChangeOf(t.Settings)
		}
	}
	change.Title = sett.Some(cmp.Or(form.Get("title"), change.Title.Value))
	settings, err := change.Check(p.Now(), newWidgetID)
	var made dashboard.Dashboard
	if err == nil {
		made, err = p.Dashboards.Create(r.Context(), p.Now(), web.Project(r), settings)
	}
	if err == nil {
		return p.Done(w, dashboardPath(made), "dashboard_made")
	}
	page, failed := p.dashboardList(r, form.Get("title"), form.Get("template"))
	if failed != nil {
		return failed
	}
	return p.Again(w, r, err, "dashboards", page)
}

func newWidgetID() string { return sett.RandomString(8) }

func (p *pages) dashboard(w http.ResponseWriter, r *http.Request) error {
	d, err := p.Dashboards.ByID(r.Context(), web.Project(r), r.PathValue("dashboard_id"))
	if err != nil {
		return err
	}
	page, err := p.dashboardPage(r, d)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "dashboard", page)
}

// timeOfPage is how long all queries of a dashboard may take together.
const timeOfPage = 10 * time.Second

func (p *pages) dashboardPage(r *http.Request, d dashboard.Dashboard) (*dashboardPage, error) {
	page := &dashboardPage{Shell: p.Shell(r, d.Title).In("insights"), Back: pathIn(d.ProjectID) + dashboardsIn, Path: dashboardPath(d)}
	page.MayEdit = page.May(accounts.WatchProject)
	page.Edits = page.MayEdit && r.URL.Query().Has("edit")
	page.Heading = "-"
	period, err := periodOf(cmp.Or(r.URL.Query().Get("period"), d.DefaultTS, "3h"), page.Now)
	if err != nil {
		page.Problem = err.Error()
	}
	page.Period, page.Periods = period, asked{Period: period}.offered()
	others, _, err := p.Dashboards.List(r.Context(), d.ProjectID, sett.Page{Size: dashboard.Most})
	for _, o := range others {
		if o.ID != d.ID {
			page.Others = append(page.Others, web.Choice{Value: dashboardPath(o), Label: o.Title})
		}
	}
	if err != nil {
		return nil, err
	}
	until := time.Now().Add(timeOfPage)
	widgets := d.InOrder()
	for i, widget := range widgets {
		v, err := p.widget(r, page, widget, until)
		if err != nil {
			return nil, err
		}
		v.First, v.Last = i == 0, i == len(widgets)-1
		page.Widgets = append(page.Widgets, v)
	}
	if page.Edits {
		page.Rename = web.Field{Name: "title", ID: "rename", Label: "Title", Kind: "text", Value: d.Title}
		page.Add = fieldsOf("new", dashboard.Widget{Type: dashboard.Query, Grid: dashboard.Grid{W: dashboard.Columns}})
	}
	return page, nil
}

// fieldsOf returns the fields of the form of a widget.
func fieldsOf(id string, w dashboard.Widget) []web.Field {
	width := []web.Choice{{Value: "12", Label: "Full"}, {Value: "8", Label: "Two thirds"}, {Value: "6", Label: "Half"}, {Value: "4", Label: "A third"}, {Value: "3", Label: "A quarter"}}
	at := strconv.Itoa(w.Grid.W)
	if w.Grid.W != 12 && w.Grid.W != 8 && w.Grid.W != 6 && w.Grid.W != 4 && w.Grid.W != 3 {
		width = append(width, web.Choice{Value: at, Label: at + " of 12 columns"})
	}
	return []web.Field{
		{Name: "type", ID: "type-" + id, Label: "Shows", Kind: "select", Value: string(w.Type), Choices: web.Choices(
			string(dashboard.Query), "A query", string(dashboard.Errors), "Errors", string(dashboard.Alarms), "Alarms", string(dashboard.Deploys), "Deploys",
			string(dashboard.CheckIns), "Check-ins", string(dashboard.Uptime), "Sites")},
		{Name: "title", ID: "title-" + id, Label: "Title", Kind: "text", Value: w.Title(), Optional: true},
		{Name: "query", ID: "query-" + id, Label: "Query", Kind: "area", Code: true, Lines: 3, Value: w.Text("query"), Optional: true, Hint: "Of structured events, or a search for errors. Others need none."},
		{Name: "view", ID: "view-" + id, Label: "Drawn as", Kind: "select", Value: cmp.Or(w.Text("vis", "view"), "table"), Choices: web.Choices(
			"table", "Table", "billboard", "Numbers", "line", "Lines", "bar", "Bars", "area", "Area", "histogram", "Histogram", "pie", "Pie", "scatter", "Points", "heatmap", "Heat map")},
		{Name: "width", ID: "width-" + id, Label: "Width", Kind: "select", Value: at, Choices: width},
	}
}

// changeDashboard renames a dashboard, or adds, changes, moves or removes a widget.
func (p *pages) changeDashboard(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	project, id := web.Project(r), r.PathValue("dashboard_id")
	err = p.Dashboards.Change(r.Context(), p.Now(), project, id, func(s dashboard.Settings) (dashboard.Settings, error) {
		return edited(s, form).Check(p.Now(), newWidgetID)
	})
	to := fmt.Sprintf("%s%s/%s?edit=1", pathIn(project), dashboardsIn, id)
	if err == nil {
		return p.Done(w, to, "dashboard_changed")
	}
	d, failed := p.Dashboards.ByID(r.Context(), project, id)
	if failed != nil {
		return failed
	}
	page, failed := p.dashboardPage(r, d)
	if failed != nil {
		return failed
	}
	return p.Again(w, r, err, "dashboard", page)
}

// edited returns what a form makes of a dashboard.
func edited(s dashboard.Settings, form url.Values) dashboard.Change {
	if form.Has("rename") {
		s.Title = form.Get("title")
		return dashboard.ChangeOf(s)
	}
	id := form.Get("id")
	switch {
	case form.Has("up"):
		s.Move(id, -1)
	case form.Has("down"):
		s.Move(id, 1)
	case form.Has("remove"):
		s.Remove(id)
	default:
		width, _ := strconv.Atoi(form.Get("width")) // what is no number is refused as too small
		s.Put(id, dashboard.Edit{Type: dashboard.Type(form.Get("type")), Title: form.Get("title"), Query: form.Get("query"), View: form.Get("view"), Width: width})
	}
	return dashboard.ChangeOf(s)
}

func (p *pages) removeDashboard(w http.ResponseWriter, r *http.Request) error {
	if err := p.Dashboards.Delete(r.Context(), web.Project(r), r.PathValue("dashboard_id")); err != nil {
		return err
	}
	return p.Done(w, pathIn(web.Project(r))+dashboardsIn, "dashboard_deleted")
}
