package events

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/web"
)

// searchPage is the page of structured events.
type searchPage struct {
	web.Shell
	Asked   asked
	Periods []period
	Lines   int      // of the field
	Wrong   *wrong   // why the question has no answer
	Result  *result  // nil: there is none
	Views   []view   // of the result
	Saved   []saved  // queries, by name
	Open    *saved   // the saved query that this is, or was before it was changed
	Changed bool     // it is not what is saved
	Save    saveForm // a new one
	Usage   string
	Link    string // absolute
	Live    string
	Alarm   string // form for an alarm with this query
	Files   web.ExportLinks
	Any     bool // the project has sent events
}

// wrong is why a question has no answer. Before, There and After are the question around the place that is not understood.
type wrong struct {
	Message              string
	Before, There, After string
}

// view is a link to a view of the result.
type view struct {
	Label, Path string
	On          bool
}

// eventsOfPage is how many events a page shows.
const eventsOfPage = 40

func (p *pages) search(w http.ResponseWriter, r *http.Request) error {
	if grouped(r.URL.Query()) {
		return p.queryPage(w, r)
	}
	page, status, err := p.view(r, askedOf(r, p.NowFor(r)))
	if err != nil {
		return err
	}
	return p.Show(w, r, status, "insights", page)
}

// view returns the page of what is asked, and its status.
func (p *pages) view(r *http.Request, a asked) (page *searchPage, status int, err error) {
	id := web.Project(r)
	page = &searchPage{Shell: p.Shell(r, "Insights").In("insights"), Asked: a, Periods: a.offered()}
	page.Heading, page.Here, page.Address = "-", pathIn(id), pathIn(id)+a.Query()
	page.Lines = lines(a.Q)
	page.Live = p.At(pathIn(id)+"/live") + a.query(a.Q)
	asks := url.Values{"q": {a.Q}}
	if a.Stream != "" {
		asks.Set("stream", string(a.Stream))
	}
	page.Alarm = p.At(alarmsIn(id)+"/new") + "?" + asks.Encode()
	page.Files = p.ExportPath(r, pathIn(id))
	page.Link = p.BaseURL + page.Address
	if page.Any, err = p.Insights.Sent(r.Context(), id); err != nil {
		return nil, 0, err
	}
	if page.Usage, err = p.usage(r, id); err != nil {
		return nil, 0, err
	}
	if err := p.showSaved(r, page); err != nil {
		return nil, 0, err
	}
	err = a.problem
	if err == nil && (page.Any || a.Question.Statement != nil) { // queries read what sett records too
		err = p.answer(r, page)
	}
	if page.Wrong = wrongOf(a.Q, err); page.Wrong != nil {
		return page, serve.Status(sett.CodeOf(err)), nil
	}
	return page, http.StatusOK, err
}

// answer adds the answer to what is asked.
func (p *pages) answer(r *http.Request, page *searchPage) error {
	plan := page.Asked.plan(page.Now, eventsOfPage)
	found, err := p.Insights.Query(r.Context(), p.Now(), time.Now().Add(p.Insights.QueryTime), web.Project(r), plan)
	if err == nil {
		page.show(found, plan)
	}
	return err
}

func (page *searchPage) show(found insight.Result, plan insight.Plan) {
	page.Result = resultOf(page.Shell, page.Asked, found, plan)
	views := []view{{"Both", "", false}, {"Chart", chartOnly, false}, {"Table", tableOnly, false}}
	switch {
	case page.Result.Bars:
		views = []view{{"Chart", "", page.Asked.View == chartOnly}, {"Table", tableOnly, false}}
	case !page.Result.Drawn():
		return
	case page.Asked.Question.Lists():
		views[2].Label = "Events"
	}
	for _, v := range views {
		page.Views = append(page.Views, view{v.Label, page.Here + page.Asked.viewed(v.Path).Query(), v.On || v.Path == page.Asked.View})
	}
}

// offered are the periods that the page offers, with that of its address.
func (a asked) offered() []period {
	for _, p := range periods {
		if p == a.Period {
			return periods
		}
	}
	return append([]period{a.Period}, periods...)
}

// lines is how high the field is without scripts.
func lines(q string) (n int) {
	const most = 12
	for _, c := range q {
		if c == '\n' {
			n++
		}
	}
	return min(n+1, most)
}

// wrongOf returns why a question has no answer; nil if nothing is wrong with it, or nothing that the reader can change.
func wrongOf(q string, err error) *wrong {
	if code := sett.CodeOf(err); code != sett.Invalid && code != sett.Unavailable {
		return nil
	}
	problem, ok := errors.AsType[*insight.Problem](err)
	if !ok {
		e, _ := errors.AsType[*sett.Error](err)
		return &wrong{Message: e.Message}
	}
	text := []rune(q)
	at := min(max(problem.At-1, 0), len(text))
	end := at
	for end < len(text) && (end == at || isWord(text[end-1]) && isWord(text[end])) {
		end++
	}
	message := fmt.Sprintf("Character %d: %s", problem.At, problem.Message)
	if message[len(message)-1] != '?' {
		message += "."
	}
	return &wrong{message, string(text[:at]), cmp.Or(string(text[at:end]), "…"), string(text[end:])}
}

func isWord(c rune) bool {
	return c == '_' || c == '.' || c == '@' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// usage says how much the project has sent today.
func (p *pages) usage(r *http.Request, project int64) (string, error) {
	if p.InsightBytes == 0 {
		return "This server does not store events.", nil
	}
	now := p.Now()
	days, err := p.Insights.Days(r.Context(), project, now)
	if err != nil {
		return "", err
	}
	limit := fmt.Sprintf(" The limit is %s a day. Events are kept for %d days.", web.Bytes(p.InsightBytes), insight.Keep/(24*time.Hour))
	if len(days) == 0 {
		return "No events today (UTC)." + limit, nil
	}
	text := fmt.Sprintf("%s, %s today (UTC).", web.Count(days[0].Events, "event"), web.Bytes(days[0].Bytes))
	if days[0].Bytes >= p.InsightBytes {
		text += " The project has reached its limit: events are rejected until midnight UTC."
	}
	return text + limit, nil
}
