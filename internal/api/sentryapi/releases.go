package sentryapi

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/release"
)

// releaseBody creates or changes a release.
type releaseBody struct {
	Version      string                   `json:"version"`
	Projects     []projectName            `json:"projects"`
	Ref          sett.Optional[string]    `json:"ref"`
	URL          sett.Optional[string]    `json:"url"`
	DateReleased sett.Optional[time.Time] `json:"dateReleased"`
	Refs         []refBody                `json:"refs"`
	Commits      *[]commitBody            `json:"commits"` // newest first; nil: they stay as they are
}

// refBody is the commit of a repository that a release was built from.
type refBody struct {
	Commit string `json:"commit"`
}

// commitBody is a commit in a release.
type commitBody struct {
	ID          string    `json:"id"`
	Message     string    `json:"message"`
	AuthorName  string    `json:"author_name"`
	AuthorEmail string    `json:"author_email"`
	Timestamp   time.Time `json:"timestamp"`
}

// releaseAnswer is a release, in all projects of an account that have it.
type releaseAnswer struct {
	Version      string          `json:"version"`
	ShortVersion string          `json:"shortVersion"`
	Ref          *string         `json:"ref"`
	URL          *string         `json:"url"`
	DateCreated  time.Time       `json:"dateCreated"`
	DateReleased *time.Time      `json:"dateReleased"`
	FirstEvent   *time.Time      `json:"firstEvent"`
	LastEvent    *time.Time      `json:"lastEvent"`
	Projects     []projectAnswer `json:"projects"`
}

