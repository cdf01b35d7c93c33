package uptime

import (
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

func spanTabs() []spanTab {
	return []spanTab{{stats.ResponseDay, "24 hours"}, {stats.ResponseWeek, "7 days"}, {stats.ResponseMonth, "30 days"}}
}

// spanOf returns the time span of a request; the default is a day.
func spanOf(r *http.Request) stats.ResponseSpan {
	for _, tab := range spanTabs() {
		if string(tab.Span) == r.URL.Query().Get("span") {
			return tab.Span
		}
	}
	return stats.ResponseDay
}

// drawResponses sets the chart of response times, with deploys and outages.
func (p *pages) drawResponses(r *http.Request, page *siteSheet, pulse stats.SitePulse) error {
	page.Span, page.Spans = spanOf(r), spanTabs()
	lines, err := p.responseTimes(r, page, pulse)
	if err != nil || len(lines) == 0 {
		return err
	}
	from, width, n := page.Span.Steps(page.Now)
	marks, err := p.Faults.MarksOf(r.Context(), []int64{page.Site.ProjectID}, from, page.Now)
	if err != nil {
		return err
	}
	axis := draw.Axis{From: from, To: from.Add(time.Duration(n-1) * width), Layout: map[stats.ResponseSpan]string{
		stats.ResponseDay: "15:04", stats.ResponseWeek: "2 Jan 15:04", stats.ResponseMonth: "2 Jan",
	}[page.Span]}.In(page.Now.Location(), width)
	page.Chart = draw.NewLimitedLines(axis, float64(page.Site.SlowAfter)/float64(time.Millisecond), valuesOf(lines, p.Locations), deployEvents(marks.Deploys, axis.To), outageEvents(marks.Outages, page.Site.ID, axis.To), "ms")
	return nil
}

// responseTimes returns the response times of the page's span; the checks of a day are already read.
func (p *pages) responseTimes(r *http.Request, page *siteSheet, pulse stats.SitePulse) ([]stats.ResponseLine, error) {
	if page.Span == stats.ResponseDay {
		return pulse.ResponseTimes(page.Now), nil
	}
	return p.Uptime.ResponseTimes(r.Context(), page.Now, page.Site.ProjectID, page.Site.ID, page.Span)
}

func valuesOf(lines []stats.ResponseLine, labels checks.LocationLabels) (all []draw.Values) {
	for _, line := range lines {
		v := draw.Values{Name: labels.Of(line.Location)}
		for _, mean := range line.Means {
			ms := float64(mean) / float64(time.Millisecond)
			if mean < 0 {
				ms = draw.Gap
			}
			v.Values = append(v.Values, ms)
		}
		all = append(all, v)
	}
	return all
}

// deployEvents returns marks for deploys; those after the last step of the axis are placed at its end.
func deployEvents(deploys []faults.Deploy, end time.Time) (events []draw.Event) {
	for _, d := range deploys {
		e := draw.Event{From: until(d.CreatedAt, end), Title: "Deploy " + d.Revision, Path: web.DeployedPath(d)}
		if d.Environment != "" {
			e.Title += " to " + d.Environment
		}
		events = append(events, e)
	}
	return events
}

// until returns a time, or the end of an axis if that is earlier.
func until(t, end time.Time) time.Time {
	if t.After(end) {
		return end
	}
	return t
}

func outageEvents(spans []stats.DownSpan, id sett.UUID, end time.Time) (events []draw.Event) {
	for _, s := range spans {
		if s.SubjectID == id.String() {
			events = append(events, draw.Event{From: until(s.From, end), To: s.To, Title: "Down: " + checks.PlainReason(s.Reason)})
		}
	}
	return events
}
