package events

import (
	"fmt"
	"slices"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett/dashboard"
	"sett/internal/sett/insight"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// chosen is which columns of a result a widget draws: those that its settings name, and else the first that fit.
type chosen struct {
	widget dashboard.Widget
	answer insight.Answer
	zone   *time.Location
	says   string // a sentence: why a column does not fit
}

// The kinds of columns that a drawing needs.
const (
	aNumber = "numbers"
	aTime   = "times"
	aName   = "" // any
)

func (c *chosen) is(i int, kind string) bool {
	of := c.answer.Columns[i].Type
	switch kind {
	case aNumber:
		return of == "integer" || of == "float"
	case aTime:
		return of == "datetime"
	}
	return true
}

// named returns the column that a setting names, -1 if it names none. A column that is not there, or does not fit, is said.
func (c *chosen) named(setting, kind string) int {
	name := c.widget.Text("vis", "chart_config", setting)
	if name == "" {
		return -1
	}
	var all []string
	for i, column := range c.answer.Columns {
		if column.Name != name {
			all = append(all, "“"+column.Name+"”")
			continue
		}
		if c.is(i, kind) {
			return i
		}
		c.say("%s is the column “%s”, which has no %s.", setting, name, kind)
		return -1
	}
	c.say("The result has no column “%s”, which %s names. It has %s.", name, setting, phrase.And(all))
	return -1
}

func (c *chosen) say(format string, args ...any) {
	if c.says == "" {
		c.says = fmt.Sprintf(format, args...)
	}
}

// column returns the column that a setting names, or the first of a kind that is none of the others; what says what it is for. One that is
// missing is said.
func (c *chosen) column(setting, kind, what string, others ...int) int {
	if i := c.named(setting, kind); i >= 0 || c.says != "" {
		return i
	}
	fits := func(i int) bool { return c.is(i, kind) && !slices.Contains(others, i) }
	for i := range c.answer.Columns {
		if fits(i) && (kind != aName || !c.is(i, aNumber)) {
			return i
		}
	}
	for i := range c.answer.Columns { // a number may also be a name
		if fits(i) {
			return i
		}
	}
	c.say("This drawing needs a column for %s, which the result does not have.", what)
	return -1
}

// text returns a cell as people read it.
func (c *chosen) text(row insight.AnswerRow, i int) string {
	v := row.Values()[i]
	switch {
	case v.Kind == insight.Moment:
		return time.UnixMicro(int64(v.Num)).In(c.zone).Format(rangeLayout)
	case v.Kind == insight.Absent || v.Text == "":
		return none
	case v.Kind == insight.Number:
		return shownNumber(v.Num)
	}
	return short(v.Text)
}

// figure draws the rows in a view, or says why it cannot.
func (c *chosen) figure(view string) (f *draw.Figure) {
	var made draw.Figure
	switch view {
	case "pie":
		name := c.column("nameField", aName, "names")
		made = c.parts(name, c.column("valueField", aNumber, "numbers", name), draw.NewPie)
	case "histogram":
		name := c.column("xField", aName, "the horizontal axis")
		made = c.parts(name, c.column("yField", aNumber, "numbers", name), draw.NewHistogram)
	case "scatter":
		made = c.scatter()
	case "heatmap":
		made = c.heatmap()
	default:
		return nil
	}
	if c.says != "" || len(made.Shapes) == 0 {
		return nil
	}
	return &made
}

func (c *chosen) parts(name, value int, figure func([]draw.Part) draw.Figure) (f draw.Figure) {
	if c.says != "" {
		return f
	}
	var parts []draw.Part
	for _, row := range c.answer.Rows {
		if v := row.Values()[value]; v.Kind == insight.Number {
			parts = append(parts, draw.Part{Name: c.text(row, name), Value: v.Num})
		}
	}
	return figure(parts)
}

func (c *chosen) scatter() (f draw.Figure) {
	x := c.named("xField", aName)
	if x < 0 {
		if x = slices.IndexFunc(c.answer.Columns, func(a insight.AnswerColumn) bool { return a.Type == "datetime" }); x < 0 {
			x = c.column("xField", aNumber, "the horizontal axis")
		}
	}
	y := c.column("yField", aNumber, "the vertical axis", x)
	group, scale := c.named("groupField", aName), c.named("scaleField", aNumber)
	if c.says == "" && !c.is(x, aNumber) && !c.is(x, aTime) {
		c.say("xField is the column “%s”, which has neither numbers nor times.", c.answer.Columns[x].Name)
	}
	if c.says != "" {
		return f
	}
	most := 0.0
	for _, row := range c.answer.Rows {
		if scale >= 0 {
			most = max(most, row.Values()[scale].Num)
		}
	}
	var points []draw.Point
	for _, row := range c.answer.Rows {
		values := row.Values()
		if values[x].Kind == insight.Absent || values[y].Kind != insight.Number {
			continue
		}
		p := draw.Point{X: values[x].Num, Y: values[y].Num, Title: c.text(row, x) + ": " + c.text(row, y)}
		if group >= 0 {
			p.Group = c.text(row, group)
			p.Title = p.Group + ", " + p.Title
		}
		if scale >= 0 && most > 0 {
			p.Size = max(0, values[scale].Num/most)
		}
		points = append(points, p)
	}
	return draw.NewScatter(points, func(v float64) string {
		if c.is(x, aTime) {
			return time.UnixMicro(int64(v)).In(c.zone).Format("15:04")
		}
		return shownNumber(v)
	})
}

// The bounds of a heat map: what is darker can only be distinguished in few steps.
const (
	usualSteps   = 5
	mostShades   = 10
	mostHeatRows = 20
)

func (c *chosen) heatmap() (f draw.Figure) {
	x := c.column("xField", aName, "the horizontal axis")
	y := c.column("yField", aName, "the vertical axis", x)
	z := c.column("zField", aNumber, "the color", x, y)
	if c.says != "" {
		return f
	}
	steps := usualSteps
	if n := c.widget.Number("vis", "chart_config", "steps"); n > 0 {
		steps = min(n, mostShades)
	}
	var cells []draw.Cell
	rows := map[string]bool{}
	for _, row := range c.answer.Rows {
		name := c.text(row, y)
		if rows[name] = true; len(rows) > mostHeatRows {
			break
		}
		if v := row.Values()[z]; v.Kind == insight.Number {
			cells = append(cells, draw.Cell{Column: c.text(row, x), Row: name, Value: v.Num})
		}
	}
	return draw.NewHeatmap(cells, steps)
}

// shape returns what lines, areas and bars over time draw, as the settings name it, or else what fits.
func (c *chosen) shape(view string) insight.Shape {
	s := insight.ShapeOf(c.answer)
	x, y, z := "xField", "yField", "zField"
	if view == "bar" {
		x, y, z = "categoryField", "valueField", "groupField"
	}
	if i := c.named(x, aName); i >= 0 {
		if s.Time = -1; c.is(i, aTime) {
			s.Time = i
		}
	}
	if i := c.named(y, aNumber); i >= 0 && c.widget.Text("vis", "chart_config", "groupType") != "fields" {
		s.Numbers = []int{i}
	}
	if i := c.named(z, aName); i >= 0 {
		s.Group = i
	}
	return s
}

// drawAgain draws other columns, or in another style, what is drawn over time.
func (v *result) drawAgain(s web.Shell, a asked, plan insight.Plan, shape insight.Shape, as style) {
	if !a.Question.Counts() {
		return
	}
	bars := v.Bars
	v.undrawn()
	v.drawGroups(s, a, v.answer, plan, shape, as)
	v.Bars = bars
}

// undrawn takes back the chart, and what was noted of it.
func (v *result) undrawn() {
	v.Notes = slices.DeleteFunc(v.Notes, func(note string) bool { return slices.Contains(v.ofChart, note) })
	v.Chart, v.Lines, v.ofChart = nil, false, nil
}

// draw draws a result in the view of a widget. What cannot be drawn is said, and shown as a table.
func (v *widgetView) draw(s web.Shell, a asked, plan insight.Plan, w dashboard.Widget, view string) {
	c := &chosen{widget: w, answer: v.Result.answer, zone: s.Now.Location()}
	if len(c.answer.Columns) == 0 {
		if slices.Contains([]string{"pie", "histogram", "scatter", "heatmap"}, view) {
			v.Says = "This drawing needs columns: add stats or fields to the query."
		}
		return
	}
	switch view {
	case "line", "area", "bar":
		shape := c.shape(view)
		if c.says == "" {
			v.Result.drawAgain(s, a, plan, shape, style{view == "line", view == "area", w.On("vis", "chart_config", "stacked")})
		}
	default:
		if v.Figure = c.figure(view); v.Figure != nil || c.says != "" {
			v.Result.undrawn()
		}
	}
	if v.Says = c.says; v.Says != "" {
		v.Table = true
	}
}
