package events

import (
	"fmt"
	"time"

	"sett/internal/sett/insight"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// result is the answer to a question as a page shows it: a list of events or a table, and a chart.
type result struct {
	Title   string // how much was found
	Chart   *draw.Chart
	Lines   bool // the chart has lines, which a legend names
	Rows    []eventRow
	Columns []head
	Table   []tableRow
	More    int64 // how many rows the table has if it shows only the first of them; else 0
	Bars    bool  // rows of the table have a bar
	Notes   []string
	Since   time.Time // how far the search came; zero: it is complete
	Damaged bool

	ofChart []string       // those of the notes that are about the chart
	answer  insight.Answer // unless it is a list of events
}

// Drawn reports whether there is anything else to see than a table.
func (v *result) Drawn() bool { return v.Chart != nil || v.Bars }

// Found reports whether there is a row.
func (v *result) Found() bool { return len(v.Rows)+len(v.Table) > 0 }

// resultOf returns the answer to what is asked.
func resultOf(s web.Shell, a asked, found insight.Result, plan insight.Plan) *result {
	v := &result{Notes: found.Missing, Damaged: found.Unread > 0}
	if found.Since > 0 {
		v.Since = time.UnixMicro(found.Since)
	}
	if !a.Question.Counts() {
		v.Title = web.Count(found.Total, "event")
		v.Chart = overTime(s, a, found, plan)
	}
	if a.Question.Lists() {
		for _, e := range found.Events {
			v.Rows = append(v.Rows, rowOf(s, a, e))
		}
		return v
	}
	answer := a.Question.Statement.Answer(found, s.Now.Location())
	v.answer = answer
	if a.Question.Counts() {
		v.Title = web.Count(answer.Total, "row")
		v.drawGroups(s, a, answer, plan, insight.ShapeOf(answer), style{})
	}
	v.fillTable(s, a, answer, plan)
	if found.Dropped {
		v.Notes = append(v.Notes, "The result is incomplete: the query has too many groups, or its events are too large. Filter more, or group by a field with fewer values.")
	} else if n := len(answer.Rows); int64(n) < answer.Total {
		v.Notes = append(v.Notes, fmt.Sprintf("The result has the first %s of %s rows.", web.Number(int64(n)), web.Number(answer.Total)))
	}
	return v
}

// overTime returns the chart of how many events there are.
func overTime(s web.Shell, a asked, found insight.Result, plan insight.Plan) *draw.Chart {
	axis := axisOf(time.UnixMicro(plan.From), time.UnixMicro(plan.To), s.Now.Location())
	c := draw.NewBars(axis, found.Series, nil, nil, "events")
	return &c
}

// axisOf returns the axis of a chart: longer ones have days below.
func axisOf(from, to time.Time, zone *time.Location) draw.Axis {
	axis := draw.Axis{From: from, To: to, Layout: "15:04", Zone: zone}
	if to.Sub(from) > 25*time.Hour {
		axis.Layout, axis.Short = "2 Jan 15:04", "2 Jan"
	}
	return axis
}
