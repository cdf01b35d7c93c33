package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/event/payload"
	"sett/internal/event/useragent"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// event is a notice of a fault for its page.
type event struct {
	faults.Notice
	Found        bool
	Away         string // why it cannot be shown now, although it is stored; ""
	Older, Newer string // URLs of the adjacent events
	Number, Of   int64  // its position among the fault's events by arrival; 0: unknown, as too many follow
	First        string // revision of the first event
	FirstRelease string // path of the page of that revision; "" for none
	Page         string // URL, "" unless it is safe as a link
	User         userName
	Sections     []section
	Crumbs       []crumb
	Fewer        int // breadcrumbs that are not shown
	Exports      string
	Attachments  []attachment
	Insights     string // path of the structured events of its request; "" for none
}

// When returns when the event arrived.
func (e event) When() time.Time { return e.CreatedAt() }

// Happened returns when the event happened if it arrived much later, and zero otherwise.
func (e event) Happened() time.Time {
	at, late := e.OccurredAt()
	if !late {
		return time.Time{}
	}
	return at
}

// readEvent reads the event of ?notice=, or the newest, with its adjacent events.
func (p *pages) readEvent(r *http.Request, v *faultView) error {
	n, err := p.noticeOf(r.Context(), v.Fault, r.URL.Query().Get("notice"))
	if away, ok := errors.AsType[*sett.Error](err); ok && away.Code == sett.Unavailable {
		v.Event.Away = away.Message
		return nil
	}
	if err != nil || n == nil {
		return err
	}
	v.Event = newEvent(*n, v.Project, v.Now.Location())
	v.Event.Exports = "?notice=" + n.ID.String()
	if v.Event.Attachments, err = p.attachmentsOf(r.Context(), *n); err != nil {
		return err
	}
	if v.Event.Insights, err = p.insightsOf(r.Context(), *n); err != nil {
		return err
	}
	view := traceView(r)
	if v.Trace, err = traceOf(*n, view, v.Project.SourceURL, p.originalOf(r.Context(), *n)); err != nil {
		return err
	}
	v.Trace.paint(p.source)
	for _, choice := range []struct{ value, label string }{{appFrames, "Application"}, {allFrames, "All frames"}, {rawTrace, "Raw"}} {
		view := v.Place.With("notice", n.ID.String()) + "&trace=" + choice.value
		v.Trace.Views = append(v.Trace.Views, traceChoice{choice.value, choice.label, p.At(v.Path()) + view})
	}
	return p.readBeside(r.Context(), v)
}

// longestRequest is how many bytes the id of a request may have to be looked for.
const longestRequest = 200

// insightsOf returns the path of the structured events of the request or trace of a notice; "" if it names none that the project could have sent
// events of.
func (p *pages) insightsOf(ctx context.Context, n faults.Notice) (string, error) {
	id, _ := n.CorrelationContext["request_id"].(string)
	if id = strings.TrimSpace(id); id == "" || len(id) > longestRequest || p.Now().Sub(n.CreatedAt()) > insight.Keep {
		return "", nil
	}
	sent, err := p.Insights.Sent(ctx, n.ProjectID)
	if err != nil || !sent {
		return "", err
	}
	query := url.Values{"q": {insight.WriteRequest(id)}, "period": {"7d"}}
	return fmt.Sprintf("/projects/%d/insights?", n.ProjectID) + query.Encode(), nil
}

// noticeOf returns the notice of a fault with a public ID, or the newest if the ID is ""; nil if none is stored any longer.
func (p *pages) noticeOf(ctx context.Context, f faults.Fault, id string) (*faults.Notice, error) {
	if id == "" {
		n, ok, err := p.Faults.NewestNotice(ctx, f.ProjectID, f.ID)
		if err != nil || !ok {
			return nil, err
		}
		return &n, nil
	}
	uuid, err := sett.ParseUUID(id)
	if err != nil {
		return nil, noEvent()
	}
	n, err := p.Faults.NoticeByUUID(ctx, f.ProjectID, uuid)
	switch {
	case err == nil && n.FaultID == f.ID:
		return &n, nil
	case err != nil && sett.CodeOf(err) != sett.NotFound:
		return nil, err
	}
	return nil, noEvent()
}

// shortRevision is how many characters of a revision are shown: what distinguishes commits.
const shortRevision = 12

func noEvent() error {
	return sett.Errorf(sett.NotFound, "Not found: this error has no such event. Its retention period may have ended.")
}

