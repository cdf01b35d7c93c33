package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

const (
	environmentsPath = "/v2/projects/{project_id}/environments"
	environmentPath  = environmentsPath + "/{environment_id}"
)

func (a *API) environmentRoutes() []serve.Route {
	const tag = "Environments"
	return []serve.Route{
		{
			Method: "GET", Path: environmentsPath, Name: "listEnvironments", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Environment]{}, Handle: a.listEnvironments,
			Doc: "List the environments of a project, in order of creation. The first notice or deploy in an environment creates it.",
		},
		{
			Method: "POST", Path: environmentsPath, Name: "createEnvironment", Tag: tag, Permission: accounts.ManageProject,
			Body: createEnvironmentBody{}, Result: Environment{}, Status: http.StatusCreated, Handle: a.createEnvironment,
			Doc: "Create an environment before its first notice or deploy.",
		},
		{
			Method: "GET", Path: environmentPath, Name: "getEnvironment", Tag: tag, Permission: accounts.ReadProject,
			Result: Environment{}, Handle: a.getEnvironment,
			Doc: "Get an environment.",
		},
		{
			Method: "PUT", Path: environmentPath, Name: "updateEnvironment", Tag: tag, Permission: accounts.ManageProject,
			Body: environmentBody{}, Status: http.StatusNoContent, Handle: a.updateEnvironment,
			Doc: "Update an environment. Only the fields you send change. Faults, notices and deploys keep the old name, and the next notice with the old name creates that environment again.",
		},
		{
			Method: "DELETE", Path: environmentPath, Name: "deleteEnvironment", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteEnvironment,
			Doc: "Delete an environment. Its faults, notices and deploys are kept, and the next notice or deploy in it creates it again.",
		},
	}
}

// Environment is an environment as the contract shows one.
type Environment struct {
	ID            int64     `json:"id"`
	ProjectID     int64     `json:"project_id"`
	Name          string    `json:"name"`
	Notifications bool      `json:"notifications" doc:"If false, events in this environment send no notifications."`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

func viewEnvironment(e accounts.Environment) Environment {
	return Environment{
		ID: e.ID, ProjectID: e.ProjectID, Name: e.Name, Notifications: e.Notifications, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

func (a *API) listEnvironments(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Accounts.ListEnvironments(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewEnvironment), marks))
}

// environmentBody is the body of an environment's update.
type environmentBody struct {
	Environment sett.Optional[accounts.EnvironmentChange] `json:"environment" required:"true"`
}

// createEnvironmentBody is the body that makes an environment.
type createEnvironmentBody struct {
	Environment sett.Optional[accounts.EnvironmentChange] `json:"environment" required:"true" needs:"name"`
}

func readEnvironmentChange(w http.ResponseWriter, r *http.Request) (accounts.EnvironmentChange, error) {
	var body environmentBody
	return readInside(w, r, &body, &body.Environment, "environment", `{"name": "production"}`)
}

func (a *API) createEnvironment(w http.ResponseWriter, r *http.Request) error {
	change, err := readEnvironmentChange(w, r)
	if err != nil {
		return err
	}
	e, err := a.Accounts.CreateEnvironment(r.Context(), a.Now(), pathID(r, "project_id"), change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewEnvironment(e))
}

func (a *API) getEnvironment(w http.ResponseWriter, r *http.Request) error {
	e, err := a.Accounts.EnvironmentByID(r.Context(), pathID(r, "project_id"), pathID(r, "environment_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewEnvironment(e))
}

func (a *API) updateEnvironment(w http.ResponseWriter, r *http.Request) error {
	project, id := pathID(r, "project_id"), pathID(r, "environment_id")
	if _, err := a.Accounts.EnvironmentByID(r.Context(), project, id); err != nil { // said before what is wrong with the body
		return err
	}
	change, err := readEnvironmentChange(w, r)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Accounts.UpdateEnvironment(r.Context(), a.Now(), project, id, change))
}

func (a *API) deleteEnvironment(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Accounts.DeleteEnvironment(r.Context(), pathID(r, "project_id"), pathID(r, "environment_id")))
}
