package events

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/insight"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// widgetView is a widget as its page shows it.
type widgetView struct {
	ID, Title, Subtitle string
	Place               dashboard.Place
	First, Last         bool
	Fields              []web.Field // of its form; none: the user does not change it

	Wrong  *wrong       // why its query has no answer
	Result *result      // of a query
	Table  bool         // the result is shown as a table, although it could be drawn
	Since  *web.Moment  // how far back the result is complete; nil: in all of its period
	Figure *draw.Figure // of a result that is no chart over time
	Says   string       // why a result is not drawn as it was asked
	Tiles  []tile       // of a result that is shown as numbers
	Lines  []line       // of a list
	Empty  string       // what a list says that has none
	Link   string       // where there is more
}

// tile is a number with its name.
type tile struct{ Name, Text string }

// line is an entry of a list.
type line struct {
	Name, Path, Text string
	State            *web.State
	When             *web.Moment
}

// widget runs what a widget asks. Of the request it takes nothing but its context.
func (p *pages) widget(r *http.Request, page *dashboardPage, w dashboard.Widget, until time.Time) (v *widgetView, err error) {
	v = &widgetView{ID: w.ID, Title: w.Title()}
	v.Subtitle, _ = w.Presentation["subtitle"].(string)
	if page.Edits {
		v.Fields = fieldsOf(w.ID, w)
	}
	switch w.Type {
	case dashboard.Query:
		v.Title = cmp.Or(v.Title, "Query")
		return v, p.queryWidget(r, page, v, w, until)
	case dashboard.Errors:
		v.Title, v.Empty, v.Link = cmp.Or(v.Title, "Errors"), "No errors.", projectPath(page.project, "/faults")
		err = p.errorsWidget(r, page, v, w)
	case dashboard.Deploys:
		v.Title, v.Empty, v.Link = cmp.Or(v.Title, "Deploys"), "No deploys in this period.", projectPath(page.project, "/deploys")
		err = p.deploysWidget(r, page, v, w)
	case dashboard.CheckIns:
		v.Title, v.Empty, v.Link = cmp.Or(v.Title, "Check-ins"), "No check-ins.", projectPath(page.project, "/check_ins")
		err = p.checkInsWidget(r, page, v, w)
	case dashboard.Uptime:
		v.Title, v.Empty, v.Link = cmp.Or(v.Title, "Sites"), "No sites.", projectPath(page.project, "/sites")
		err = p.sitesWidget(r, page, v, w)
	case dashboard.Alarms:
		v.Title, v.Empty, v.Link = cmp.Or(v.Title, "Alarms"), "No alarms.", alarmsIn(page.project)
		err = p.alarmsWidget(r, page, v, w)
	}
	v.Wrong = wrongOf("", err)
	if v.Wrong != nil {
		err = nil
	}
	return v, err
}

func projectPath(project int64, rest string) string {
	return strings.TrimSuffix(pathIn(project), "/insights") + rest
}

func (p *pages) queryWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget, until time.Time) error {
	a := asked{Q: dashboard.Fill(w.Text("query"), page.value), Period: page.Period}
	if streams := w.Streams(); len(streams) == 1 {
		a.Stream = streams[0]
	}
	v.Link = pathIn(page.project) + a.Query()
	var err error
	a.Question.Text = a.Q
	if a.Question.Statement, err = insight.ParseStatement(a.Q); err == nil {
		plan := a.plan(page.Now, rowsOfWidget)
		var found insight.Result
		if found, err = p.Insights.Query(r.Context(), p.Now(), until, page.project, plan); err == nil {
			v.show(page.Shell, a, found, plan, w, cmp.Or(w.Text("vis", "view"), "table"))
			return nil
		}
	}
	if v.Wrong = wrongOf(a.Q, err); v.Wrong != nil {
		return nil
	}
	return err
}

// rowsOfWidget is how many events or rows of a table a widget shows.
const rowsOfWidget = 20

// show shows a result in a view.
func (v *widgetView) show(s web.Shell, a asked, found insight.Result, plan insight.Plan, w dashboard.Widget, view string) {
	v.Result = resultOf(s, a, found, plan)
	v.Result.Table = v.Result.Table[:min(len(v.Result.Table), rowsOfWidget)]
	v.Result.More = 0
	if !v.Result.Since.IsZero() {
		since := s.Moment(v.Result.Since)
		v.Since = &since
	}
	switch {
	case view == "billboard" && len(v.Result.Table) > 0:
		v.Tiles = tilesOf(v.Result)
	case view == "table":
		v.Table = true
	default:
		v.draw(s, a, plan, w, view)
	}
}

// tilesOf returns a number for each row, which its other cells name; or for each column of the only row.
func tilesOf(r *result) (tiles []tile) {
	if len(r.Table) == 1 {
		for i, c := range r.Table[0].Cells {
			tiles = append(tiles, tile{r.Columns[i].Name, c.Text})
		}
		return tiles
	}
	for _, row := range r.Table {
		t := tile{Text: none}
		var names []string
		for _, c := range row.Cells {
			if c.Number {
				t.Text = c.Text
			} else {
				names = append(names, c.Text)
			}
		}
		t.Name = strings.Join(names, " · ")
		tiles = append(tiles, t)
	}
	return tiles
}

