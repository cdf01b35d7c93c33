package api

import (
	"net/http"
	"time"

	"sett/internal/event/payload"
	"sett/internal/ingest/unminify"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
)

func (a *API) noticeRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: faultPath + "/notices", Name: "listNotices", Tag: "Faults",
		Permission: accounts.ReadProject, Query: noticeQuery{}, Result: serve.List[Notice]{}, PageSize: serve.ShortPage, Handle: a.listNotices,
		Doc: "List the notices of a fault, newest first.",
	}, {
		Method: "GET", Path: faultPath + "/notices/{notice_id}", Name: "getNotice", Tag: "Faults",
		Permission: accounts.ReadProject, Query: oneNoticeQuery{}, Result: Notice{}, Handle: a.getNotice,
		Doc: "Get a notice of a fault.",
	}}
}

// Notice is a notice as the contract shows one. Its fields have the types that strict clients decode (wire.md §1.4),
// whatever was reported.
type Notice struct {
	ID               string            `json:"id" doc:"UUID; the token that the client sent, if any."`
	FaultID          int64             `json:"fault_id"`
	CreatedAt        time.Time         `json:"created_at"`
	Message          string            `json:"message"`
	URL              string            `json:"url" doc:"Its page."`
	EnvironmentName  string            `json:"environment_name"`
	Environment      NoticeEnvironment `json:"environment"`
	Cookies          map[string]string `json:"cookies"`
	WebEnvironment   map[string]string `json:"web_environment" doc:"CGI variables of the request."`
	Request          NoticeRequest     `json:"request"`
	Backtrace        []payload.Frame   `json:"backtrace" doc:"Innermost frame first."`
	ApplicationTrace []payload.Frame   `json:"application_trace" doc:"The frames of the application's own code."`
	Deploy           *NoticeDeploy     `json:"deploy" doc:"The deploy that was running; null when unknown."`
	NoticeExtras
}

// NoticeExtras is what a notice says beyond the contract's fields: the rest of what its client reported.
type NoticeExtras struct {
	OccurredAt         time.Time            `json:"occurred_at" doc:"When it happened, as the client says; created_at if it arrived within a minute of it."`
	Class              string               `json:"klass"`
	Tags               []string             `json:"tags"`
	Fingerprint        *string              `json:"fingerprint" doc:"Fingerprint by the client, used for grouping instead of the rule."`
	Causes             []payload.Cause      `json:"causes" doc:"Causes of the error, nearest first."`
	Breadcrumbs        []payload.Breadcrumb `json:"breadcrumbs" doc:"Breadcrumbs before the error, oldest first."`
	Details            map[string]any       `json:"details" doc:"Additional sections from the client."`
	LocalVariables     map[string]any       `json:"local_variables"`
	CorrelationContext map[string]any       `json:"correlation_context"`
	Notifier           payload.Notifier     `json:"notifier" doc:"The client that reported it."`
	Repairs            []string             `json:"repairs,omitempty" doc:"Sentences about what could not be read as it was sent, and how sett read it."`
	OriginalBacktrace  []payload.Frame      `json:"original_backtrace,omitempty" doc:"The backtrace after source maps were applied; only with original_backtrace=true."`
}

// NoticeEnvironment is where a notice happened.
type NoticeEnvironment struct {
	EnvironmentName string              `json:"environment_name"`
	Hostname        string              `json:"hostname"`
	ProjectRoot     payload.ProjectRoot `json:"project_root"`
	Revision        string              `json:"revision"`
	Stats           map[string]any      `json:"stats" doc:"Memory and load, as reported."`
	Time            string              `json:"time" doc:"As sent by the client."`
	PID             *int                `json:"pid"`
}

// NoticeRequest is the request that failed.
type NoticeRequest struct {
	Action    *string        `json:"action"`
	Component *string        `json:"component"`
	Context   map[string]any `json:"context"`
	Params    map[string]any `json:"params"`
	Session   map[string]any `json:"session"`
	URL       *string        `json:"url"`
	User      *NoticeUser    `json:"user" doc:"Null if the notice has none."`
}

// NoticeUser is the affected user of a notice. Like the other texts of a request, unknown values are null (wire.md §1.4).
type NoticeUser struct {
	Email *string `json:"email"`
	ID    any     `json:"id" doc:"A string or a number, as reported."`
}

func viewUser(u *payload.User) *NoticeUser {
	if u == nil {
		return nil
	}
	return &NoticeUser{Email: nullText(u.Email), ID: u.ID}
}

