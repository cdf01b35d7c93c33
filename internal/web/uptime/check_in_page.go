package uptime

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/run"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// shownEvents is how many entries of a history a page lists.
const shownEvents = 20

// checkInSheet is the page of a check-in.
type checkInSheet struct {
	web.Shell
	CheckIn  checks.CheckIn
	Called   string
	State    web.State
	Schedule string
	PingURL  string // URL for reports
	Snippets []snippet
	Tiles    []tile
	Runs     draw.Strip
	Days     draw.Strip
	Chart    draw.Chart
	Upcoming []time.Time
	Zone     *time.Location
	Events   []eventRow
	Pager    web.Pager

	Maintenance []maintenance.Window // that is active
	Ongoing     *web.Ongoing         // nil: it has no problem
}

// eventRow is an entry of the history.
type eventRow struct {
	checks.CheckInEvent
	State web.State
	Took  string
	Exit  string
}

func (p *pages) checkInPage(w http.ResponseWriter, r *http.Request) error {
	pulse, err := p.Uptime.CheckInPulse(r.Context(), p.Now(), web.Project(r), r.PathValue("check_in_id"))
	if err != nil {
		return err
	}
	events, marks, err := p.Uptime.ListCheckInEvents(r.Context(), pulse.ProjectID, pulse.ID, web.PageOf(r, shownEvents))
	if err != nil {
		return err
	}
	name := called(pulse.CheckIn)
	page := &checkInSheet{
		Shell: p.Shell(r, name).In("check_ins"), CheckIn: pulse.CheckIn, Called: name, State: web.CheckInState(pulse.CheckIn, p.Now()),
		Schedule: schedule(pulse.CheckInSettings), PingURL: p.ReportURL + "/v1/check_in/" + pulse.ID, Runs: runStrip(pulse.Runs, 12),
		Days: dayStrip(pulse.Days), Pager: p.NewPager(r, marks), Zone: zoneOf(pulse.CheckInSettings),
	}
	page.Pager.Export = p.ExportPath(r, r.URL.Path+"/history")
	page.Heading, page.Secret = "-", true // anyone with the URL can report
	page.Snippets = snippets(page.PingURL, p.ReportURL, pulse.CheckIn)
	page.Tiles = checkInTiles(pulse, page.Now)
	page.Chart = runChart(pulse.Runs, page.Now.Location())
	page.Upcoming = expected(pulse.CheckIn, page.Now)
	if page.Maintenance, err = p.activeWindows(r, page.Now, func(s maintenance.Settings) bool { return s.OfCheckIn(pulse.ID) }); err != nil {
		return err
	}
	if page.Ongoing, err = p.OngoingOf(r, page.Shell, alerts.CheckInSubject(pulse.ID)); err != nil {
		return err
	}
	for _, e := range events {
		page.Events = append(page.Events, newEventRow(e))
	}
	return p.Show(w, r, http.StatusOK, "check_in", page)
}

// upcoming is how many expected times are shown.
const upcoming = 5

// expected returns when the next pings are expected: none before the first ping, and none while paused.
func expected(c checks.CheckIn, now time.Time) []time.Time {
	if c.State == sett.CheckInPaused || c.ExpectedAt.IsZero() {
		return nil
	}
	if c.ExpectedAt.After(now) {
		return append([]time.Time{c.ExpectedAt}, c.Upcoming(c.ExpectedAt, upcoming-1)...)
	}
	return c.Upcoming(now, upcoming)
}

// zoneOf returns the time zone of a schedule.
func zoneOf(s checks.CheckInSettings) *time.Location {
	if s.ScheduleType != checks.CronSchedule {
		return time.UTC
	}
	return sett.TimeZoneOf(s.CronTimezone)
}