func (p *pages) errorsWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget) error {
	var problems sett.Problems
	f := searchdb.Filter{Search: sett.CheckSearch(&problems, "query", w.Text("query"), page.Now), AskedBy: page.User.ID}
	if err := problems.Refusal(); err != nil {
		return err
	}
	order := searchdb.Recent
	if strings.HasPrefix(w.Text("sort"), "times") {
		order = searchdb.Frequent
	}
	most, reversed := w.Limit(), strings.HasSuffix(w.Text("sort"), "_asc")
	if reversed {
		most = mostSorted
	}
	found, err := p.Search.SearchFaults(r.Context(), p.Now(), page.project, f, searchdb.Page{Order: order, Page: sett.Page{Size: most}})
	if reversed {
		slices.Reverse(found.Faults)
	}
	for _, f := range found.Faults[:min(len(found.Faults), w.Limit())] {
		when := page.Moment(f.LastNoticeAt)
		v.Lines = append(v.Lines, line{Name: f.Class, Path: projectPath(page.project, "/faults/"+strconv.FormatInt(f.ID, 10)), Text: short(f.Message) + " · " + web.Count(f.NoticesCount, "event"), When: &when})
	}
	return err
}

func (p *pages) deploysWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget) error {
	from, to, _ := page.Period.times(page.Now)
	if w.Config["override_time"] == true {
		var err error
		if from, to, err = insight.ParseSpan(w.Text("ts"), page.Now.Location(), page.Now); err != nil {
			return err
		}
	}
	found, _, err := p.Faults.ListDeploys(r.Context(), page.project, faultdb.DeployFilter{CreatedAfter: from, CreatedBefore: to, Page: sett.Page{Size: w.Limit()}})
	for _, d := range found {
		when := page.Moment(d.CreatedAt)
		by := d.LocalUsername
		if page.public {
			by = ""
		}
		v.Lines = append(v.Lines, line{Name: cmp.Or(web.ShortRevision(d.Revision), "Deploy"), Text: strings.Trim(d.Environment+" · "+by, " ·"), When: &when})
	}
	return err
}

func (p *pages) checkInsWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget) error {
	lines, _, err := p.Uptime.CheckInLines(r.Context(), page.project, sett.Page{Size: mostSorted})
	sortCheckIns(lines, w.Text("sort_order"), page.Now)
	for _, l := range lines[:min(len(lines), w.Limit())] {
		v.Lines = append(v.Lines, checkInLine(page, l))
	}
	return err
}

// mostSorted is how many errors or check-ins a widget sorts.
const mostSorted = 1000

// sortCheckIns sorts by name, by when they reported last, or those first that need attention.
func sortCheckIns(lines []checks.CheckInLine, order string, now time.Time) {
	urgency := map[web.Mood]int{web.Critical: 0, web.Warning: 1, web.Muted: 3, web.Paused: 4}
	rank := func(l checks.CheckInLine) int {
		if n, ok := urgency[web.CheckInState(l.CheckIn, now).Mood]; ok {
			return n
		}
		return 2
	}
	slices.SortStableFunc(lines, func(a, b checks.CheckInLine) int {
		byName := cmp.Compare(strings.ToLower(cmp.Or(a.Name, a.Slug, a.ID)), strings.ToLower(cmp.Or(b.Name, b.Slug, b.ID)))
		switch order {
		case "name":
			return byName
		case "last_reported":
			return cmp.Or(b.ReportedAt.Compare(a.ReportedAt), byName)
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), byName)
	})
}

func checkInLine(page *dashboardPage, l checks.CheckInLine) line {
	state := web.CheckInState(l.CheckIn, page.Now)
	one := line{Name: cmp.Or(l.Name, l.Slug, l.ID), Path: projectPath(page.project, "/check_ins/"+l.ID), State: &state}
	if !l.ReportedAt.IsZero() {
		when := page.Moment(l.ReportedAt)
		one.When = &when
	}
	return one
}

func (p *pages) sitesWidget(r *http.Request, page *dashboardPage, v *widgetView, w dashboard.Widget) error {
	lines, _, err := p.Uptime.SiteLines(r.Context(), p.Now(), page.project, sett.Page{Size: w.Limit()})
	for _, l := range lines {
		v.Lines = append(v.Lines, siteLine(page, l))
	}
	return err
}

func siteLine(page *dashboardPage, l stats.SiteLine) line {
	state := web.SiteState(l.Site)
	one := line{Name: l.Site.Name, Path: projectPath(page.project, "/sites/"+l.Site.ID.String()), State: &state}
	if !l.Site.LastCheckedAt.IsZero() {
		when := page.Moment(l.Site.LastCheckedAt)
		one.When = &when
	}
	return one
}
