package fault

import (
	"net/http"
	"time"

	"sett/internal/api/brief"
	"sett/internal/event/payload"
	"sett/internal/serve/auth"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// shared shows a fault to anyone with its public link. It never says why a link is invalid.
func (p *pages) shared(w http.ResponseWriter, r *http.Request) error {
	found, err := p.Faults.SharedFault(r.Context(), auth.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	n, err := p.Faults.NewestNotice(r.Context(), found.ProjectID, found.ID)
	if err != nil {
		return err
	}
	w.Header().Add("Vary", "Accept")
	if wantsMarkdown(r) {
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		return sendBrief(w, sharedBrief(found, n))
	}
	s := p.Shell(r, found.Class)
	s.Title, s.Heading, s.Secret = cut(orWord(found.Class, "Error"), 100), "-", true
	if w.Header().Set("X-Robots-Tag", "noindex, nofollow"); s.User.ID != 0 { // the same for everyone: without the signed-in user
		s = web.Shell{Title: s.Title, Heading: s.Heading, Secret: true, Theme: s.Theme, Now: s.Now}
	}
	v := sharedFault(s, found, n)
	if err := p.readSharedChart(r, v); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "shared", v)
}

// sharedView is the page of a public link.
type sharedView struct {
	web.Shell
	Class, Message, Environment string
	State                       web.State
	Fault                       faults.Fault // only what the figures show
	Trend                       *trend
	First, Last                 named
	Small                       draw.Chart
	Spot                        spot
	Trace                       trace
	Found                       bool
}

// Public reports that the page shows nothing of users.
func (v *sharedView) Public() bool { return true }

// Since returns a time relative to now.
func (v *sharedView) Since(at time.Time) web.Moment { return v.Moment(at) }

// sharedFault returns that page: class, message, figures and backtraces with their source. It does not include context, parameters,
// session, cookies, environment, breadcrumbs, URLs, host, users, comments, deploys and links to the project's source. Email addresses
// in messages are masked.
func sharedFault(s web.Shell, f faults.Fault, n *faults.Notice) *sharedView {
	v := &sharedView{
		Shell: s, Class: cut(orWord(f.Class, "Error"), longestMethod), Message: web.HideMails(cut(f.Message, 2000)), Environment: f.Environment,
		State: stateOf(f.FaultState, false), Fault: faults.Fault{ID: f.ID, ProjectID: f.ProjectID, NoticesCount: f.NoticesCount, CreatedAt: f.CreatedAt, LastNoticeAt: f.LastNoticeAt},
	}
	if f.LastNoticeAt.IsZero() {
		v.Fault.LastNoticeAt = f.CreatedAt
	}
	if n == nil {
		return v
	}
	v.Found, v.Last = true, named{Revision: n.Environment.Revision}
	v.Trace, _ = traceOf(*n, appFrames, "", nil) // as it was sent: source maps contain source that others do not have
	v.Trace.Reported.Message = web.HideMails(v.Trace.Reported.Message)
	for i := range v.Trace.Causes {
		v.Trace.Causes[i].Message = web.HideMails(v.Trace.Causes[i].Message)
	}
	v.Spot = v.Trace.spot()
	return v
}

// sharedBrief returns as much for agents as sharedFault for people.
func sharedBrief(f faults.Fault, n *faults.Notice) brief.Brief {
	b := brief.Brief{Fault: faults.Fault{
		ID: f.ID, ProjectID: f.ProjectID, Class: f.Class, Message: web.HideMails(f.Message), Environment: f.Environment, FaultState: f.FaultState,
		NoticesCount: f.NoticesCount, CreatedAt: f.CreatedAt, LastNoticeAt: f.LastNoticeAt,
	}}
	if n == nil {
		return b
	}
	b.Notice = &faults.Notice{ID: n.ID, Key: n.Key, Payload: payload.Payload{Class: n.Class, Message: web.HideMails(n.Message), Backtrace: n.Backtrace}}
	for _, c := range n.Causes {
		b.Notice.Causes = append(b.Notice.Causes, payload.Cause{Class: c.Class, Message: web.HideMails(c.Message)})
	}
	b.Notice.Environment.Revision = n.Environment.Revision
	return b
}

// readSharedChart reads how often the fault happened in the last day, and the day before.
func (p *pages) readSharedChart(r *http.Request, v *sharedView) error {
	points, err := p.Faults.FaultSeries(r.Context(), v.Fault.ProjectID, v.Fault.ID, stats.PastDay, v.Now)
	if err != nil || len(points) == 0 {
		return err
	}
	before, err := p.Faults.FaultSeries(r.Context(), v.Fault.ProjectID, v.Fault.ID, stats.PastDay, v.Now.Add(-24*time.Hour))
	axis, counts := barsOf(points, stats.PastDay, v.Now.Location())
	v.Small, v.Trend = draw.NewSmallBars(axis, counts, nil, nil, "events"), &trend{Unit: "event"}
	for _, point := range points {
		v.Trend.Now += point.Count
	}
	for _, point := range before {
		v.Trend.Before += point.Count
	}
	return err
}
