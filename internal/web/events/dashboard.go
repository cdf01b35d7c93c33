package events

import (
	"cmp"
	"net/http"
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
	Period  period
	Periods []period
	MayEdit bool   // whether the user may change it
	Wall    string // path of the page for a full screen
	Share   share

	project int64
	value   func(parameter string) string // of queries
	public  bool                          // everybody can see it
	board
	Rename web.Field
	Add    []web.Field
	Others []web.Choice // other dashboards, by their paths
}

// board is the widgets of a dashboard.
type board struct {
	Path    string // of the page
	Edits   bool   // whether the user changes it
	Version string // which the places of widgets are sent with
	Widgets []*widgetView
}

// Board returns what the template of widgets takes.
func (p *dashboardPage) Board() board { return p.board }

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

// newDashboardPage returns the page of a dashboard without what its widgets show.
func (p *pages) newDashboardPage(r *http.Request, d dashboard.Dashboard) *dashboardPage {
	page := &dashboardPage{Shell: p.Shell(r, d.Title).In("insights"), Back: pathIn(d.ProjectID) + dashboardsIn, board: board{Path: dashboardPath(d), Version: versionOf(d.UpdatedAt)}, project: d.ProjectID, value: r.URL.Query().Get}
	page.Heading = "-"
	period, err := periodOf(cmp.Or(r.URL.Query().Get("period"), d.DefaultTS, "3h"), page.Now)
	if err != nil {
		page.Problem = err.Error()
	}
	page.Period, page.Periods = period, asked{Period: period}.offered()
	return page
}

func (p *pages) dashboardPage(r *http.Request, d dashboard.Dashboard) (*dashboardPage, error) {
	page := p.newDashboardPage(r, d)
	page.MayEdit = page.May(accounts.WatchProject)
	page.Edits = page.MayEdit && r.URL.Query().Has("edit")
	page.Wall = page.Path + "/wall" + withQuery(r)
	others, _, err := p.Dashboards.List(r.Context(), d.ProjectID, sett.Page{Size: dashboard.Most})
	for _, o := range others {
		if o.ID != d.ID {
			page.Others = append(page.Others, web.Choice{Value: dashboardPath(o), Label: o.Title})
		}
	}
	if err != nil {
		return nil, err
	}
	if page.Share, err = p.shareOf(r, page, d.ID); err != nil {
		return nil, err
	}
	if err := p.fill(r, page, d); err != nil {
		return nil, err
	}
	if page.Edits {
		page.Scripts = []string{"board.js"}
		page.Rename = web.Field{Name: "title", ID: "rename", Label: "Title", Kind: "text", Value: d.Title}
		page.Add = fieldsOf("new", dashboard.Widget{Type: dashboard.Query, Grid: dashboard.Grid{W: dashboard.Columns, H: 3}})
	}
	return page, nil
}

// fill runs what the widgets ask.
func (p *pages) fill(r *http.Request, page *dashboardPage, d dashboard.Dashboard) error {
	page.Sheets = []string{"board.css"}
	until := time.Now().Add(timeOfPage)
	widgets := d.InOrder()
	places := dashboard.Places(widgets)
	for i, widget := range widgets {
		v, err := p.widget(r, page, widget, until)
		if err != nil {
			return err
		}
		v.Place, v.First, v.Last = places[i], i == 0, i == len(widgets)-1
		page.Widgets = append(page.Widgets, v)
	}
	return nil
}

func (p *pages) removeDashboard(w http.ResponseWriter, r *http.Request) error {
	if err := p.Dashboards.Delete(r.Context(), web.Project(r), r.PathValue("dashboard_id")); err != nil {
		return err
	}
	return p.Done(w, pathIn(web.Project(r))+dashboardsIn, "dashboard_deleted")
}
