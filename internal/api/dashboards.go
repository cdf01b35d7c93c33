package api

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/dashboard"
)

const (
	dashboardsPath = "/v2/projects/{project_id}/dashboards"
	dashboardPath  = dashboardsPath + "/{dashboard_id}"
)

func (a *API) dashboardRoutes() []serve.Route {
	const tag = "Dashboards"
	return []serve.Route{
		{
			Method: "GET", Path: dashboardsPath, Name: "listDashboards", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Dashboard]{}, Handle: a.listDashboards,
			Doc: "List the dashboards of a project, in order of creation.",
		},
		{
			Method: "POST", Path: dashboardsPath, Name: "createDashboard", Tag: tag, Permission: accounts.WatchProject,
			Body: writeDashboardBody{}, Result: Dashboard{}, Status: http.StatusCreated, Handle: a.createDashboard,
			Doc: "Create a dashboard, which all users who can see the project can open. Queries of widgets are not checked: one that cannot be read shows its problem in its widget.",
		},
		{
			Method: "GET", Path: dashboardPath, Name: "getDashboard", Tag: tag, Permission: accounts.ReadProject,
			Result: Dashboard{}, Handle: a.getDashboard,
			Doc: "Get a dashboard.",
		},
		{
			Method: "PUT", Path: dashboardPath, Name: "updateDashboard", Tag: tag, Permission: accounts.WatchProject,
			Body: writeDashboardBody{}, Status: http.StatusNoContent, Handle: a.updateDashboard,
			Doc: "Replace a dashboard: its title, its time and all widgets. Send the id of a widget that you keep.",
		},
		{
			Method: "DELETE", Path: dashboardPath, Name: "deleteDashboard", Tag: tag, Permission: accounts.WatchProject,
			Status: http.StatusNoContent, Handle: a.deleteDashboard,
			Doc: "Delete a dashboard.",
		},
	}
}

// Dashboard is a dashboard as clients read one.
type Dashboard struct {
	ID        string             `json:"id"`
	ProjectID int64              `json:"project_id"`
	Title     string             `json:"title"`
	DefaultTS *string            `json:"default_ts" doc:"The time that it shows first, as ts of a query; null for the usual 3 hours."`
	Widgets   []dashboard.Widget `json:"widgets" doc:"Its widgets, in order, without empty settings."`
	IsDefault bool               `json:"is_default" doc:"Whether it is the first of the list: the oldest of the project."`
	Shared    bool               `json:"shared" doc:"True: all users who can see the project can open it."`
	URL       string             `json:"url" doc:"Its page."`
	CreatedAt time.Time          `json:"created_at"`
	UpdatedAt time.Time          `json:"updated_at"`
}

func (a *API) viewDashboard(d dashboard.Dashboard) Dashboard {
	return Dashboard{
		ID: d.ID, ProjectID: d.ProjectID, Title: d.Title, DefaultTS: nullText(d.DefaultTS), Widgets: append([]dashboard.Widget{}, d.Widgets...), IsDefault: d.First, Shared: true,
		URL: fmt.Sprintf("%s/projects/%d/insights/dashboards/%s", a.BaseURL, d.ProjectID, d.ID), CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt,
	}
}

func (a *API) listDashboards(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Dashboards.List(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, a.viewDashboard), marks))
}

func (a *API) getDashboard(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Dashboards.ByID(r.Context(), pathID(r, "project_id"), r.PathValue("dashboard_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewDashboard(d))
}

// writeDashboardBody is the body that makes or replaces a dashboard.
type writeDashboardBody struct {
	Dashboard sett.Optional[dashboard.Change] `json:"dashboard" required:"true" needs:"title,widgets"`
}

func (a *API) readDashboard(w http.ResponseWriter, r *http.Request) (s dashboard.Settings, err error) {
	var body writeDashboardBody
	written, err := readOwn(w, r, &body, &body.Dashboard, "dashboard", `{"title": "Requests", "widgets": [{"type": "errors"}]}`, Dashboard{})
	if err != nil {
		return s, err
	}
	return written.Check(a.Now(), func() string { return sett.RandomString(8) })
}

func (a *API) createDashboard(w http.ResponseWriter, r *http.Request) error {
	settings, err := a.readDashboard(w, r)
	if err != nil {
		return err
	}
	made, err := a.Dashboards.Create(r.Context(), a.Now(), pathID(r, "project_id"), settings)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, a.viewDashboard(made))
}

func (a *API) updateDashboard(w http.ResponseWriter, r *http.Request) error {
	project, id := pathID(r, "project_id"), r.PathValue("dashboard_id")
	if _, err := a.Dashboards.ByID(r.Context(), project, id); err != nil { // said before what is wrong with the body
		return err
	}
	settings, err := a.readDashboard(w, r)
	if err != nil {
		return err
	}
	_, err = a.Dashboards.Change(r.Context(), a.Now(), project, id, func(dashboard.Dashboard) (dashboard.Settings, error) { return settings, nil })
	return done(w, http.StatusNoContent, err)
}

func (a *API) deleteDashboard(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Dashboards.Delete(r.Context(), pathID(r, "project_id"), r.PathValue("dashboard_id")))
}
