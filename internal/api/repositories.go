package api

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/repo"
)

const (
	repositoriesPath = "/v2/projects/{project_id}/repositories"
	repositoryPath   = repositoriesPath + "/{repository_id}"
)

func (a *API) repositoryRoutes() []serve.Route {
	const tag = "Repositories"
	return []serve.Route{
		{
			Method: "GET", Path: repositoriesPath, Name: "listRepositories", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Repository]{}, Handle: a.listRepositories,
			Doc: "List the repositories of a project, in order of creation.",
		},
		{
			Method: "POST", Path: repositoriesPath, Name: "createRepository", Tag: tag, Permission: accounts.ManageProject,
			Body: repositoryBody{}, Result: CreatedRepository{}, Status: http.StatusCreated, Handle: a.createRepository,
			Doc: "Add a repository to a project. The response has the address and the secret of its webhook.",
		},
		{
			Method: "GET", Path: repositoryPath, Name: "getRepository", Tag: tag, Permission: accounts.ReadProject,
			Result: Repository{}, Handle: a.getRepository,
			Doc: "Get a repository.",
		},
		{
			Method: "PUT", Path: repositoryPath, Name: "updateRepository", Tag: tag, Permission: accounts.ManageProject,
			Body: repositoryBody{}, Status: http.StatusNoContent, Handle: a.updateRepository,
			Doc: "Change a repository. Fields that are not sent stay as they are.",
		},
		{
			Method: "DELETE", Path: repositoryPath, Name: "deleteRepository", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteRepository,
			Doc: "Remove a repository from a project, with the changes and commits that are known of it. Errors stay as they are.",
		},
	}
}

// Repository is a repository as clients read one, without its token and secret.
type Repository struct {
	ID            int64      `json:"id"`
	ProjectID     int64      `json:"project_id"`
	Host          repo.Host  `json:"host" enum:"github,gitlab,gitea,bitbucket"`
	URL           string     `json:"url"`
	Path          string     `json:"path" doc:"Folder of the program; empty for the whole repository."`
	DefaultBranch *string    `json:"default_branch" doc:"Null until a webhook or the host names it."`
	HasToken      bool       `json:"has_token"`
	Comments      bool       `json:"comments" doc:"Whether sett comments on changes."`
	WebhookURL    string     `json:"webhook_url" doc:"Address to which the host sends its webhook."`
	HeardAt       *time.Time `json:"heard_at" doc:"When the last webhook came; null if none came."`
	AskedAt       *time.Time `json:"asked_at" doc:"When sett asked the host last; null if never."`
	Problem       *string    `json:"problem" doc:"Why the host gave no answer last time; null if it did."`
	CreatedAt     time.Time  `json:"created_at"`
}

// CreatedRepository is a repository that was just added.
type CreatedRepository struct {
	Repository
	WebhookSecret string `json:"webhook_secret" doc:"Secret that the host signs its webhooks with."`
}

func (a *API) viewRepository(r repo.Repository) Repository {
	return Repository{
		ID: r.ID, ProjectID: r.ProjectID, Host: r.Host, URL: r.URL, Path: r.Path, DefaultBranch: nullText(r.DefaultBranch), HasToken: r.Token != "",
		Comments: r.Comments, WebhookURL: r.WebhookURL(a.ReportURL), HeardAt: nullTime(r.HeardAt), AskedAt: nullTime(r.AskedAt), Problem: nullText(r.Problem),
		CreatedAt: r.CreatedAt,
	}
}

// repositoryBody is the body that adds or changes a repository.
type repositoryBody struct {
	Repository sett.Optional[repo.RepositoryChange] `json:"repository" required:"true"`
}

func (a *API) readRepository(w http.ResponseWriter, r *http.Request) (repo.RepositoryChange, error) {
	var body repositoryBody
	return readOwn(w, r, &body, &body.Repository, "repository", `{"url": "https://github.com/acme/shop"}`, Repository{})
}

func (a *API) listRepositories(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	all, err := a.Repos.List(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	found, marks := pageOf(page.Page, all, func(r repo.Repository) string { return fmt.Sprint(r.ID) })
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, a.viewRepository), marks))
}

func (a *API) getRepository(w http.ResponseWriter, r *http.Request) error {
	found, err := a.Repos.ByID(r.Context(), pathID(r, "project_id"), pathID(r, "repository_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, a.viewRepository(found))
}

func (a *API) createRepository(w http.ResponseWriter, r *http.Request) error {
	settings, err := a.readRepository(w, r)
	if err != nil {
		return err
	}
	made, err := a.Repos.Create(r.Context(), a.Now(), pathID(r, "project_id"), settings)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, CreatedRepository{a.viewRepository(made), made.Secret})
}

func (a *API) updateRepository(w http.ResponseWriter, r *http.Request) error {
	settings, err := a.readRepository(w, r)
	if err != nil {
		return err
	}
	_, err = a.Repos.Update(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "repository_id"), settings)
	return done(w, http.StatusNoContent, err)
}

func (a *API) deleteRepository(w http.ResponseWriter, r *http.Request) error {
	return done(w, http.StatusNoContent, a.Repos.Delete(r.Context(), pathID(r, "project_id"), pathID(r, "repository_id")))
}