// NoticeDeploy is the deploy that a notice ran on.
type NoticeDeploy struct {
	ID            int64     `json:"id"`
	Environment   string    `json:"environment"`
	Revision      string    `json:"revision"`
	Repository    string    `json:"repository"`
	LocalUsername string    `json:"local_username"`
	CreatedAt     time.Time `json:"created_at"`
	Changelog     []string  `json:"changelog" doc:"Always empty: sett does not read repositories."`
	URL           *string   `json:"url" doc:"Comparison with the previous deploy at the repository's host; null when unknown."`
}

func (a *API) viewNotice(n faults.Notice) Notice {
	e, r := n.Environment, n.Request
	occurred, _ := n.OccurredAt()
	v := Notice{
		ID: n.ID.String(), FaultID: n.FaultID, CreatedAt: n.CreatedAt(), Message: n.Message,
		URL:             a.faultURL(n.ProjectID, n.FaultID) + "/" + n.ID.String(),
		EnvironmentName: e.EnvironmentName, Environment: NoticeEnvironment(e), Cookies: n.Cookies, WebEnvironment: n.WebEnvironment,
		Request: NoticeRequest{
			Action: nullText(r.Action), Component: nullText(r.Component), Context: r.Context, Params: r.Params, Session: r.Session,
			URL: nullText(r.URL), User: viewUser(r.User),
		},
		Backtrace: n.Backtrace, ApplicationTrace: n.ApplicationTrace,
		NoticeExtras: NoticeExtras{
			OccurredAt: occurred, Class: n.Class, Tags: n.Tags, Fingerprint: nullText(n.Fingerprint), Causes: n.Causes, Breadcrumbs: n.Breadcrumbs,
			Details: object(n.Details), LocalVariables: object(n.LocalVariables), CorrelationContext: object(n.CorrelationContext),
			Notifier: n.Notifier, Repairs: n.Repairs,
		},
	}
	v.Environment.Stats = object(v.Environment.Stats)
	if d := n.Deploy; d != nil {
		v.Deploy = &NoticeDeploy{
			ID: d.ID, Environment: d.Environment, Revision: d.Revision, Repository: d.Repository, LocalUsername: d.LocalUsername,
			CreatedAt: d.CreatedAt, Changelog: []string{}, URL: nullText(d.CompareURL()),
		}
	}
	return v
}

// object returns m, or an empty object for none.
func object(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

// mostOriginal is how many frames of a notice are looked up in source maps.
const mostOriginal = 200

// noticeQuery says which notices of a fault are listed.
type noticeQuery struct {
	CreatedAfter  timeParam `query:"created_after" doc:"Only notices at or after this time; Unix seconds or RFC 3339."`
	CreatedBefore timeParam `query:"created_before" doc:"Only notices before this time; Unix seconds or RFC 3339."`
	oneNoticeQuery
}

// oneNoticeQuery says what a notice shows.
type oneNoticeQuery struct {
	OriginalBacktrace bool `query:"original_backtrace" doc:"Whether each notice has original_backtrace, its backtrace after source maps were applied."`
}

// addOriginal adds the backtrace after source maps were applied, if it is asked for.
func (a *API) addOriginal(r *http.Request, q oneNoticeQuery, n faults.Notice, view *Notice) (err error) {
	if q.OriginalBacktrace {
		lookup := a.Maps.Lookup(unminify.BuildOf(n.ProjectID, n.Payload))
		view.OriginalBacktrace, _, err = lookup.Backtrace(r.Context(), n.Backtrace, mostOriginal)
	}
	return err
}

func (a *API) getNotice(w http.ResponseWriter, r *http.Request) error {
	var q oneNoticeQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	id, err := sett.ParseUUID(r.PathValue("notice_id"))
	if err != nil {
		return sett.Errorf(sett.NotFound, "Notice not found")
	}
	n, err := a.Faults.NoticeByUUID(r.Context(), pathID(r, "project_id"), id)
	switch {
	case err != nil:
		return err
	case n.FaultID != pathID(r, "fault_id"):
		return sett.Errorf(sett.NotFound, "Notice not found")
	}
	view := a.viewNotice(n)
	if err := a.addOriginal(r, q, n, &view); err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, view)
}

func (a *API) listNotices(w http.ResponseWriter, r *http.Request) error {
	var q noticeQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	part := faultdb.NoticePage{CreatedAfter: q.CreatedAfter.Time, CreatedBefore: q.CreatedBefore.Time, Page: page.Page}
	notices, marks, err := a.Faults.ListNotices(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), part)
	if err != nil {
		return err
	}
	views := viewAll(notices, a.viewNotice)
	for i := range views {
		if err := a.addOriginal(r, q.oneNoticeQuery, notices[i], &views[i]); err != nil {
			return err
		}
	}
	list := serve.NewList(a.BaseURL, r, page, views, marks)
	return serve.WriteJSON(w, http.StatusOK, list)
}