type projectAnswer struct {
	ID   int64  `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

func viewRelease(version string, of []inProject) releaseAnswer {
	answer := releaseAnswer{Version: version, ShortVersion: shortVersion(version), Projects: []projectAnswer{}}
	for _, in := range of {
		r := in.Release
		answer.Projects = append(answer.Projects, projectAnswer{in.project.ID, slugOf(in.project.Name, strconv.FormatInt(in.project.ID, 10)), in.project.Name})
		if answer.DateCreated.IsZero() || r.CreatedAt.Before(answer.DateCreated) {
			answer.DateCreated = r.CreatedAt
		}
		answer.Ref, answer.URL = cmp.Or(answer.Ref, nullText(r.Ref)), cmp.Or(answer.URL, nullText(r.URL))
		answer.DateReleased = cmp.Or(answer.DateReleased, nullTime(r.ReleasedAt))
		if first := nullTime(r.FirstSeenAt); first != nil && (answer.FirstEvent == nil || first.Before(*answer.FirstEvent)) {
			answer.FirstEvent = first
		}
		if last := nullTime(r.LastSeenAt); last != nil && (answer.LastEvent == nil || last.After(*answer.LastEvent)) {
			answer.LastEvent = last
		}
	}
	return answer
}

// shortVersion returns a version without the name of the program before it: 1.2.3 for shop@1.2.3.
func shortVersion(version string) string { return version[strings.LastIndexByte(version, '@')+1:] }

func nullText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func nullTime(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// inProject is a release in one project.
type inProject struct {
	project accounts.NamedProject
	release.Release
}

// releaseIn returns a release in those projects that have it: of those that a request names, else of all that the caller can use.
func (a *API) releaseIn(r *http.Request, c caller, asked []projectName, version string) (found []inProject, err error) {
	projects, err := a.named(r, c, asked)
	if err == nil && len(projects) == 0 {
		projects, err = a.projectsOf(r, c)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		there, err := a.Releases.ByVersion(r.Context(), p.ID, version)
		if sett.CodeOf(err) == sett.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, inProject{p, there})
	}
	return found, nil
}

func errNoRelease(version string) error {
	return sett.Errorf(sett.NotFound, "Release %.100q not found. Create it first: sentry-cli releases new, with a project.", version)
}

// projectsOfRelease returns the projects that a report about a release is for: those that it names, else that of the API key, else those that have
// the release, else the only one that there is.
func (a *API) projectsOfRelease(r *http.Request, c caller, asked []projectName, version string) ([]accounts.NamedProject, error) {
	projects, err := a.named(r, c, asked)
	if err != nil || len(projects) > 0 {
		return projects, err
	}
	all, err := a.projectsOf(r, c)
	if err != nil || len(all) == 1 {
		return all, err
	}
	found, err := a.releaseIn(r, c, nil, version)
	for _, in := range found {
		projects = append(projects, in.project)
	}
	if err == nil && len(projects) == 0 {
		err = sett.Errorf(sett.NotFound, "No project has the release %.100q. Set SENTRY_PROJECT to the id or name of the project.", version)
	}
	return projects, err
}

// createRelease creates a release, or changes it if it is there.
func (a *API) createRelease(w http.ResponseWriter, r *http.Request, c caller) error {
	var body releaseBody
	if err := serve.DecodeJSON(w, r, &body); err != nil {
		return err
	}
	projects, err := a.named(r, c, body.Projects)
	if err == nil && len(projects) == 0 {
		projects, err = a.projectsOfRelease(r, c, nil, body.Version)
	}
	if err != nil {
		return err
	}
	saved, created, err := a.save(r, projects, body.Version, body)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return serve.WriteJSON(w, status, viewRelease(body.Version, saved))
}

// updateRelease changes a release. That it is released now is no deploy.
func (a *API) updateRelease(w http.ResponseWriter, r *http.Request, c caller) error {
	var body releaseBody
	if err := serve.DecodeJSON(w, r, &body); err != nil {
		return err
	}
	version := r.PathValue("version")
	projects, err := a.named(r, c, body.Projects)
	if err != nil {
		return err
	}
	if len(projects) == 0 {
		there, err := a.releaseIn(r, c, nil, version)
		if err != nil {
			return err
		}
		if len(there) == 0 {
			return errNoRelease(version)
		}
		for _, in := range there {
			projects = append(projects, in.project)
		}
	}
	saved, _, err := a.save(r, projects, version, body)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewRelease(version, saved))
}

// save creates or changes a release in projects.
func (a *API) save(r *http.Request, projects []accounts.NamedProject, version string, body releaseBody) (saved []inProject, created bool, err error) {
	change := release.Change{Version: version, ReleasedAt: unlessNull(body.DateReleased), Ref: unlessNull(body.Ref), URL: unlessNull(body.URL)}
	if len(body.Refs) > 0 && !change.Ref.Sent {
		change.Ref = sett.Some(event.Name(body.Refs[0].Commit))
	}
	for _, p := range projects {
		made, fresh, err := a.Releases.Save(r.Context(), a.Now(), p.ID, change)
		if err == nil && body.Commits != nil {
			err = a.Releases.SetCommits(r.Context(), p.ID, version, commits(*body.Commits))
		}
		if err != nil {
			return nil, false, err
		}
		saved, created = append(saved, inProject{p, made}), created || fresh
	}
	return saved, created, nil
}

// unlessNull returns a value as if it was not sent, if it is null: clients send null for what they do not know.
func unlessNull[T any](o sett.Optional[T]) sett.Optional[T] {
	if o.Null {
		return sett.Optional[T]{}
	}
	return o
}

func commits(sent []commitBody) (all []release.Commit) {
	for _, c := range sent {
		all = append(all, release.Commit{SHA: c.ID, Message: c.Message, Author: c.AuthorName, Email: c.AuthorEmail, At: c.Timestamp.UTC()})
	}
	return all
}

func (a *API) getRelease(w http.ResponseWriter, r *http.Request, c caller) error {
	version := r.PathValue("version")
	found, err := a.releaseIn(r, c, nil, version)
	if err == nil && len(found) == 0 {
		err = errNoRelease(version)
	}
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, viewRelease(version, found))
}

// listedReleases is how many releases of a project are listed, the newest.
const listedReleases = 100

// queried returns the projects that a query names.
func queried(r *http.Request) (names []projectName) {
	for _, name := range r.URL.Query()["project"] {
		names = append(names, projectName(name))
	}
	return names
}

func (a *API) listReleases(w http.ResponseWriter, r *http.Request, c caller) error {
	projects, err := a.named(r, c, queried(r))
	if err == nil && len(projects) == 0 {
		projects, err = a.projectsOf(r, c)
	}
	if err != nil {
		return err
	}
	found := map[string][]inProject{}
	for _, p := range projects[:min(len(projects), mostProjects)] {
		releases, _, err := a.Releases.List(r.Context(), p.ID, sett.Page{Size: listedReleases})
		if err != nil {
			return err
		}
		for _, one := range releases {
			found[one.Version] = append(found[one.Version], inProject{p, one})
		}
	}
	answer := []releaseAnswer{}
	for version, in := range found {
		answer = append(answer, viewRelease(version, in))
	}
	slices.SortFunc(answer, func(a, b releaseAnswer) int {
		return cmp.Or(b.DateCreated.Compare(a.DateCreated), cmp.Compare(a.Version, b.Version))
	})
	return serve.WriteJSON(w, http.StatusOK, answer[:min(len(answer), listedReleases)])
}

// deleteRelease deletes a release from the projects that have it, if the caller may manage all of these.
func (a *API) deleteRelease(w http.ResponseWriter, r *http.Request, c caller) error {
	version := r.PathValue("version")
	found, err := a.releaseIn(r, c, nil, version)
	if err == nil && len(found) == 0 {
		err = errNoRelease(version)
	}
	for _, in := range found {
		if err == nil {
			err = a.mayManage(r, c, in.project.ID)
		}
	}
	for _, in := range found {
		if err == nil {
			err = a.Releases.Delete(r.Context(), in.project.ID, version)
		}
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// mayManage returns a Forbidden error if the caller may not delete what belongs to a project: an API key only reports.
func (a *API) mayManage(r *http.Request, c caller, projectID int64) error {
	if c.key.ProjectID > 0 {
		return sett.Errorf(sett.Forbidden, "An API key cannot delete releases. Use a personal token, which you can create at /me/tokens.")
	}
	scope, err := a.Accounts.ProjectScope(r.Context(), c.User.ID, projectID)
	if err == nil && !scope.May(accounts.ManageProject) {
		err = sett.Errorf(sett.Forbidden, "Your role in this account does not allow this. Ask an admin or owner.")
	}
	return err
}

// previousAnswer is the commit up to which a client has sent commits; without it, clients send those of the last days.
type previousAnswer struct {
	Version    string         `json:"version,omitempty"`
	LastCommit *previousAtSHA `json:"lastCommit,omitempty"`
}

type previousAtSHA struct {
	ID string `json:"id"`
}

// previousRelease returns the newest release before another one that has commits. An empty object says that there is none.
func (a *API) previousRelease(w http.ResponseWriter, r *http.Request, c caller) error {
	version := r.PathValue("version")
	found, err := a.releaseIn(r, c, nil, version)
	if err != nil {
		return err
	}
	var answer previousAnswer
	for _, in := range found {
		if answer, err = a.previous(r, in); err != nil || answer.Version != "" {
			break
		}
	}
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// mostPrevious is how many earlier releases are asked for commits.
const mostPrevious = 20

func (a *API) previous(r *http.Request, in inProject) (answer previousAnswer, err error) {
	all, _, err := a.Releases.List(r.Context(), in.project.ID, sett.Page{Size: listedReleases})
	asked := 0
	for _, earlier := range all {
		if err != nil || asked == mostPrevious {
			break
		}
		if earlier.Version == in.Version || earlier.CreatedAt.After(in.CreatedAt) {
			continue
		}
		asked++
		commits, err := a.Releases.Commits(r.Context(), in.project.ID, earlier.Version)
		if err != nil {
			return answer, err
		}
		if len(commits) > 0 {
			return previousAnswer{earlier.Version, &previousAtSHA{commits[0].SHA}}, nil
		}
	}
	return answer, err
}
