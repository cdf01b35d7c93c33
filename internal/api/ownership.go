package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/owner"
	"sett/internal/sett/repo"
)

const ownershipPath = "/v2/projects/{project_id}/ownership"

func (a *API) ownershipRoutes() []serve.Route {
	const tag = "Ownership"
	return []serve.Route{
		{
			Method: "GET", Path: ownershipPath, Name: "getOwnership", Tag: tag, Permission: accounts.ReadProject,
			Result: ownershipResult{}, Handle: a.getOwnership,
			Doc: "Get the rules that say who owns the errors of a project, and the CODEOWNERS files that decide where no rule matches.",
		},
		{
			Method: "PUT", Path: ownershipPath, Name: "updateOwnership", Tag: tag, Permission: accounts.ManageProject,
			Body: ownershipBody{}, Status: http.StatusNoContent, Handle: a.updateOwnership,
			Doc: "Update these rules. Only the fields you send change; null resets a field. A rule assigns new errors if it names one user and no team.",
		},
	}
}

// ownershipResult is the body of a response with ownership rules.
type ownershipResult struct {
	Ownership Ownership `json:"ownership"`
}

// Ownership says who owns the errors of a project.
type Ownership struct {
	Rules      string   `json:"rules" doc:"One rule per line, as in a CODEOWNERS file. The last rule that matches decides."`
	OnlyOwners bool     `json:"notify_only_owners" doc:"Whether users receive personal notifications of new and reopened errors only if they own them. Errors without an owner are for everyone."`
	Unknown    []string `json:"unknown_owners" doc:"Owners in the rules that are neither a user who can see the project nor a team of the account."`

	Files []OwnersFile `json:"codeowners" doc:"The CODEOWNERS files of the project's repositories, which decide where no rule matches. Read-only."`
}

// OwnersFile is the CODEOWNERS file of a repository, as sett read it.
type OwnersFile struct {
	RepositoryID int64           `json:"repository_id"`
	URL          string          `json:"url" doc:"Address of the repository."`
	State        owner.FileState `json:"state" enum:"in_force,overruled,none,failed,no_token,unread" doc:"in_force: it decides where no rule matches. overruled: a rule * decides about all. none: the repository has no such file. failed: the host gave no answer. no_token: sett cannot ask the host. unread: sett will ask soon."`
	AskedAt      *time.Time      `json:"asked_at" doc:"When sett asked the host last; null if never."`
	Problem      *string         `json:"problem" doc:"Why the host gave no answer last time; null if it did. A file that was read before stays in force."`
	Rules        int64           `json:"rules_count"`
	Mistakes     []string        `json:"mistakes" doc:"What is wrong with lines of the file, which are left out; at most 20."`
	Unknown      []string        `json:"unknown_owners" doc:"Owners in the file that are neither a user who can see the project nor a team of the account; at most 100."`
}

// mostUnknownOwners is how many unknown owners of a file are named: a large organization has thousands.
const mostUnknownOwners = 100

func viewOwnersFile(at repo.Repository, ruling owner.Ruling, d owner.Directory) OwnersFile {
	f := OwnersFile{
		RepositoryID: at.ID, URL: at.URL, State: ruling.StateOf(at), AskedAt: nullTime(at.AskedAt), Problem: nullText(at.Problem),
		Mistakes: []string{}, Unknown: []string{},
	}
	for _, read := range ruling.Files() {
		if read.Repository.ID == at.ID {
			unknown := d.Resolve(read.Rules.Names()).Unknown
			f.Rules, f.Mistakes, f.Unknown = int64(read.Rules.Size()), orEmpty(read.Problems), orEmpty(unknown[:min(len(unknown), mostUnknownOwners)])
		}
	}
	return f
}

func (a *API) getOwnership(w http.ResponseWriter, r *http.Request) error {
	project := pathID(r, "project_id")
	s, err := a.Accounts.Ownership(r.Context(), project)
	if err != nil {
		return err
	}
	directory, err := a.Accounts.ProjectOwners(r.Context(), project)
	if err != nil {
		return err
	}
	repositories, err := a.Repos.List(r.Context(), project)
	if err != nil {
		return err
	}
	ruling, files := s.With(repositories), []OwnersFile{}
	for _, at := range repositories {
		files = append(files, viewOwnersFile(at, ruling, directory))
	}
	return serve.WriteJSON(w, http.StatusOK, ownershipResult{Ownership{s.Rules, s.OnlyOwners, append([]string{}, directory.Resolve(s.Parsed().Names()).Unknown...), files}})
}

// ownershipBody is the body of an update.
type ownershipBody struct {
	Ownership sett.Optional[owner.OwnershipChange] `json:"ownership" required:"true"`
}

func (a *API) updateOwnership(w http.ResponseWriter, r *http.Request) error {
	var body ownershipBody
	change, err := readOwn(w, r, &body, &body.Ownership, "ownership", `{"rules": "/app/payments/ ines@example.org"}`, Ownership{})
	if err != nil {
		return err
	}
	if err := a.Accounts.UpdateOwnership(r.Context(), pathID(r, "project_id"), change); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
