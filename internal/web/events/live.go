package events

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	"sett/internal/web"
)

// livePage shows structured events as they arrive.
type livePage struct {
	web.Shell
	Asked  asked
	Stream string // path of the stream
	Back   string // path of the search
}

// liveMost is how many events a second are shown.
const liveMost = 50

func (p *pages) live(w http.ResponseWriter, r *http.Request) error {
	a := askedOf(r, p.NowFor(r))
	page := livePage{Shell: p.Shell(r, "Live events").In("insights"), Asked: a}
	if a.problem != nil {
		page.Problem = a.problem.Error()
	}
	last, err := p.Insights.LastBatch(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	page.Stream = page.Here + "/events" + a.query(a.Q) + "&after=" + strconv.FormatInt(last, 10)
	page.Back = pathIn(web.Project(r)) + a.query(a.Q)
	return p.Show(w, r, http.StatusOK, "insights_live", page)
}

// liveEvents sends a row for each event that arrives.
func (p *pages) liveEvents(w http.ResponseWriter, r *http.Request) error {
	a, project := askedOf(r, p.NowFor(r)), web.Project(r)
	last, _ := strconv.ParseInt(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")), 10, 64) // an invalid number counts as old
	filter := a.Question.Filter()
	if a.problem != nil {
		filter = nil
	}
	shell := web.Shell{}
	shell.Nav.Project.ID = project
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		found, next, err := p.Insights.Tail(ctx, project, last, filter, liveMost)
		if err != nil {
			return false, err
		}
		for _, event := range slices.Backward(found) {
			shell.Now = p.NowFor(r)
			if err := p.sendEvent(e, next, rowOf(shell, a, event)); err != nil {
				return false, err
			}
		}
		last = next
		return false, nil
	})
}

func (p *pages) sendEvent(e web.Events, batch int64, row eventRow) error {
	text, err := p.Part("insights_live", "event", row)
	if err != nil {
		return err
	}
	return e.Send("row", strconv.FormatInt(batch, 10), text)
}
