package project

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// reportPage is one of the reports of a project.
type reportPage struct {
	web.Shell
	Kind         stats.ReportKind
	Label        string // of the rows
	Start, Stop  string // days
	Environment  string
	Environments []string
	Rows         []reportRow
	Total        int64
	Fewer        int        // rows that are not shown
	Chart        draw.Chart // of days
	Files        web.ExportLinks
	Daily        bool
}

// reportRow is a label and its count, with a bar.
type reportRow struct {
	stats.ReportRow
	Bar  draw.Spark
	User string // path of the page of the user that the row is about, or ""
}

// asked is the query of a report.
type asked struct {
	kind        stats.ReportKind
	label       string
	span        stats.ReportSpan
	environment string
	start, stop string
	problem     string
}

// askedReport parses the query. For an invalid range it sets the problem and uses the last seven days.
func (p *pages) askedReport(r *http.Request) (a asked, err error) {
	query := r.URL.Query()
	a.kind, a.environment = stats.ReportKind(r.PathValue("report")), query.Get("environment")
	for _, known := range web.ErrorReports {
		if known.Kind == a.kind {
			a.label = known.Label
		}
	}
	if a.label == "" {
		return a, sett.Errorf(sett.NotFound, "There is no such report. The reports are by class, place, user and day.")
	}
	var problems sett.Problems
	start, stop := bound(&problems, "start", query.Get("start")), bound(&problems, "stop", query.Get("stop"))
	if len(problems) == 0 {
		a.span = stats.NewReportSpan(&problems, start, stop, p.Now())
	}
	if len(problems) > 0 {
		a.problem = problems.Refusal().Error()
		a.span = stats.NewReportSpan(&problems, stats.ReportBound{}, stats.ReportBound{}, p.Now())
	}
	a.start, a.stop = a.span.From.Format(time.DateOnly), a.span.To.Add(-1).Format(time.DateOnly)
	return a, nil
}

// column returns the name of the report's rows in files: class, location, user or day.
func (a asked) column() string { return string(a.kind[strings.LastIndex(string(a.kind), "_")+1:]) }

func bound(problems *sett.Problems, name, text string) (b stats.ReportBound) {
	if text == "" {
		return b
	}
	b, err := stats.ParseReportBound(text)
	if err != nil {
		problems.Add(name, "%s", err)
	}
	return b
}

// defaultReport leads to the report that an address without one means.
func (p *pages) defaultReport(w http.ResponseWriter, r *http.Request) error {
	to := url.URL{Path: r.URL.Path + "/" + string(stats.NoticesPerDay), RawQuery: r.URL.RawQuery}
	return p.Redirect(w, to.String())
}

func (p *pages) report(w http.ResponseWriter, r *http.Request) error {
	id := web.Project(r)
	a, err := p.askedReport(r)
	if err != nil {
		return err
	}
	rows, err := p.Faults.ProjectReport(r.Context(), p.Now(), id, a.kind, a.environment, a.span)
	if err != nil {
		return err
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), id)
	if err != nil {
		return err
	}
	page := reportPage{
		Shell: p.Shell(r, "Errors by "+strings.ToLower(a.label)).In("faults"), Kind: a.kind, Label: a.label, Start: a.start, Stop: a.stop,
		Environment: a.environment, Environments: project.Environments, Daily: a.kind == stats.NoticesPerDay,
	}
	page.Problem, page.Heading = a.problem, "-"
	page.Files = p.ExportPath(r, fmt.Sprintf("/projects/%d/reports/%s/rows", web.Project(r), a.kind))
	page.fill(rows, a.span)
	status := http.StatusOK
	if a.problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return p.Show(w, r, status, "reports", page)
}

// mostReportRows is how many rows a page shows of a report that is not by day; the others are in its CSV.
const mostReportRows = 100

// barWidth is the width of the longest bar.
const barWidth = 240

func (page *reportPage) fill(rows []stats.ReportRow, span stats.ReportSpan) {
	most, counts := int64(1), []int64{}
	for _, row := range rows {
		most, page.Total, counts = max(most, row.Count), page.Total+row.Count, append(counts, row.Count)
	}
	if page.Daily {
		first := accounts.Day(span.From)
		if len(rows) > 0 { // a long span starts with the first notice
			if day, err := time.Parse(time.DateOnly, rows[0].Label[:len(time.DateOnly)]); err == nil {
				first = day
			}
		}
		days := draw.Axis{From: first, To: first.AddDate(0, 0, len(rows)), Layout: "2 Jan"}
		page.Chart = draw.NewBars(days, counts, nil, nil, "events")
		page.Chart.Rows = nil // they are listed below
	}
	if !page.Daily {
		page.Fewer = max(0, len(rows)-mostReportRows)
	}
	for _, row := range rows[:len(rows)-page.Fewer] {
		user := ""
		if page.Kind == stats.NoticesByUser {
			user = web.AffectedUser(row.Label)
		}
		if page.Daily {
			row.Label, _, _ = strings.Cut(row.Label, "T")
		} else if row.Label == "" {
			row.Label = "(none)"
		}
		page.Rows = append(page.Rows, reportRow{row, barOf(row.Count, most), user})
	}
}

// barOf returns a horizontal bar.
func barOf(n, most int64) draw.Spark {
	return draw.Spark{Width: barWidth, Height: 12, Bars: fmt.Sprintf("M0 1h%dv10H0z", max(1, n*barWidth/most)), Text: fmt.Sprintf("%d%% of the highest", n*100/most)}
}
