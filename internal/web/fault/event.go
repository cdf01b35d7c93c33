package fault

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

// event is one notice of a fault as its page shows it.
type event struct {
	sett.Notice
	Found        bool
	Older, Newer string // addresses of the events beside it
	Number, Of   int64  // which of the fault's events it is, as they came in; 0: there are too many after it to say
	First        string // revision of the very first event
	Page, UserAt string // addresses, where they lead to the web
	User         string
	Sections     []section
	Crumbs       []crumb
	Fewer        int // breadcrumbs that are left out
	Exports      string
}

// When is when the event came in.
func (e event) When() time.Time { return e.CreatedAt() }

// readEvent reads the event that ?notice= names, or the newest, with what stands beside it.
func (p *pages) readEvent(r *http.Request, v *faultView) error {
	n, err := p.noticeOf(r.Context(), v.Fault, r.URL.Query().Get("notice"))
	if err != nil || n == nil {
		return err
	}
	v.Event = newEvent(*n, v.Project)
	v.Event.Exports = "?notice=" + n.ID.String()
	view := traceView(r)
	v.Trace = traceOf(*n, view, v.Project.SourceURL)
	for _, choice := range []struct{ value, label string }{{appFrames, "Application"}, {allFrames, "All frames"}, {rawTrace, "Raw"}} {
		query := url.Values{"notice": {n.ID.String()}, "trace": {choice.value}}
		v.Trace.Views = append(v.Trace.Views, traceChoice{choice.value, choice.label, p.At(v.Path()) + "?" + query.Encode()})
	}
	return p.readBeside(r.Context(), v)
}

// noticeOf returns the notice of a fault with that public id, the newest when it is "", or nil when there is none any more.
func (p *pages) noticeOf(ctx context.Context, f sett.Fault, id string) (*sett.Notice, error) {
	if id == "" {
		n, ok, err := p.Store.NewestNotice(ctx, f.ProjectID, f.ID)
		if err != nil || !ok {
			return nil, err
		}
		return &n, nil
	}
	uuid, err := sett.ParseUUID(id)
	if err != nil {
		return nil, noEvent()
	}
	n, err := p.Store.NoticeByUUID(ctx, f.ProjectID, uuid)
	switch {
	case err == nil && n.FaultID == f.ID:
		return &n, nil
	case err != nil && sett.CodeOf(err) != sett.NotFound:
		return nil, err
	}
	return nil, noEvent()
}

func noEvent() error {
	return sett.Errorf(sett.NotFound, "Not found: this error has no such event. Its retention period may have ended.")
}

// readBeside finds the events before and after the one that is shown, and the very first.
func (p *pages) readBeside(ctx context.Context, v *faultView) error {
	at, err := p.Store.PositionOfNotice(ctx, v.Fault.ProjectID, v.Fault.ID, v.Event.Key)
	link := func(id sett.UUID) string {
		if id.IsZero() {
			return ""
		}
		return p.At(v.Path()) + "?notice=" + id.String()
	}
	v.Event.Older, v.Event.Newer, v.Event.First = link(at.Older), link(at.Newer), cut(at.First, 12)
	v.Event.Of = max(v.Fault.NoticesCount, at.After+1) // counts may follow
	if at.After <= store.MostNewer {
		v.Event.Number = v.Event.Of - at.After
	}
	return err
}

// newEvent makes an event of a notice.
func newEvent(n sett.Notice, project sett.Project) event {
	e := event{Notice: n, Found: true, Page: webLink(n.Request.URL), Sections: sectionsOf(n)}
	e.User, e.UserAt = userOf(n), userLink(project.UserURL, linkedUser(n))
	e.Crumbs, e.Fewer = crumbsOf(n.Breadcrumbs)
	return e
}

// userOf is what a notice calls whom it happened to; "" when it names nobody.
func userOf(n sett.Notice) string {
	u := n.Request.User
	if u == nil {
		return ""
	}
	return cut(orWord(u.Email, idOf(u)), 200)
}

// URL is the address of the request, as far as there is room.
func (e event) URL() string { return cut(e.Request.URL, 300) }

// Where is where in the application it happened.
func (e event) Where() string {
	return cut(strings.Trim(e.Request.Component+"#"+e.Request.Action, "#"), 200)
}

// section is what a notice says of one thing, such as the parameters of a request.
type section struct {
	ID, Title string
	Values    []value
	Fewer     int // values that are left out
}

// sectionsOf returns the sections of a notice that hold anything.
func sectionsOf(n sett.Notice) (sections []section) {
	add := func(id, title string, values []value) {
		if len(values) > 0 {
			shown := values[:min(len(values), mostValues)]
			sections = append(sections, section{id, title, shown, len(values) - len(shown)})
		}
	}
	add("context", "Context", valuesOf(n.Request.Context))
	add("params", "Params", valuesOf(n.Request.Params))
	add("session", "Session", valuesOf(n.Request.Session))
	add("locals", "Local variables", valuesOf(n.LocalVariables))
	add("environment", "Environment", environmentOf(n))
	add("cookies", "Cookies", textsOf(n.Cookies))
	add("details", "Details", valuesOf(n.Details))
	return sections
}

// environmentOf is where a notice happened, then the variables of the request.
func environmentOf(n sett.Notice) []value {
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

// crumb is something that happened before the error.
type crumb struct {
	At, Category, Message string
	Meta                  []value
}

// mostCrumbs is how many of them are shown: those nearest to the error.
const mostCrumbs = 100

func crumbsOf(all []sett.Breadcrumb) (crumbs []crumb, fewer int) {
	fewer = max(0, len(all)-mostCrumbs)
	for _, b := range all[fewer:] {
		meta := valuesOf(b.Metadata)
		crumbs = append(crumbs, crumb{clockOf(b.Timestamp), cut(b.Category, 40), cut(b.Message, 500), meta[:min(len(meta), mostMeta)]})
	}
	return crumbs, fewer
}

// clockOf writes the time of day of a timestamp; what is none stays as the client spelled it.
func clockOf(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return cut(text, 40)
	}
	return at.UTC().Format("15:04:05.000")
}
