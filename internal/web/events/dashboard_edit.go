package events

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/insight"
	"sett/internal/web"
)

// widths are the names of widths that people think of.
var widths = map[int]string{12: "Full", 9: "Three quarters", 8: "Two thirds", 6: "Half", 4: "A third", 3: "A quarter"}

// fieldsOf returns the fields of the form of a widget; id is "new" for one that is added, at the end of the page.
func fieldsOf(id string, w dashboard.Widget) []web.Field {
	axes, stream := w.Axes(), ""
	if streams := w.Streams(); len(streams) == 1 {
		stream = string(streams[0])
	}
	fields := []web.Field{
		{Name: "type", ID: "type-" + id, Label: "Shows", Kind: "select", Value: string(w.Type), Choices: web.Choices(
			string(dashboard.Query), "A query", string(dashboard.Errors), "Errors", string(dashboard.Alarms), "Alarms", string(dashboard.Deploys), "Deploys",
			string(dashboard.CheckIns), "Check-ins", string(dashboard.Uptime), "Sites")},
		{Name: "title", ID: "title-" + id, Label: "Title", Kind: "text", Value: w.Title(), Optional: true},
		{Name: "query", ID: "query-" + id, Label: "Query", Kind: "area", Code: true, Lines: 3, Value: w.Text("query"), Optional: true, Hint: "Of structured events, or a search for errors. Others need none."},
		{Name: "view", ID: "view-" + id, Label: "Drawn as", Kind: "select", Value: cmp.Or(w.Text("vis", "view"), "table"), Choices: web.Choices(
			"table", "Table", "billboard", "Numbers", "line", "Lines", "bar", "Bars", "area", "Area", "histogram", "Histogram", "pie", "Pie", "scatter", "Points", "heatmap", "Heat map")},
		{Name: "x", ID: "x-" + id, Label: "Column across, or of names", Kind: "text", Value: axes[0], Optional: true, Code: true, Hint: "Without columns, those that fit are drawn."},
		{Name: "y", ID: "y-" + id, Label: "Column of numbers", Kind: "text", Value: axes[1], Optional: true, Code: true, Hint: "In a heat map, the one that goes down."},
		{Name: "z", ID: "z-" + id, Label: "Column of series or colors", Kind: "text", Value: axes[2], Optional: true, Code: true},
		{Name: "streams", ID: "streams-" + id, Label: "Events", Kind: "select", Value: stream, Choices: web.Choices(
			"", "All", string(insight.Sent), "Sent by clients", string(insight.Recorded), "Recorded by sett")},
		{Name: "width", ID: "width-" + id, Label: "Width", Kind: "select", Value: strconv.Itoa(w.Grid.W), Choices: numbered(dashboard.Columns, 1, func(n int) string {
			return cmp.Or(widths[n], strconv.Itoa(n)+" of 12 columns")
		})},
		{Name: "height", ID: "height-" + id, Label: "Height", Kind: "select", Value: strconv.Itoa(min(w.Grid.H, dashboard.MostHeight)), Hint: "At least. A widget is as high as what it shows.", Choices: numbered(1, dashboard.MostHeight, func(n int) string {
			return web.Count(int64(n), "row")
		})},
	}
	if id == "new" {
		return fields
	}
	return append(fields, web.Field{Name: "column", ID: "column-" + id, Label: "First column", Kind: "select", Value: strconv.Itoa(w.Grid.X), Choices: numbered(0, dashboard.Columns-1, func(n int) string {
		return strconv.Itoa(n + 1)
	})})
}

// numbered returns choices from one number to another.
func numbered(from, to int, label func(int) string) (choices []web.Choice) {
	step := 1
	if to < from {
		step = -1
	}
	for n := from; n != to+step; n += step {
		choices = append(choices, web.Choice{Value: strconv.Itoa(n), Label: label(n)})
	}
	return choices
}

// changeDashboard renames a dashboard, or adds, changes, moves or removes a widget.
func (p *pages) changeDashboard(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	project, id := web.Project(r), r.PathValue("dashboard_id")
	_, err = p.Dashboards.Change(r.Context(), p.Now(), project, id, func(d dashboard.Dashboard) (dashboard.Settings, error) {
		return edited(d.Settings, form).Check(p.Now(), newWidgetID)
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
		s.Step(id, -1)
	case form.Has("down"):
		s.Step(id, 1)
	case form.Has("remove"):
		s.Remove(id)
	default:
		place := s.PlaceOf(id)
		for name, to := range map[string]*int{"column": &place.X, "width": &place.W, "height": &place.H} {
			if form.Has(name) {
				*to = number(form, name)
			}
		}
		edit := dashboard.Edit{Type: dashboard.Type(form.Get("type")), Title: form.Get("title"), Query: form.Get("query"), View: form.Get("view"), Place: place}
		if form.Has("streams") {
			edit.Streams = sett.Some(form.Get("streams"))
		}
		if form.Has("x") {
			edit.Axes = sett.Some([3]string{form.Get("x"), form.Get("y"), form.Get("z")})
		}
		s.Put(id, edit)
	}
	return dashboard.ChangeOf(s)
}

// number returns a number of a form; what is none is 0, which is refused as too small where that matters.
func number(form url.Values, name string) int {
	n, _ := strconv.ParseInt(form.Get(name), 10, 16)
	return int(n)
}

// arranged is the answer to places that were stored.
type arranged struct {
	Version string `json:"version"`
}

// arrangeDashboard stores the places of all widgets, as board.js sends them with the version of the dashboard that they were made of. Another version
// is a Conflict: someone else has changed the dashboard since.
func (p *pages) arrangeDashboard(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	at, err := p.Dashboards.Change(r.Context(), p.Now(), web.Project(r), r.PathValue("dashboard_id"), func(d dashboard.Dashboard) (dashboard.Settings, error) {
		if form.Get("version") != versionOf(d.UpdatedAt) {
			return d.Settings, sett.Errorf(sett.Conflict, "Not saved: someone else has changed this dashboard. Reload it, and arrange it again.")
		}
		if err := d.Arrange(form.Get("places")); err != nil {
			return d.Settings, err
		}
		return dashboard.ChangeOf(d.Settings).Check(p.Now(), newWidgetID)
	})
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, arranged{versionOf(at)})
}

// versionOf returns the version of a dashboard that was changed at a time.
func versionOf(at time.Time) string { return strconv.FormatInt(at.UnixMicro(), 10) }
