package fault

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/store/faultdb"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// event is a notice of a fault for its page.
type event struct {
	faults.Notice
	Found        bool
	Away         string // why it cannot be shown now, although it is stored; ""
	Older, Newer string // URLs of the adjacent events
	Number, Of   int64  // its position among the fault's events by arrival; 0: unknown, as too many follow
	Page         string // URL, "" unless it is safe as a link
	User         userName
	Known        payload.Facts
	Facts        []shownFact
	TraceLink    string // URL by the template of the project, or ""
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

// showEvent shows the event of ?notice=, or the newest.
func (v *faultView) showEvent(s *sheet.Fault) {
	if v.Event.Away = s.Away; s.Notice == nil {
		return
	}
	n := *s.Notice
	v.Event = newEvent(n, v.Project, v.Now.Location())
	v.Event.Exports = "?notice=" + n.ID.String()
	v.Event.Attachments = attachmentsOf(n, s.Attachments)
	if s.Request != "" {
		v.Event.Insights = fmt.Sprintf("/projects/%d/insights?", n.ProjectID) + url.Values{"q": {insight.WriteRequest(s.Request)}, "period": {"7d"}}.Encode()
	}
	v.showBeside(s.Position)
}

// eventURL returns the URL of the page with another event; "" for none.
func (v *faultView) eventURL(id sett.UUID) string {
	if id.IsZero() {
		return ""
	}
	return v.address + v.Place.With("notice", id.String())
}

// showBeside shows where the events before and after the shown one are.
func (v *faultView) showBeside(at faultdb.NoticePosition) {
	v.Event.Older, v.Event.Newer = v.eventURL(at.Older), v.eventURL(at.Newer)
	v.Event.Of = max(v.Fault.NoticesCount, at.After+1) // counts may follow
	if at.After <= faultdb.MostNewer {
		v.Event.Number = v.Event.Of - at.After
	}
}

// Release returns the path of the page of a project's release that the event is from; "" for none.
func (e event) Release(project int64) string {
	return web.ReleasePath(project, e.Payload.Environment.Revision)
}

// newEvent returns the event of a notice, with times in a zone.
func newEvent(n faults.Notice, project accounts.Project, zone *time.Location) event {
	known := n.Payload.Facts()
	e := event{Notice: n, Found: true, Page: webLink(n.Request.URL), Sections: sectionsOf(n, known), Known: known, Facts: factsOf(n, known), TraceLink: traceLink(project.TraceURL, known.Trace)}
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

// Level returns the level of the event, shortened.
func (e event) Level() string { return cut(e.Known.Level, 20) }

// LevelMood returns the colour of the level.
func (e event) LevelMood() web.Mood {
	switch e.Known.Level {
	case "fatal", "error":
		return web.Critical
	case "warning":
		return web.Warning
	}
	return web.Muted
}

// LikeLevel returns the path of the list of errors of the level.
func (e event) LikeLevel() string {
	return searchPath(e.ProjectID, query.Write(query.Level, e.Known.Level))
}

// TraceID returns the id of the request or trace, shortened.
func (e event) TraceID() string { return cut(e.Known.Trace, 200) }

// Revision returns the revision of the event, shortened.
func (e event) Revision() string { return shortOf(e.Payload.Environment.Revision) }

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
func sectionsOf(n faults.Notice, known payload.Facts) (sections []section) {
	add := func(id, title string, values []value) {
		if len(values) > 0 {
			shown := values[:min(len(values), mostValues)]
			sections = append(sections, section{id, title, shown, len(values) - len(shown)})
		}
	}
	user, context := userValues(n.Request.Context, userOf(n))
	if len(known.Tags) > 0 {
		delete(context, "tags")
	}
	add("tags", "Tags", tagValues(n, known.Tags))
	add("user", "User", user)
	add("context", "Context", linkUsersIn("context.", context, valuesOf(context)))
	add("params", "Params", valuesOf(n.Request.Params))
	add("session", "Session", valuesOf(n.Request.Session))
	add("locals", "Local variables", valuesOf(n.LocalVariables))
	add("environment", "Environment", environmentOf(n))
	add("cookies", "Cookies", textsOf(n.Cookies))
	add("details", "Details", detailValues(n.Details))
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
