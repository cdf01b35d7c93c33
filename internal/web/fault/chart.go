package fault

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/event/payload"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/sheet"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// layouts are the time formats of charts.
var layouts = map[stats.Period]string{stats.PastHour: "15:04", stats.PastDay: "15:04", stats.PastWeek: "Mon 2 Jan", stats.PastMonth: "2 Jan"}

// periodOf returns the period of a request; the default is a day.
func periodOf(r *http.Request) stats.Period {
	p := stats.Period(r.URL.Query().Get("period"))
	if layouts[p] == "" {
		return stats.PastDay
	}
	return p
}

// showChart shows the events of the fault over time, with the deploys to its environment.
func (v *faultView) showChart(s *sheet.Fault) {
	if len(s.Points) == 0 {
		return
	}
	zone := v.Now.Location()
	axis, counts := barsOf(s.Points, v.Period, zone)
	deploys, outages := deploysTo(v.Fault.Environment, s.Marks.Deploys, zone), outagesOf(s.Marks.Outages, zone)
	v.Chart, v.Small = draw.NewBars(axis, counts, deploys, outages, "events"), draw.NewSmallBars(axis, counts, deploys, outages, "events")
}

// barsOf returns the axis and the bars of a chart of at least one point.
func barsOf(points []stats.Point, period stats.Period, zone *time.Location) (axis draw.Axis, counts []int64) {
	for _, point := range points {
		counts = append(counts, point.Count)
	}
	width := period.Width()
	return draw.Axis{From: points[0].At, To: points[len(points)-1].At.Add(width), Layout: layouts[period]}.In(zone, width), counts
}

// deploysTo returns the marks of deploys to an environment.
func deploysTo(environment string, deploys []faults.Deploy, zone *time.Location) (events []draw.Event) {
	for _, d := range deploys {
		if d.Environment == "" || d.Environment == environment {
			title := "Deploy " + cut(orWord(d.Revision, "of an unknown revision"), 40)
			events = append(events, draw.Event{From: d.CreatedAt, Title: title + ", " + phrase.Time(d.CreatedAt.In(zone), "2 Jan 15:04"), Path: web.DeployedPath(d)})
		}
	}
	return events
}

// outagesOf returns the bands for outages of the project's sites.
func outagesOf(spans []stats.DownSpan, zone *time.Location) (events []draw.Event) {
	for _, s := range spans {
		events = append(events, draw.Event{From: s.From, To: s.To, Title: cut(s.Name, 80) + " down since " + phrase.Time(s.From.In(zone), "2 Jan 15:04")})
	}
	return events
}

// changeLine is a value that has become more frequent.
type changeLine struct {
	sharedValue
	From, To int // percent
}

// sharedValue is a value that events share.
type sharedValue struct {
	Facet, Value string
	Path         string // path of the page of the user that it names, or ""
	Whole        string // what Value is short for: a User-Agent, or a long revision; else ""
}

func newSharedValue(facet, text string) sharedValue {
	v := sharedValue{Facet: facetWord(facet), Value: cut(text, 200)}
	if facet == "revision" && shortOf(text) != text {
		v.Value, v.Whole = shortOf(text), v.Value
	}
	if facet == "user" {
		v.Path = web.AffectedUser(text)
	}
	return v
}

// readExplanation reads what has changed in the last hour, and the breakdown of the events. This reads many events, so for
// an inactive fault it is only done on request.
func (p *pages) readExplanation(r *http.Request, v *faultView) error {
	if v.Now.Sub(v.Fault.LastNoticeAt) > time.Hour && r.URL.Query().Get("explain") == "" {
		return nil
	}
	v.Explained = true
	var tags []string
	for _, tag := range v.Event.Known.Tags[:min(len(v.Event.Known.Tags), triage.MostTags)] {
		tags = append(tags, tag.Key)
	}
	e, err := p.reasons.ReadWhole(r.Context(), v.Now, fmt.Sprintf("%s %q", v.asOf, tags), func(ctx context.Context) (triage.FaultExplanation, error) {
		return p.Faults.ExplainFault(ctx, v.Now, v.Fault.ProjectID, v.Fault.ID, tags)
	})
	for _, c := range e.Changes {
		v.Change = append(v.Change, changeLine{newSharedValue(c.Facet, c.Value), percent(c.From), percent(c.To)})
	}
	v.Breakdown = breakdownOf(v.Fault.ProjectID, e, spellings(&v.Event))
	return err
}

func percent(share float64) int { return int(share*100 + 0.5) }

// facetWords are the labels of facets; tags are labelled with their name.
var facetWords = map[string]string{
	"level": "Level", "revision": "Revision", "browser": "Browser", "os": "System", "device": "Device", "hostname": "Host", "request.url": "URL",
	"request.host": "Domain", "request.method": "Method", "file": "File", "user": "User",
}

func facetWord(facet string) string {
	return orWord(facetWords[facet], strings.TrimPrefix(facet, payload.TagPath))
}

// Since returns a time relative to now.
func (v *faultView) Since(at time.Time) web.Moment { return v.Moment(at) }
