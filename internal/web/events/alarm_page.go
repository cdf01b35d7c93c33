package events

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/store/alarmdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// alarmRow is an alarm in the list.
type alarmRow struct {
	alarm.Alarm
	Path string
	Is   web.State
	Says string // its condition
}

// alarmList is the page of the alarms of a project.
type alarmList struct {
	web.Shell
	Alarms []alarmRow
	Back   string
}

// alarmsIn returns the path of the list of alarms.
func alarmsIn(project int64) string { return pathIn(project) + "/alarms" }

func alarmPath(a alarm.Alarm) string { return alarmsIn(a.ProjectID) + "/" + a.ID }

// alarmState is how an alarm is. One whose query fails has a state that may be old.
func alarmState(a alarm.Alarm) web.State {
	switch {
	case a.Error != "":
		return web.State{Mood: web.Warning, Word: "Error"}
	case a.State == alarm.Raised:
		return web.State{Mood: web.Critical, Word: "Alarm"}
	case a.State == alarm.OK:
		return web.State{Mood: web.Fine, Word: "OK"}
	}
	return web.State{Mood: web.Muted, Word: "Not evaluated yet"}
}

// conditionOf says in a sentence when an alarm is raised.
func conditionOf(s alarm.Settings) string { return "Raised by " + s.Condition() + "." }

func (p *pages) alarmsPage(w http.ResponseWriter, r *http.Request) error {
	project := web.Project(r)
	found, err := p.Alarms.List(r.Context(), project)
	if err != nil {
		return err
	}
	page := &alarmList{Shell: p.Shell(r, "Alarms").In("insights"), Back: pathIn(project)}
	page.Heading = "-"
	for _, a := range found {
		page.Alarms = append(page.Alarms, alarmRow{a, alarmPath(a), alarmState(a), conditionOf(a.Settings)})
	}
	return p.Show(w, r, http.StatusOK, "alarms", page)
}

// alarmSheet is the page of an alarm.
type alarmSheet struct {
	web.Shell
	Alarm    alarm.Alarm
	Path     string
	Back     string
	Notified string
	Is       web.State
	Says     string
	Lag      string // "" for none
	Streams  string
	Asked    string // path of the query in the time of the last evaluation
	Chart    draw.Chart
	Unknown  string // what the chart lacks
	Changes  []alarmChange
	Ongoing  *web.Ongoing // nil: it is not raised
	Pager    web.Pager
}

// alarmChange is an entry of the history.
type alarmChange struct {
	alarm.Change
	Is   web.State
	Says string
	Path string // of the query in that time
}

// shownChanges is how many entries of a history a page lists.
const shownChanges = 20

func (p *pages) alarmPage(w http.ResponseWriter, r *http.Request) error {
	a, err := p.alarm(r)
	if err != nil {
		return err
	}
	changes, marks, err := p.Alarms.History(r.Context(), a.ProjectID, a.ID, web.PageOf(r, shownChanges))
	if err != nil {
		return err
	}
	page := &alarmSheet{
		Shell: p.Shell(r, a.Name).In("insights"), Alarm: a, Path: alarmPath(a), Back: alarmsIn(a.ProjectID), Is: alarmState(a), Says: conditionOf(a.Settings),
		Notified: fmt.Sprintf("/projects/%d/settings/notified?alarm=%s", a.ProjectID, url.QueryEscape(a.ID)), Pager: p.NewPager(r, marks),
	}
	page.Heading = "-"
	page.Pager.Export = web.ExportLinks{}
	if a.Lag.Duration() > 0 {
		page.Lag = a.Lag.Words()
	}
	page.Streams = "all streams"
	if len(a.Streams) == 1 {
		page.Streams = "the stream " + a.Streams[0].Name()
	}
	page.Asked = askedOfAlarm(a, a.Query, between(a.Last().From, a.Last().To))
	if a.LastChecked.IsZero() {
		page.Asked = askedOfAlarm(a, a.Query, "")
	}
	for _, c := range changes {
		page.Changes = append(page.Changes, newAlarmChange(a, c))
	}
	if page.Ongoing, err = p.OngoingOf(r, page.Shell, alerts.AlarmSubject(a.ID)); err != nil {
		return err
	}
	if err := p.drawAlarm(r, page); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "alarm", page)
}

// askedOfAlarm returns the path of a query of an alarm, with the streams that it reads.
func askedOfAlarm(a alarm.Alarm, q, when string) string {
	asks := asked{Q: q, Period: period{Value: cmp.Or(when, periods[usualPeriod].Value)}}
	if len(a.Streams) == 1 {
		asks.Stream = a.Streams[0]
	}
	return pathIn(a.ProjectID) + asks.Query()
}

func newAlarmChange(a alarm.Alarm, c alarm.Change) alarmChange {
	shown := alarmChange{Change: c, Is: alarmState(alarm.Alarm{State: c.State, Error: c.Error}), Says: c.Error, Path: askedOfAlarm(a, c.Query, between(c.Window.From, c.Window.To))}
	if c.Error == "" {
		shown.Says = web.Count(c.Count, "row")
	}
	return shown
}

// alarmSteps is how many steps the chart of a day has at most.
const alarmSteps = 72

// drawAlarm draws the number of rows in the last day.
func (p *pages) drawAlarm(r *http.Request, page *alarmSheet) error {
	a := page.Alarm
	results, err := p.Alarms.Results(r.Context(), a.ProjectID, a.ID, page.Now.Truncate(time.Minute).Add(-chartTime))
	if err == nil {
		page.Chart, page.Unknown = drawResults(page.Now, a.Settings, results)
	}
	return err
}

// chartTime is what a chart shows.
const chartTime = 24 * time.Hour

// drawResults draws the number of rows in the last day, with the number that it is compared with. A step shows the number of its evaluations that is
// nearest to an alarm. The chart is empty if there are too few, and unknown says why the number of some is not known.
func drawResults(now time.Time, s alarm.Settings, results []alarmdb.Result) (chart draw.Chart, unknown string) {
	step := max(chartTime/alarmSteps, s.Period.Duration())
	to := now.Truncate(time.Minute)
	from := to.Add(-chartTime)
	line := draw.Values{Name: "Rows"}
	for range chartTime / step {
		line.Values = append(line.Values, draw.Gap)
	}
	known := 0
	for _, result := range results {
		at := min(int(result.At.Sub(from)/step), len(line.Values)-1)
		if at < 0 {
			continue
		}
		switch now := line.Values[at]; {
		case result.Count < 0:
			unknown = result.Note
			continue
		case math.IsNaN(now) || s.Nearer(result.Count, int64(now)):
			line.Values[at] = float64(result.Count)
		}
		known++
	}
	if known > 1 {
		chart = draw.NewLimitedLines(draw.Axis{From: from, To: to, Layout: "2 Jan 15:04", Short: "15:04", Zone: now.Location()}, float64(s.Value), []draw.Values{line}, nil, nil, "")
	}
	return chart, unknown
}
