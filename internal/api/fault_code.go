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
	codeChangesPath = faultPath + "/changes"
	codeChangePath  = codeChangesPath + "/{repository_id}/{change_number}"
	suspectPath     = faultPath + "/suspect_commit"
)

func (a *API) faultCodeRoutes() []serve.Route {
	const tag = "Faults"
	return []serve.Route{
		{
			Method: "GET", Path: codeChangesPath, Name: "listFaultCodeChanges", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[CodeChange]{}, Handle: a.listCodeChanges,
			Doc: "List the pull or merge requests and commits that are about a fault, the latest first. One whose state is open or draft says that people work on it.",
		},
		{
			Method: "POST", Path: codeChangesPath, Name: "linkFaultCodeChange", Tag: tag, Permission: accounts.WorkFaults,
			Body: codeChangeBody{}, Status: http.StatusNoContent, Handle: a.linkCodeChange,
			Doc: "Link a fault with the pull or merge request that fixes it. A deploy that contains it resolves the fault.",
		},
		{
			Method: "DELETE", Path: codeChangePath, Name: "unlinkFaultCodeChange", Tag: tag, Permission: accounts.WorkFaults,
			Status: http.StatusNoContent, Handle: a.unlinkCodeChange,
			Doc: "End the link of a fault with a pull or merge request.",
		},
		{
			Method: "GET", Path: suspectPath, Name: "getFaultSuspectCommit", Tag: tag, Permission: accounts.ReadProject,
			Result: SuspectCommit{}, Handle: a.getSuspect,
			Doc: "Get the commit that a fault most likely came from, or why none is known. 404 if none was looked for, because the project has no repository.",
		},
	}
}

// CodeChange is a pull or merge request, or a commit, that is about a fault.
type CodeChange struct {
	RepositoryID int64      `json:"repository_id"`
	Number       *int64     `json:"number" doc:"Number of the pull or merge request; null for a commit."`
	SHA          *string    `json:"sha" doc:"Id of the commit; null for a pull or merge request."`
	Title        string     `json:"title"`
	URL          string     `json:"url"`
	Author       string     `json:"author"`
	Branch       string     `json:"branch"`
	State        string     `json:"state" enum:"open,draft,merged,closed,pushed,unknown" doc:"Pushed: a commit without a pull or merge request. Unknown: its host was not asked yet."`
	Checks       *string    `json:"checks" enum:"running,passed,failed" doc:"Result of the checks of its newest commit; null if it is not known."`
	Fixes        bool       `json:"fixes" doc:"Whether it says that it fixes the fault, or only names it."`
	Standing     string     `json:"standing" doc:"Where it stands, in words."`
	DeployedIn   *string    `json:"deployed_in" doc:"Revision whose deploy contains it and resolved the fault; null before."`
	RevertedBy   *string    `json:"reverted_by" doc:"Commit that took it back; null if none did."`
	CreatedAt    time.Time  `json:"created_at" doc:"When it was linked."`
	MergedAt     *time.Time `json:"merged_at"`
}

func viewCodeChange(f repo.Fix) CodeChange {
	v := CodeChange{
		RepositoryID: f.RepositoryID, Title: f.Title, URL: f.URL, Author: f.Author, Branch: f.Branch, State: "pushed", Fixes: f.Fixes, Standing: f.Standing(),
		DeployedIn: nullText(f.Release), RevertedBy: nullText(f.RevertedBy), CreatedAt: f.CreatedAt,
	}
	if f.Number == 0 {
		v.SHA = &f.SHA
		return v
	}
	v.Number, v.State = &f.Number, "unknown"
	if c := f.Change; c != nil {
		v.Branch, v.State, v.Checks, v.MergedAt = c.Branch, string(c.State), nullText(string(c.Checks)), nullTime(c.MergedAt)
		if c.Draft && c.State == repo.Open {
			v.State = "draft"
		}
	}
	return v
}

