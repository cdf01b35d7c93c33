package events

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett/insight"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// searchPage is the page of structured events.
type searchPage struct {
	web.Shell
	Asked   asked
	Periods []period
	Keys    []string // of events, for the fields of the form
	Chart   draw.Chart
	Total   int64
	Rows    []eventRow
	Columns []string // of groups
	Groups  []groupRow
	Notes   []string
	Since   time.Time // how far the search came; zero: it is complete
	Damaged bool
	Usage   string
	Live    string
	Files   web.ExportLinks
	Any     bool // the project has sent events
}

// eventRow is an event.
type eventRow struct {
	When   web.Moment
	Type   string
	Text   string       // the first fields on one line
	Fields []shownField // all of them
}

// shownField is a field with its value as people read it.
type shownField struct{ Key, Value, Search string }

// groupRow is a group of events.
type groupRow struct {
	Label  string
	Search string // address of the page that shows its events
	Bar    draw.Spark
	Cells  []string
}

// How much a page shows, and how long it may search.
const (
	eventsOfPage = 50
	groupsOfPage = 100
	timeOfPage   = 5 * time.Second
	fieldsInLine = 6
	textInLine   = 80 // characters of a value
)

func (p *pages) search(w http.ResponseWriter, r *http.Request) error {
	a, id := askedOf(r), web.Project(r)
	page := searchPage{Shell: p.Shell(r, "Insights").In("insights"), Asked: a, Periods: periods}
	page.Heading, page.Problem = "-", a.problem
	page.Live = p.At("/projects/%d/insights/live", id) + a.query(a.Q, "")
	page.Files = p.ExportPath(r, r.URL.Path)
	var err error
	if page.Any, err = p.Insights.Sent(r.Context(), id); err != nil {
		return err
	}
	if a.problem != "" {
		return p.Show(w, r, http.StatusUnprocessableEntity, "insights", page)
	}
	plan := a.plan(p.Now())
	found, err := p.Insights.Query(r.Context(), p.Now(), time.Now().Add(timeOfPage), id, plan)
	if err != nil {
		return err
	}
	if page.Keys, err = p.Insights.Keys(r.Context(), id); err != nil {
		return err
	}
	if page.Usage, err = p.usage(r, id); err != nil {
		return err
	}
	page.fill(found, plan)
	return p.Show(w, r, http.StatusOK, "insights", page)
}

func (page *searchPage) fill(found insight.Result, plan insight.Plan) {
	a := page.Asked
	page.Total, page.Notes, page.Damaged = found.Total, found.Missing, found.Unread > 0
	if found.Since > 0 {
		page.Since = time.UnixMicro(found.Since)
	}
	axis := draw.Axis{From: time.UnixMicro(plan.From), To: time.UnixMicro(plan.To), Layout: a.Period.layout}.In(page.Now.Location(), a.Period.step)
	page.Chart = draw.NewBars(axis, found.Series, nil, nil, "events")
	for _, e := range found.Events {
		page.Rows = append(page.Rows, rowOf(page.Shell, a, e))
	}
	if plan.Stat != nil {
		page.fillGroups(found, plan)
	}
}

func (page *searchPage) fillGroups(found insight.Result, plan insight.Plan) {
	a := page.Asked
	page.Columns = []string{"Events"}
	for _, agg := range plan.Stat.Agg[1:] {
		page.Columns = append(page.Columns, labels[agg.Func])
	}
	most := int64(1)
	for _, g := range found.Groups {
		most = max(most, g.Count)
	}
	if n := len(found.Groups) - groupsOfPage; n > 0 || found.Dropped {
		page.Notes = append(page.Notes, fmt.Sprintf("The table shows the %d groups with most events.", groupsOfPage))
	}
	for _, g := range found.Groups[:min(len(found.Groups), groupsOfPage)] {
		row := groupRow{Label: "All events", Bar: bar(g.Count, most)}
		if a.By != "" {
			row.Label = cmp.Or(g.By[0].Text, "(none)")
			row.Search = page.Here + a.query(strings.TrimSpace(a.Q+" "+query.Write(query.Key(a.By), g.By[0].Text)), "")
		}
		for i, v := range g.Values {
			row.Cells = append(row.Cells, shownNumber(v, i == 0))
		}
		page.Groups = append(page.Groups, row)
	}
}

// labels are the heads of columns.
var labels = map[insight.Func]string{insight.Sum: "Sum", insight.Avg: "Average", insight.Quantile: "95th percentile", insight.Max: "Highest"}

const barWidth = 120

// bar returns a horizontal bar.
func bar(n, most int64) draw.Spark {
	return draw.Spark{Width: barWidth, Height: 12, Bars: fmt.Sprintf("M0 1h%dv10H0z", max(1, n*barWidth/most)), Text: fmt.Sprintf("%d%% of the highest", n*100/most)}
}

// shownNumber returns a number with three digits after the point, or "–".
func shownNumber(v insight.Value, whole bool) string {
	switch {
	case v.Kind == insight.Absent:
		return "–"
	case whole || v.Num == float64(int64(v.Num)):
		return web.Number(int64(v.Num))
	}
	const mostExact = 1e6 // from which on a fraction does not matter
	if v.Num > mostExact {
		return web.Number(int64(v.Num))
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v.Num, 'f', 3, 64), "0"), ".")
}

// rowOf returns the row of an event.
func rowOf(s web.Shell, a asked, e insight.Event) eventRow {
	row := eventRow{When: s.Moment(e.Time())}
	var line []string
	for _, f := range e.Fields {
		v := insight.ReadValue(f.Value)
		row.Fields = append(row.Fields, shownField{f.Key, v.Text, query.Write(query.Key(f.Key), v.Text)})
		switch {
		case f.Key == insight.KeyType:
			row.Type = v.Text
		case len(line) < fieldsInLine:
			line = append(line, f.Key+"="+short(v.Text))
		}
	}
	for i, f := range row.Fields {
		row.Fields[i].Search = "/projects/" + strconv.FormatInt(s.Nav.Project.ID, 10) + "/insights" + a.query(strings.TrimSpace(a.Q+" "+f.Search), "")
	}
	row.Text = strings.Join(line, "  ")
	return row
}

// short returns the beginning of a text.
func short(text string) string {
	if runes := []rune(text[:min(len(text), 4*textInLine)]); len(runes) > textInLine {
		return string(runes[:textInLine]) + "…"
	}
	return text
}

// usage says how much the project has sent today.
func (p *pages) usage(r *http.Request, project int64) (string, error) {
	if p.InsightBytes == 0 {
		return "This server does not store events.", nil
	}
	now := p.Now()
	days, err := p.Insights.Days(r.Context(), project, now)
	if err != nil {
		return "", err
	}
	limit := fmt.Sprintf(" The limit is %s a day. Events are kept for %d days.", web.Bytes(p.InsightBytes), insight.Keep/(24*time.Hour))
	if len(days) == 0 {
		return "No events today (UTC)." + limit, nil
	}
	text := fmt.Sprintf("%s, %s today (UTC).", web.Count(days[0].Events, "event"), web.Bytes(days[0].Bytes))
	if days[0].Bytes >= p.InsightBytes {
		text += " The project has reached its limit: events are rejected until midnight UTC."
	}
	return text + limit, nil
}
