package api

import (
	"net/http"
	"slices"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

const (
	projectKeysPath = "/v2/projects/{project_id}/keys"
	projectKeyPath  = projectKeysPath + "/{key_id}"
)

func (a *API) projectKeyRoutes() []serve.Route {
	const tag = "Projects"
	return []serve.Route{
		{
			Method: "GET", Path: projectKeysPath, Name: "listProjectKeys", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[ProjectKey]{}, Handle: a.listProjectKeys,
			Doc: "List the API keys of a project; the first is its token.",
		},
		{
			Method: "POST", Path: projectKeysPath, Name: "createProjectKey", Tag: tag, Permission: accounts.ManageProject,
			Body: projectKeyBody{}, Result: ProjectKey{}, Status: http.StatusCreated, Handle: a.createProjectKey,
			Doc: "Create another API key of a project. It may report everything, unless `scope` says otherwise. The earlier keys keep working.",
		},
		{
			Method: "GET", Path: projectKeyPath, Name: "getProjectKey", Tag: tag, Permission: accounts.ReadProject,
			Result: ProjectKey{}, Handle: a.getProjectKey,
			Doc: "Get an API key of a project.",
		},
		{
			Method: "PUT", Path: projectKeyPath, Name: "updateProjectKey", Tag: tag, Permission: accounts.ManageProject,
			Body: projectKeyBody{}, Status: http.StatusNoContent, Handle: a.updateProjectKey,
			Doc: "Update the label and the scope of an API key. The last one that may report everything keeps its scope.",
		},
		{
			Method: "DELETE", Path: projectKeyPath, Name: "deleteProjectKey", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteProjectKey,
			Doc: "Revoke an API key at once. The last one that may report everything cannot be revoked.",
		},
	}
}

// ProjectKey is an API key of a project.
type ProjectKey struct {
	ID        string     `json:"id"`
	Key       string     `json:"key" doc:"The API key that clients report with."`
	Label     *string    `json:"label" doc:"What the key is for; null if that was not said."`
	Scope     string     `json:"scope" enum:"all,notices" doc:"What the key can report: everything, or only errors."`
	CreatedAt time.Time  `json:"created_at"`
	EndsAt    *time.Time `json:"ends_at" doc:"When a key that was replaced is refused; null: never."`
	UsedAt    *time.Time `json:"used_at" doc:"The last report, to the hour; null: never."`
}

func viewProjectKey(k accounts.ProjectKey) ProjectKey {
	return ProjectKey{k.ID(), k.Key, nullText(k.Label), string(k.Scope), k.CreatedAt, nullTime(k.EndsAt), nullTime(k.UsedAt)}
}

// projectKeyBody is the body that makes or changes a key.
type projectKeyBody struct {
	Key sett.Optional[accounts.ProjectKeyChange] `json:"key" required:"true"`
}

func (a *API) listProjectKeys(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	keys, err := a.Accounts.ProjectKeys(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	keys, marks := pageOf(page.Page, keys, accounts.ProjectKey.ID)
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(keys, viewProjectKey), marks))
}

// projectKey finds the key that the path names.
func (a *API) projectKey(r *http.Request) (accounts.ProjectKey, error) {
	keys, err := a.Accounts.ProjectKeys(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return accounts.ProjectKey{}, err
	}
	at := slices.IndexFunc(keys, func(k accounts.ProjectKey) bool { return k.ID() == r.PathValue("key_id") })
	if at < 0 {
		return accounts.ProjectKey{}, sett.Errorf(sett.NotFound, "Key not found")
	}
	return keys[at], nil
}

func readProjectKey(w http.ResponseWriter, r *http.Request) (accounts.ProjectKeyChange, error) {
	var body projectKeyBody
	return readOwn(w, r, &body, &body.Key, "key", `{"label": "Web shop"}`, ProjectKey{})
}

func (a *API) createProjectKey(w http.ResponseWriter, r *http.Request) error {
	change, err := readProjectKey(w, r)
	if err != nil {
		return err
	}
	wanted, err := change.Apply(accounts.ProjectKey{Scope: accounts.ScopeAll})
	if err != nil {
		return err
	}
	project := pathID(r, "project_id")
	key, err := a.Accounts.AddProjectKey(r.Context(), a.Now(), project, wanted.Scope, wanted.Label)
	if err != nil {
		return err
	}
	keys, err := a.Accounts.ProjectKeys(r.Context(), project)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(keys, func(k accounts.ProjectKey) bool { return k.Key == key })
	if at < 0 {
		return sett.Errorf(sett.NotFound, "Key not found")
	}
	return serve.WriteJSON(w, http.StatusCreated, viewProjectKey(keys[at]))
}

func (a *API) getProjectKey(w http.ResponseWriter, r *http.Request) error {
	k, err := a.projectKey(r)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewProjectKey(k))
}

func (a *API) updateProjectKey(w http.ResponseWriter, r *http.Request) error {
	k, err := a.projectKey(r)
	if err != nil {
		return err
	}
	change, err := readProjectKey(w, r)
	if err == nil {
		err = a.Accounts.ChangeProjectKey(r.Context(), pathID(r, "project_id"), k.Key, change)
		a.Keys.Forget()
	}
	return done(w, http.StatusNoContent, err)
}

func (a *API) deleteProjectKey(w http.ResponseWriter, r *http.Request) error {
	k, err := a.projectKey(r)
	if err == nil {
		err = a.Accounts.RevokeProjectKey(r.Context(), a.Now(), pathID(r, "project_id"), k.Key, 0)
		a.Keys.Forget()
	}
	return done(w, http.StatusNoContent, err)
}