func (a *API) listCodeChanges(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	project, fault := pathID(r, "project_id"), pathID(r, "fault_id")
	if _, err := a.Faults.FaultByID(r.Context(), project, fault); err != nil {
		return err
	}
	all, err := a.Repos.FixesOf(r.Context(), project, fault)
	if err != nil {
		return err
	}
	found, marks := pageOf(page.Page, all, func(f repo.Fix) string { return fmt.Sprint(f.RepositoryID, f.Number, f.SHA) })
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, viewCodeChange), marks))
}

// codeChangeBody says which change is meant.
type codeChangeBody struct {
	URL sett.Optional[string] `json:"url" required:"true" doc:"Address of the pull or merge request, in a repository of the project."`
}

func (a *API) linkCodeChange(w http.ResponseWriter, r *http.Request) error {
	var body codeChangeBody
	if err := decodeOwn(w, r, &body); err != nil {
		return err
	}
	var problems sett.Problems
	sett.CheckSent(&problems, "url", body.URL, "the address of a pull or merge request")
	if err := problems.Refusal(); err != nil {
		return err
	}
	all, err := a.Repos.List(r.Context(), pathID(r, "project_id"))
	if err != nil {
		return err
	}
	of, number, err := repo.ChangeAt(all, body.URL.Value)
	if err != nil {
		return err
	}
	return done(w, http.StatusNoContent, a.Repos.LinkChange(r.Context(), a.Now(), of, pathID(r, "fault_id"), number))
}

func (a *API) unlinkCodeChange(w http.ResponseWriter, r *http.Request) error {
	err := a.Repos.UnlinkChange(r.Context(), pathID(r, "project_id"), pathID(r, "fault_id"), pathID(r, "repository_id"), pathID(r, "change_number"))
	return done(w, http.StatusNoContent, err)
}

// SuspectCommit is the commit that a fault most likely came from.
type SuspectCommit struct {
	Outcome      repo.Outcome `json:"outcome" enum:"found,none,unknown" doc:"None: no commit fits. Unknown: something could not be read."`
	Why          string       `json:"why" doc:"Why it is this commit, or why none is known."`
	Revision     string       `json:"revision" doc:"Revision of the code that was looked at."`
	FoundAt      time.Time    `json:"found_at"`
	RepositoryID *int64       `json:"repository_id" doc:"Null, like the fields below, unless a commit was found."`
	SHA          *string      `json:"sha"`
	Message      *string      `json:"message" doc:"Its first line."`
	Author       *string      `json:"author"`
	URL          *string      `json:"url"`
	CommittedAt  *time.Time   `json:"committed_at"`
	ChangeNumber *int64       `json:"change_number" doc:"Number of the pull or merge request that brought it; null if it is not known."`
}

func (a *API) getSuspect(w http.ResponseWriter, r *http.Request) error {
	project, fault := pathID(r, "project_id"), pathID(r, "fault_id")
	if _, err := a.Faults.FaultByID(r.Context(), project, fault); err != nil {
		return err
	}
	f, err := a.Repos.SuspectOf(r.Context(), project, fault)
	if err != nil {
		return err
	}
	if f == nil {
		return sett.Errorf(sett.NotFound, "Suspect commit not found: none was looked for. The project needs a repository, and the error an event since then.")
	}
	v := SuspectCommit{Outcome: f.Outcome, Why: f.Why, Revision: f.Revision, FoundAt: f.FoundAt}
	if c := f.Commit; f.Outcome == repo.Found {
		v.RepositoryID, v.SHA, v.Message, v.Author, v.URL, v.CommittedAt = &f.RepositoryID, &c.SHA, &c.Message, &c.Author, &c.URL, nullTime(c.At)
		if f.Change > 0 {
			v.ChangeNumber = &f.Change
		}
	}
	return serve.WriteJSON(w, http.StatusOK, v)
}
