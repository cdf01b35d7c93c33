package api

import (
	"context"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/accountdb"
)

func (a *API) projectRoutes() []serve.Route {
	const tag = "Projects"
	return []serve.Route{
		{
			Method: "GET", Path: "/v2/projects", Name: "listProjects", Tag: tag, Permission: accounts.SignedIn,
			Query: accountQuery{}, Result: serve.List[Project]{}, Handle: a.listProjects,
			Doc: "List the projects that the user can see, of one account or of all, in order of creation.",
		},
		{
			Method: "POST", Path: "/v2/projects", Name: "createProject", Tag: tag, Permission: accounts.CreateProject,
			Query: accountQuery{}, Body: createProjectBody{}, Result: Project{}, Status: http.StatusCreated, Handle: a.createProject,
			Doc: "Create a project with an API key, in the given account or the first one that allows it.",
		},
		{
			Method: "GET", Path: "/v2/projects/occurrences", Name: "listAllOccurrences", Tag: tag, Permission: accounts.SignedIn,
			Query: projectOccurrencesQuery{}, Result: [][2]int64{}, Handle: a.listAllOccurrences,
			Doc: "Count the notices of all projects that the user can see over time. Each row has a Unix time and a count.",
		},
		{
			Method: "GET", Path: "/v2/projects/{project_id}", Name: "getProject", Tag: tag, Permission: accounts.ReadProject,
			Result: Project{}, Handle: a.getProject,
			Doc: "Get a project.",
		},
		{
			Method: "PUT", Path: "/v2/projects/{project_id}", Name: "updateProject", Tag: tag, Permission: accounts.ManageProject,
			Body: projectBody{}, Status: http.StatusNoContent, Handle: a.updateProject,
			Doc: "Update a project. Only the fields you send change; null resets a field to its default.",
		},
		{
			Method: "DELETE", Path: "/v2/projects/{project_id}", Name: "deleteProject", Tag: tag, Permission: accounts.ManageProject,
			Status: http.StatusNoContent, Handle: a.deleteProject,
			Doc: "Delete a project and everything in it. Its API key is refused from now on.",
		},
		{
			Method: "GET", Path: "/v2/projects/{project_id}/occurrences", Name: "listProjectOccurrences", Tag: tag, Permission: accounts.ReadProject,
			Query: projectOccurrencesQuery{}, Result: [][2]int64{}, Handle: a.listProjectOccurrences,
			Doc: "Count the notices of a project over time. Each row has a Unix time and a count.",
		},
		{
			Method: "GET", Path: "/v2/project_keys/{key}", Name: "getProjectOfKey", Tag: tag, Permission: accounts.SignedIn,
			Result: keyedProjectBody{}, Handle: a.getProjectOfKey,
			Doc: "Get the project of an API key.",
		},
	}
}

// Project is a project as the contract shows one, and the settings that people write.
type Project struct {
	ID                   int64               `json:"id"`
	AccountID            string              `json:"account_id"`
	Name                 string              `json:"name"`
	Active               bool                `json:"active" doc:"If false, the API key is refused."`
	CreatedAt            time.Time           `json:"created_at"`
	EarliestNoticeAt     *time.Time          `json:"earliest_notice_at" doc:"Null if there was never a notice."`
	LastNoticeAt         *time.Time          `json:"last_notice_at" doc:"Last notice of the existing faults; null for none."`
	Environments         []string            `json:"environments"`
	FaultCount           int64               `json:"fault_count"`
	UnresolvedFaultCount int64               `json:"unresolved_fault_count" doc:"Number of unresolved faults, including ignored ones."`
	Token                string              `json:"token" doc:"The API key that clients report with."`
	Owner                *sett.Person        `json:"owner"`
	Sites                []SiteSummary       `json:"sites"`
	Teams                []accounts.TeamName `json:"teams"`
	Users                []sett.Person       `json:"users" doc:"All users who can see the project."`

	ResolveErrorsOnDeploy bool    `json:"resolve_errors_on_deploy"`
	DisablePublicLinks    bool    `json:"disable_public_links"`
	Language              *string `json:"language" enum:"js,elixir,golang,java,node,php,python,ruby,other"`
	UserURL               string  `json:"user_url"`
	SourceURL             string  `json:"source_url"`
	TraceURL              string  `json:"trace_url" doc:"Template of links to traces; empty for none."`
	PurgeDays             int64   `json:"purge_days"`
	UserSearchField       string  `json:"user_search_field"`
}

// SiteSummary is an uptime check as its project shows it.
type SiteSummary struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	URL           string     `json:"url"`
	Active        bool       `json:"active"`
	State         string     `json:"state"`
	LastCheckedAt *time.Time `json:"last_checked_at"`
}