// readBeside finds the events before and after the shown one, and the first one.
func (p *pages) readBeside(ctx context.Context, v *faultView) error {
	at, err := p.Faults.PositionOfNotice(ctx, v.Fault.ProjectID, v.Fault.ID, v.Event.Key)
	link := func(id sett.UUID) string {
		if id.IsZero() {
			return ""
		}
		return p.At(v.Path()) + v.Place.With("notice", id.String())
	}
	v.Event.Older, v.Event.Newer, v.Event.First = link(at.Older), link(at.Newer), cut(at.First, shortRevision)
	v.Event.FirstRelease = web.ReleasePath(v.Fault.ProjectID, at.First)
	v.Event.Of = max(v.Fault.NoticesCount, at.After+1) // counts may follow
	if at.After <= faultdb.MostNewer {
		v.Event.Number = v.Event.Of - at.After
	}
	return err
}

// Release returns the path of the page of a project's release that the event is from; "" for none.
func (e event) Release(project int64) string {
	return web.ReleasePath(project, e.Payload.Environment.Revision)
}

// newEvent returns the event of a notice, with times in a zone.
func newEvent(n faults.Notice, project accounts.Project, zone *time.Location) event {
	e := event{Notice: n, Found: true, Page: webLink(n.Request.URL), Sections: sectionsOf(n)}
	e.User = nameUser(userOf(n), userLink(project.UserURL, linkedUser(n)))
	e.Crumbs, e.Fewer = crumbsOf(n.Breadcrumbs, zone)
	return e
}

// userOf returns the label of the affected user of a notice, or "".
func userOf(n faults.Notice) string {
	u := n.Request.User
	if u == nil {
		return ""
	}
	return orWord(u.Email, idOf(u))
}

// URL returns the URL of the request, shortened.
func (e event) URL() string { return cut(e.Request.URL, 300) }

// Agent returns the User-Agent of the request, shortened.
func (e event) Agent() string { return cut(e.WebEnvironment["HTTP_USER_AGENT"], useragent.Longest) }

// Browser returns the browser and the system that the User-Agent names, or "".
func (e event) Browser() string { return useragent.Parse(e.WebEnvironment["HTTP_USER_AGENT"]).String() }

// Revision returns the revision of the event, shortened.
func (e event) Revision() string { return cut(e.Payload.Environment.Revision, shortRevision) }

// Where returns the component and action of the event.
func (e event) Where() string {
	return cut(strings.Trim(e.Request.Component+"#"+e.Request.Action, "#"), 200)
}

// section is a group of values of a notice, such as the parameters of a request.
type section struct {
	ID, Title string
	Values    []value
	Fewer     int // values that are not shown
}

// sectionsOf returns the sections of a notice that are not empty.
func sectionsOf(n faults.Notice) (sections []section) {
	add := func(id, title string, values []value) {
		if len(values) > 0 {
			shown := values[:min(len(values), mostValues)]
			sections = append(sections, section{id, title, shown, len(values) - len(shown)})
		}
	}
	add("context", "Context", linkUsersIn(n.Request.Context, valuesOf(n.Request.Context)))
	add("params", "Params", valuesOf(n.Request.Params))
	add("session", "Session", valuesOf(n.Request.Session))
	add("locals", "Local variables", valuesOf(n.LocalVariables))
	add("environment", "Environment", environmentOf(n))
	add("cookies", "Cookies", textsOf(n.Cookies))
	add("details", "Details", valuesOf(n.Details))
	growTrees(sections)
	return sections
}

// environmentOf returns the environment of a notice, followed by the variables of the request.
func environmentOf(n faults.Notice) []value {
	e := n.Payload.Environment
	facts := map[string]string{"hostname": e.Hostname, "revision": e.Revision, "project_root": e.ProjectRoot.Path, "time": e.Time}
	if e.PID != nil {
		facts["pid"] = fmt.Sprint(*e.PID)
	}
	if n.Notifier.Name != "" {
		facts["notifier"] = strings.TrimSpace(n.Notifier.Name + " " + n.Notifier.Version)
	}
	for name, text := range facts {
		if text == "" {
			delete(facts, name)
		}
	}
	return slices.Concat(textsOf(facts), valuesOf(e.Stats), textsOf(n.WebEnvironment))
}

// crumb is a breadcrumb.
type crumb struct {
	At, Category, Message string
	Meta                  []value
}

// mostCrumbs is how many breadcrumbs are shown: the newest.
const mostCrumbs = 100

func crumbsOf(all []payload.Breadcrumb, zone *time.Location) (crumbs []crumb, fewer int) {
	fewer = max(0, len(all)-mostCrumbs)
	for _, b := range all[fewer:] {
		meta := valuesOf(b.Metadata)
		crumbs = append(crumbs, crumb{clockOf(b.Timestamp, zone), cut(b.Category, 40), cut(b.Message, 500), meta[:min(len(meta), mostMeta)]})
	}
	return crumbs, fewer
}

// clockOf formats the time of day of a timestamp in a zone; an invalid timestamp is shown as it was sent.
func clockOf(text string, zone *time.Location) string {
	at, ok := moment.Read(text)
	if !ok {
		return cut(text, 40)
	}
	return at.In(zone).Format("15:04:05.000")
}
