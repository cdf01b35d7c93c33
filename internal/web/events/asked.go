package events

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/insight"
)

// asked is what the address of the page asks for. Every state of the page is its address.
type asked struct {
	Q        string
	Period   period
	View     string         // chart, table, or "" for both
	Stream   insight.Stream // whose events a query reads; "": all
	All      bool           // all rows of a table, however long the page gets
	Saved    int64          // the saved query that was opened; 0: none
	Question insight.Question
	problem  error // why the question or the period cannot be read
}

// The views of a result.
const (
	chartOnly = "chart"
	tableOnly = "table"
)

// askedOf reads an address. Links of Honeybadger's clients have other names for the question and the period.
func askedOf(r *http.Request, now time.Time) asked {
	query := r.URL.Query()
	a := asked{Q: strings.TrimSpace(strings.ReplaceAll(cmp.Or(query.Get("q"), query.Get("query")), "\r\n", "\n"))}
	if grouped(query) {
		a.Q = insight.Grouped(a.Q, query.Get("by"), query.Get("of"))
	}
	if view := query.Get("view"); view == chartOnly || view == tableOnly {
		a.View = view
	}
	a.All = query.Get("rows") == "all"
	a.Stream = streamIn(query)
	a.Saved, _ = strconv.ParseInt(query.Get("saved"), 10, 64) // what is no number is none
	period := cmp.Or(query.Get("period"), query.Get("ts"))
	if from, to := query.Get("from"), query.Get("to"); from != "" && to != "" {
		period = from + "/" + to
	}
	var wrong error
	a.Period, wrong = periodOf(period, now)
	a.Question, a.problem = insight.Ask(a.Q)
	a.problem = cmp.Or(a.problem, wrong)
	return a
}

// streamIn returns the stream that an address names; "" for all.
func streamIn(query url.Values) insight.Stream {
	if s := insight.Stream(query.Get("stream")); slices.Contains(insight.Streams(), s) {
		return s
	}
	return ""
}

// query returns the query string of a page with another question.
func (a asked) query(q string) string {
	a.Q = q
	a.Saved = 0
	return a.Query()
}

// Query returns the query string of the page.
func (a asked) Query() string {
	values := url.Values{"period": {a.Period.Value}}
	if a.Q != "" {
		values.Set("q", a.Q)
	}
	if a.View != "" {
		values.Set("view", a.View)
	}
	if a.Stream != "" {
		values.Set("stream", string(a.Stream))
	}
	if a.Saved != 0 {
		values.Set("saved", strconv.FormatInt(a.Saved, 10))
	}
	return "?" + values.Encode()
}

// WithAllRows returns the query string of the page with all rows of its table. Other addresses that lead from it begin with the first ones again.
func (a asked) WithAllRows() string { return a.Query() + "&rows=all" }

// in returns what is asked of another time.
func (a asked) in(from, to time.Time) asked {
	a.Period.Value = between(from, to)
	return a
}

// viewed returns what is asked with another view.
func (a asked) viewed(view string) asked {
	a.View = view
	return a
}

// plan returns what the page needs of the events until a time, at most so many of them.
func (a asked) plan(now time.Time, rows int) insight.Plan {
	from, to, step := a.Period.times(now)
	p := a.Question.Plan(from, to, now.Location(), rows)
	if a.Stream != "" {
		p.Streams = []insight.Stream{a.Stream}
	}
	if !a.Question.Counts() {
		p.Step = step.Microseconds()
	}
	return p
}

// grouped reports whether an address is one of an earlier version: for groups of a field, or numbers of another.
func grouped(query url.Values) bool { return query.Get("by") != "" || query.Get("of") != "" }
