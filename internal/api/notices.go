package api

import (
	"net/http"
	"strconv"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

func (a *API) noticeRoutes() []serve.Route {
	return []serve.Route{{
		Method: "GET", Path: faultPath + "/notices", Name: "listNotices", Tag: "Faults",
		Permission: sett.ReadProject, Query: noticeQuery{}, Result: serve.List[Notice]{}, Handle: a.listNotices,
		Doc: "The notices of a fault, the newest first.",
	}}
}

// Notice is a notice as the contract shows one. Its fields have the types that strict clients decode (wire.md §1.4),
// whatever was reported.
type Notice struct {
	ID               string            `json:"id" doc:"UUID: the client's own token where it sent one."`
	FaultID          int64             `json:"fault_id"`
	CreatedAt        time.Time         `json:"created_at"`
	Message          string            `json:"message"`
	URL              string            `json:"url" doc:"Its page."`
	EnvironmentName  string            `json:"environment_name"`
	Environment      NoticeEnvironment `json:"environment"`
	Cookies          map[string]string `json:"cookies"`
	WebEnvironment   map[string]string `json:"web_environment" doc:"Variables of the request, as a CGI script has them."`
	Request          NoticeRequest     `json:"request"`
	Backtrace        []sett.Frame      `json:"backtrace" doc:"Innermost frame first."`
	ApplicationTrace []sett.Frame      `json:"application_trace" doc:"The frames of the application's own code."`
	Deploy           *NoticeDeploy     `json:"deploy" doc:"What the notice ran on; null when unknown."`
}

// NoticeEnvironment is where a notice happened.
type NoticeEnvironment struct {
	EnvironmentName string           `json:"environment_name"`
	Hostname        string           `json:"hostname"`
	ProjectRoot     sett.ProjectRoot `json:"project_root"`
	Revision        string           `json:"revision"`
	Stats           map[string]any   `json:"stats" doc:"Memory and load, as reported."`
	Time            string           `json:"time" doc:"As the client spelled it."`
	PID             *int             `json:"pid"`
}

// NoticeRequest is the request that failed.
type NoticeRequest struct {
	Action    *string          `json:"action"`
	Component *string          `json:"component"`
	Context   map[string]any   `json:"context"`
	Params    map[string]any   `json:"params"`
	Session   map[string]any   `json:"session"`
	URL       *string          `json:"url"`
	User      *sett.NoticeUser `json:"user" doc:"Null when the notice names none."`
}

// NoticeDeploy is the deploy that a notice ran on.
type NoticeDeploy struct {
	ID            int64     `json:"id"`
	Environment   string    `json:"environment"`
	Revision      string    `json:"revision"`
	Repository    string    `json:"repository"`
	LocalUsername string    `json:"local_username"`
	CreatedAt     time.Time `json:"created_at"`
	Changelog     []string  `json:"changelog" doc:"Always empty: no repository is read."`
	URL           *string   `json:"url" doc:"Where the repository's host shows what the deploy changed; null when unknown."`
}

func (a *API) viewNotice(n sett.Notice) Notice {
	e, r := n.Environment, n.Request
	v := Notice{
		ID: n.ID.String(), FaultID: n.FaultID, CreatedAt: n.CreatedAt(), Message: n.Message,
		URL:             a.faultURL(n.ProjectID, n.FaultID) + "/" + n.ID.String(),
		EnvironmentName: e.EnvironmentName, Environment: NoticeEnvironment(e), Cookies: n.Cookies, WebEnvironment: n.WebEnvironment,
		Request: NoticeRequest{
			Action: nullText(r.Action), Component: nullText(r.Component), Context: r.Context, Params: r.Params, Session: r.Session,
			URL: nullText(r.URL), User: r.User,
		},
		Backtrace: n.Backtrace, ApplicationTrace: n.ApplicationTrace,
	}
	if v.Environment.Stats == nil {
		v.Environment.Stats = map[string]any{}
	}
	if d := n.Deploy; d != nil {
		v.Deploy = &NoticeDeploy{
			ID: d.ID, Environment: d.Environment, Revision: d.Revision, Repository: d.Repository, LocalUsername: d.LocalUsername,
			CreatedAt: d.CreatedAt, Changelog: []string{}, URL: nullText(d.CompareURL()),
		}
	}
	return v
}

// noticeQuery says which notices of a fault are listed.
type noticeQuery struct {
	CreatedAfter  timeParam `query:"created_after" doc:"Only notices of then or later; seconds since 1970, or RFC 3339."`
	CreatedBefore timeParam `query:"created_before" doc:"Only notices before then; seconds since 1970, or RFC 3339."`
}

func (a *API) listNotices(w http.ResponseWriter, r *http.Request) error {
	var q noticeQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return err
	}
	page, err := serve.PageOf(r, pageSize)
	if err != nil {
		return err
	}
	before, err := afterCursor(page)
	if err != nil {
		return err
	}
	var problems sett.Problems
	part := store.NoticePage{
		CreatedAfter:  q.CreatedAfter.time(&problems, "created_after"),
		CreatedBefore: q.CreatedBefore.time(&problems, "created_before"),
		Size:          page.Size, Offset: page.Offset(), Before: sett.NoticeID(before),
	}
	if err := problems.Err(); err != nil {
		return err
	}
	notices, more, err := a.Store.ListNotices(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), part)
	if err != nil {
		return err
	}
	views, cursor := make([]Notice, len(notices)), ""
	for i, n := range notices {
		views[i], cursor = a.viewNotice(n), strconv.FormatInt(int64(n.Key), 10)
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, views, more, cursor))
}