func viewSiteSummary(s accounts.SiteSummary) SiteSummary {
	return SiteSummary{
		ID: s.ID.String(), Name: s.Name, URL: checks.ShownAddress(s.URL), Active: s.Active, State: string(s.State), LastCheckedAt: nullTime(s.LastCheckedAt),
	}
}

func viewProject(p accounts.Project) Project {
	v := Project{
		ID: p.ID, AccountID: p.AccountID, Name: p.Name, Active: p.Active, CreatedAt: p.CreatedAt,
		EarliestNoticeAt: nullTime(p.EarliestNoticeAt), LastNoticeAt: nullTime(p.LastNoticeAt),
		Environments: orEmpty(p.Environments), FaultCount: p.FaultCount, UnresolvedFaultCount: p.UnresolvedCount,
		Token: p.Token, Owner: p.Owner, Sites: viewAll(p.Sites, viewSiteSummary), Teams: orEmpty(p.Teams), Users: orEmpty(p.Users),
		ResolveErrorsOnDeploy: p.ResolveErrorsOnDeploy, DisablePublicLinks: p.DisablePublicLinks, UserURL: p.UserURL,
		SourceURL: p.SourceURL, TraceURL: p.TraceURL, PurgeDays: p.PurgeDays, UserSearchField: p.UserSearchField,
	}
	if p.Language != "" {
		v.Language = &p.Language
	}
	return v
}

// orEmpty returns s, or an empty slice for nil, because clients take the length of an array without looking for null.
func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// accountQuery narrows to one account; an empty value counts as absent, as clients send it (clients.md).
type accountQuery struct {
	AccountID string `query:"account_id" doc:"Id of an account of the user; an empty value is the same as none."`
}

// accountFor returns the account in which the user is about to make something: the one that the query names, or the first
// in which they may.
func (a *API) accountFor(r *http.Request, p accounts.Permission) (string, error) {
	var q accountQuery
	if err := serve.DecodeQuery(r, &q); err != nil {
		return "", err
	}
	return a.Accounts.AccountFor(r.Context(), userID(r), q.AccountID, p)
}

func (a *API) listProjects(w http.ResponseWriter, r *http.Request) error {
	var q accountQuery
	var problems sett.Problems
	serve.ReadQuery(&problems, r, &q)
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	filter := accountdb.ProjectFilter{AccountID: q.AccountID, Page: page.Page}
	projects, marks, err := a.Accounts.ListProjects(r.Context(), userID(r), filter)
	if err != nil {
		return err
	}
	list := serve.NewList(a.BaseURL, r, page, viewAll(projects, viewProject), marks)
	return serve.WriteJSON(w, http.StatusOK, list)
}

// projectBody is the body of a project's update.
type projectBody struct {
	Project sett.Optional[accounts.ProjectChange] `json:"project" required:"true"`
}

// createProjectBody is the body that makes a project.
type createProjectBody struct {
	Project sett.Optional[accounts.ProjectChange] `json:"project" required:"true" needs:"name"`
}

func readProjectChange(w http.ResponseWriter, r *http.Request) (accounts.ProjectChange, error) {
	var body projectBody
	return readInside(w, r, &body, &body.Project, "project", `{"name": "Shop"}`)
}

func (a *API) createProject(w http.ResponseWriter, r *http.Request) error {
	account, err := a.accountFor(r, accounts.CreateProject)
	if err != nil {
		return err
	}
	change, err := readProjectChange(w, r)
	if err != nil {
		return err
	}
	p, err := a.Accounts.CreateProject(r.Context(), a.Now(), userID(r), account, change)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusCreated, viewProject(p))
}

func (a *API) getProject(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Accounts.ProjectByID(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewProject(p))
}

func (a *API) updateProject(w http.ResponseWriter, r *http.Request) error {
	change, err := readProjectChange(w, r)
	if err != nil {
		return err
	}
	if err := a.Accounts.UpdateProject(r.Context(), pathID(r, "project_id"), change); err != nil {
		return err
	}
	a.Keys.Forget() // intake reads the user_search_field with the key
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// deleteProject finishes what it began, whether or not the client waits for it: a large project takes minutes.
func (a *API) deleteProject(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	return done(w, http.StatusNoContent, a.DeleteProject(ctx, pathID(r, "project_id"), a.Keys.Forget))
}

// keyedProjectBody says which project an API key belongs to, as the check-in sync of clients reads it (wire.md §1.6).
type keyedProjectBody struct {
	Project KeyedProject `json:"project"`
	Scope   string       `json:"scope" enum:"all,notices" doc:"What the key can report: everything, or only errors."`
}

// KeyedProject names a project.
type KeyedProject struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
}

func (a *API) getProjectOfKey(w http.ResponseWriter, r *http.Request) error {
	p, scope, err := a.Accounts.ProjectOfKey(r.Context(), userID(r), r.PathValue("key"))
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, keyedProjectBody{KeyedProject{ID: p.ID, Name: p.Name, CreatedAt: p.CreatedAt}, string(scope)})
}
