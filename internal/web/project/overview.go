package project

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// overviewPage summarizes a project.
type overviewPage struct {
	web.Shell
	Pulse    stats.ProjectPulse
	Tiles    []tile
	Periods  []periodTab
	Unit     string // unit of a bar of the chart
	Chart    draw.Chart
	Pressing []pressing
	Happened []happening
	Fresh    bool   // no event has ever arrived
	Guide    *guide // nil: nothing to set up
}

// tile is a figure with its label.
type tile struct{ Label, Figure, Note, Path string }

// periodTab links to the chart of a period.
type periodTab struct {
	Label, Path string
	On          bool
}

// pressing is a fault that needs attention.
type pressing struct {
	triage.AttentionFault
	Spark  draw.Spark
	States []web.State
}

// How much an overview shows.
const (
	mostPressing = 10
	mostHappened = 12
)

func (p *pages) overview(w http.ResponseWriter, r *http.Request) error {
	id, now := web.Project(r), p.Now()
	period, err := stats.ParsePeriod(cmp.Or(r.URL.Query().Get("period"), string(stats.PastDay)))
	if err != nil {
		return err
	}
	page := overviewPage{Shell: p.Shell(r, "Overview").In("overview")}
	page.Title, page.Heading = page.Nav.Project.Name, "-"
	var happened []faults.TimelineEntry
	err = web.Together(
		func() (err error) {
			if page.Pulse, err = p.Faults.ProjectPulse(r.Context(), now, id); err == nil {
				page.Pressing, err = p.pressing(r, page.Shell, page.Pulse)
			}
			return err
		},
		func() (err error) { page.Guide, err = p.readGuide(r, page.Shell); return err },
		func() (err error) { page.Chart, err = p.chart(r, id, "", period, now); return err },
		func() (err error) {
			happened, _, err = p.Faults.Timeline(r.Context(), now, faultdb.TimelineFilter{ProjectIDs: []int64{id}, Limit: mostHappened})
			return err
		},
	)
	if err != nil {
		return err
	}
	page.Tiles, page.Periods, page.Unit = tilesOf(page.Pulse, page.Shell), periodTabs(id, period), unitOf(period)
	page.Happened = happenings(page.Shell, happened, false)
	if len(page.Pressing) == 0 {
		project, err := p.Accounts.ProjectWithoutCounts(r.Context(), id)
		if err != nil {
			return err
		}
		page.Fresh = project.EarliestNoticeAt.IsZero()
	}
	return p.Show(w, r, http.StatusOK, "project", page)
}

// chart returns the chart of a project's notices in a period that ends at a time, with deploys and outages.
func (p *pages) chart(r *http.Request, id int64, environment string, period stats.Period, end time.Time) (c draw.Chart, err error) {
	points, err := p.Faults.ProjectSeries(r.Context(), []int64{id}, environment, period, end)
	if err != nil {
		return c, err
	}
	zone := p.NowFor(r).Location()
	axis := draw.Axis{From: points[0].At, To: points[len(points)-1].At.Add(period.Width()), Layout: "15:04"}.In(zone, period.Width())
	if period.Width() >= 24*time.Hour {
		axis.Layout = "2 Jan"
	}
	marks, err := p.Faults.MarksOf(r.Context(), []int64{id}, axis.From, axis.To)
	if err != nil {
		return c, err
	}
	var counts []int64
	for _, point := range points {
		counts = append(counts, point.Count)
	}
	return draw.NewBars(axis, counts, deployMarks(marks.Deploys, zone), outageBands(marks, zone), "events"), nil
}

func deployMarks(deploys []faults.Deploy, zone *time.Location) (events []draw.Event) {
	for _, d := range deploys {
		title := cmp.Or(shortRevision(d.Revision), "deploy") + to(d.Environment) + ", " + phrase.Time(d.CreatedAt.In(zone), "2 Jan 15:04")
		events = append(events, draw.Event{From: d.CreatedAt, Title: title, Path: web.DeployedPath(d)})
	}
	return events
}

func outageBands(marks stats.ChartMarks, zone *time.Location) (events []draw.Event) {
	for _, s := range marks.Outages {
		events = append(events, draw.Event{From: s.From, To: s.To, Title: s.Name + " down since " + phrase.Time(s.From.In(zone), "2 Jan 15:04")})
	}
	return events
}

func periodTabs(id int64, chosen stats.Period) (tabs []periodTab) {
	for _, t := range []struct {
		label  string
		period stats.Period
	}{{"Hour", stats.PastHour}, {"Day", stats.PastDay}, {"Week", stats.PastWeek}, {"Month", stats.PastMonth}} {
		tabs = append(tabs, periodTab{t.label, fmt.Sprintf("/projects/%d?period=%s", id, t.period), t.period == chosen})
	}
	return tabs
}

func unitOf(p stats.Period) string {
	return map[time.Duration]string{time.Minute: "minute", time.Hour: "hour", 24 * time.Hour: "day"}[p.Width()]
}

// pressing returns the faults that need attention, with their last 24 hours.
func (p *pages) pressing(r *http.Request, shell web.Shell, pulse stats.ProjectPulse) (found []pressing, err error) {
	faults, err := p.Faults.NeedsAttention(r.Context(), shell.Now, pulse.ID, shell.User.ID, mostPressing)
	if err != nil || len(faults) == 0 {
		return nil, err
	}
	var ids []int64
	for _, f := range faults {
		ids = append(ids, f.ID)
	}
	sparks, err := p.Faults.FaultSparks(r.Context(), shell.Now, pulse.ID, ids)
	for _, f := range faults {
		line := stats.ProjectLine{Hours: sparks[f.ID], LastDeploy: pulse.LastDeploy}
		found = append(found, pressing{f, sparkOf(line, shell), reasonStates(f.Reasons)})
	}
	return found, err
}

func reasonStates(reasons []triage.FaultReason) (states []web.State) {
	moods := map[triage.FaultReason]web.Mood{triage.NewFault: web.Info, triage.ReopenedFault: web.Warning, triage.RisingFault: web.Critical, triage.AssignedFault: web.Muted}
	for _, reason := range reasons {
		states = append(states, web.State{Mood: moods[reason], Word: reason.Word()})
	}
	return states
}

// Where returns the component and action of a fault for lists.
func (f pressing) Where() string {
	if f.Action == "" {
		return f.Component
	}
	return strings.TrimPrefix(f.Component+"#"+f.Action, "#")
}
