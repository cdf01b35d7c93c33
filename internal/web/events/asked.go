package events

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/sett/insight"
)

// period is a time that the page can show.
type period struct {
	Value, Label string
	length       time.Duration
	step         time.Duration // of a bar of the chart
	layout       string        // of its times
}

// periods are all of them; the second one is the default.
var periods = []period{
	{"1h", "Last hour", time.Hour, time.Minute, "15:04"},
	{"24h", "Last 24 hours", 24 * time.Hour, 30 * time.Minute, "15:04"},
	{"7d", "Last 7 days", insight.Keep, 3 * time.Hour, "2 Jan"},
}

// asked is the query of the page.
type asked struct {
	Q       string
	Period  period
	By, Of  string // the field that events are grouped by, and the one whose numbers are put together
	filter  insight.Filter
	problem string
}

// longestField is how many bytes of a field's name are read.
const longestField = insight.MaxKey

func askedOf(r *http.Request) asked {
	query := r.URL.Query()
	a := asked{Q: strings.TrimSpace(query.Get("q")), By: field(query.Get("by")), Of: field(query.Get("of")), Period: periods[1]}
	for _, p := range periods {
		if p.Value == query.Get("period") {
			a.Period = p
		}
	}
	var err error
	if a.filter, err = insight.ParseSearch(a.Q); err != nil {
		a.problem = err.Error()
	}
	return a
}

func field(text string) string {
	text = strings.TrimSpace(text)
	return text[:min(len(text), longestField)]
}

// query returns the query string of a page, with another search.
func (a asked) query(q, by string) string {
	values := url.Values{"period": {a.Period.Value}}
	for name, value := range map[string]string{"q": q, "by": by, "of": a.Of} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return "?" + values.Encode()
}

// plan returns what the page needs of the events until a time.
func (a asked) plan(now time.Time) insight.Plan {
	end := now.Truncate(a.Period.step).Add(a.Period.step)
	p := insight.Plan{
		Filter: a.filter, From: insight.Micros(end.Add(-a.Period.length)), To: insight.Micros(end), Step: a.Period.step.Microseconds(), Rows: eventsOfPage,
	}
	if a.By == "" && a.Of == "" {
		return p
	}
	stat := &insight.Stat{Agg: []insight.Agg{{Func: insight.Count}}}
	if a.By != "" {
		stat.By = []insight.By{{Name: a.By, Key: a.By}}
	}
	if a.Of != "" {
		for _, f := range numbers {
			stat.Agg = append(stat.Agg, insight.Agg{Func: f, Key: a.Of, Share: 0.95})
		}
	}
	p.Stat = stat
	return p
}

// numbers are the functions of the field whose numbers are put together.
var numbers = []insight.Func{insight.Sum, insight.Avg, insight.Quantile, insight.Max}
