package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
)

const (
	deploysPath = "/v2/projects/{project_id}/deploys"
	deployPath  = deploysPath + "/{deploy_id}"
)

func (a *API) deployRoutes() []serve.Route {
	const tag = "Deploys"
	return []serve.Route{
		{
			Method: "GET", Path: deploysPath, Name: "listDeploys", Tag: tag, Permission: accounts.ReadProject,
			Query: deployQuery{}, Result: serve.List[Deploy]{}, PageSize: serve.ShortPage, Handle: a.listDeploys,
			Doc: "List the deploys of a project, newest first. Record deploys with POST /v1/deploys.",
		},
		{
			Method: "GET", Path: deployPath, Name: "getDeploy", Tag: tag, Permission: accounts.ReadProject,
			Result: Deploy{}, Handle: a.getDeploy,
			Doc: "Get a deploy.",
		},
		{
			Method: "DELETE", Path: deployPath, Name: "deleteDeploy", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteDeploy,
			Doc: "Delete a deploy. Faults that it resolved stay resolved.",
		},
	}
}

// Deploy is a deploy as the contract shows one, with the id that clients ask for it by (clients.md). What is unknown is
// an empty text.
type Deploy struct {
	ID            int64     `json:"id"`
	ProjectID     int64     `json:"project_id"`
	Environment   string    `json:"environment" doc:"Empty for a deploy of the whole project."`
	Revision      string    `json:"revision"`
	Repository    string    `json:"repository"`
	LocalUsername string    `json:"local_username"`
	CreatedAt     time.Time `json:"created_at"`
}

func viewDeploy(d faults.Deploy) Deploy {
	return Deploy{
		ID: d.ID, ProjectID: d.ProjectID, Environment: d.Environment, Revision: d.Revision, Repository: d.Repository,
		LocalUsername: d.LocalUsername, CreatedAt: d.CreatedAt,
	}
}

// deployQuery says which deploys are listed.
type deployQuery struct {
	Environment   string    `query:"environment" doc:"Only deploys to this environment."`
	LocalUsername string    `query:"local_username" doc:"Only deploys by this user."`
	CreatedAfter  timeParam `query:"created_after" doc:"Only deploys at or after this time; Unix seconds or RFC 3339."`
	CreatedBefore timeParam `query:"created_before" doc:"Only deploys before this time; Unix seconds or RFC 3339."`
}

func (a *API) listDeploys(w http.ResponseWriter, r *http.Request) error {
	var q deployQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	filter := faultdb.DeployFilter{
		Environment: q.Environment, LocalUsername: q.LocalUsername, CreatedAfter: q.CreatedAfter.Time, CreatedBefore: q.CreatedBefore.Time,
		Page: page.Page,
	}
	deploys, marks, err := a.Faults.ListDeploys(r.Context(), pathID(r, "project_id"), filter)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(deploys, viewDeploy), marks))
}

func (a *API) getDeploy(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Faults.DeployByID(r.Context(), pathID(r, "project_id"), pathID(r, "deploy_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewDeploy(d))
}

func (a *API) deleteDeploy(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Faults.DeleteDeploy(r.Context(), pathID(r, "project_id"), pathID(r, "deploy_id")))
}