func checkInTiles(c checks.CheckInPulse, now time.Time) []tile {
	last := tile{Name: "Last ping", Figure: "never"}
	if !c.ReportedAt.IsZero() {
		last.Figure = web.Ago(now, c.ReportedAt)
	}
	coming := tile{Name: "Next", Figure: next(c.CheckIn, now)}
	switch {
	case c.State == sett.CheckInMissing:
		coming.Mood = web.Critical
	case c.Late(now):
		coming.Mood = web.Warning
	}
	return []tile{
		last, coming,
		{Name: "Run time", Figure: took(c.CheckInLine), Note: "last run"},
		{Name: "30 days", Figure: share(checks.ShareOf(30, c.Days).Percent()), Note: "of the time"},
		{Name: "90 days", Figure: share(checks.ShareOf(90, c.Days).Percent()), Note: "of the time"},
	}
}

// dayStrip returns the strip of the days of a history, with today on the right.
func dayStrip(days []checks.StatusDay) draw.Strip {
	var cells []string
	bad, bare := 0, 0
	for _, d := range days {
		cells = append(cells, string(d.Level()))
		if d.Outages > 0 {
			bad++
		}
		if d.Level() == checks.DayNone {
			bare++
		}
	}
	text := fmt.Sprintf("%d days: missing or failing on %d", len(days), bad)
	if bare > 0 {
		text += fmt.Sprintf(", without data on %d", bare)
	}
	return draw.NewStrip(cells, 8, text)
}

// chartSteps is the number of steps of a chart of run times.
const chartSteps = 48

// runChart returns the chart of run times, with times in a zone. Each step shows the last run until then, because runs are not evenly spaced.
func runChart(runs []run.Result, zone *time.Location) draw.Chart {
	var timed []run.Result
	for _, run := range runs {
		if run.HasDuration() {
			timed = append(timed, run)
		}
	}
	if len(timed) < 2 {
		return draw.Chart{}
	}
	axis := draw.Axis{From: timed[0].At, To: timed[len(timed)-1].At, Layout: "2 Jan 15:04", Zone: zone}
	unit, name := runUnit(timed)
	line := draw.Values{Name: "Run time"}
	at := 0
	for i := range chartSteps {
		t := axis.From.Add(axis.To.Sub(axis.From) * time.Duration(i) / (chartSteps - 1))
		for at+1 < len(timed) && !timed[at+1].At.After(t) {
			at++
		}
		line.Values = append(line.Values, float64(timed[at].Duration)/float64(unit))
	}
	return draw.NewLines(axis, []draw.Values{line}, nil, nil, name)
}

// runUnit returns the unit for a chart of run times.
func runUnit(runs []run.Result) (time.Duration, string) {
	var most time.Duration
	for _, run := range runs {
		most = max(most, run.Duration)
	}
	switch {
	case most >= 3*time.Hour:
		return time.Hour, "h"
	case most >= 3*time.Minute:
		return time.Minute, "min"
	case most >= 3*time.Second:
		return time.Second, "s"
	}
	return time.Millisecond, "ms"
}

// eventStates are the labels of the kinds of events.
var eventStates = map[checks.CheckInEventKind]web.State{
	checks.CheckInReported:  {Mood: web.Fine, Word: "Reported"},
	checks.CheckInMissed:    {Mood: web.Critical, Word: "Missed"},
	checks.CheckInRecovered: {Mood: web.Info, Word: "Recovered"},
	checks.CheckInReminded:  {Mood: web.Critical, Word: "Still missing"},
	checks.CheckInForgiven:  {Mood: web.Muted, Word: "Not counted"},
	checks.CheckInPausing:   {Mood: web.Paused, Word: "Paused"},
	checks.CheckInResumed:   {Mood: web.Muted, Word: "Resumed"},
	checks.CheckInChanged:   {Mood: web.Muted, Word: "Schedule changed"},
}

func newEventRow(e checks.CheckInEvent) eventRow {
	row := eventRow{CheckInEvent: e, State: eventStates[e.Kind], Took: "–", Exit: "–"}
	if e.Payload == nil {
		return row
	}
	if e.Payload.Duration != nil {
		row.Took = spell(time.Duration(min(*e.Payload.Duration, int64(1e12))) * time.Millisecond)
	}
	if e.Payload.ExitCode != nil {
		row.Exit = fmt.Sprint(*e.Payload.ExitCode)
	}
	if e.Payload.Failed() {
		row.State = web.State{Mood: web.Critical, Word: "Failed"}
	}
	return row
}
