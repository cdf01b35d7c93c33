package api

import (
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/release"
)

const (
	releasesPath = "/v2/projects/{project_id}/releases"
	releasePath  = releasesPath + "/{version}"
)

func (a *API) releaseRoutes() []serve.Route {
	const tag = "Releases"
	return []serve.Route{
		{
			Method: "GET", Path: releasesPath, Name: "listReleases", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Release]{}, PageSize: serve.ShortPage, Handle: a.listReleases,
			Doc: "List the releases of a project, newest first. A release is a version that notices, deploys or sessions name.",
		},
		{
			Method: "GET", Path: releasePath, Name: "getRelease", Tag: tag, Permission: accounts.ReadProject,
			Result: ReleaseDetail{}, Handle: a.getRelease,
			Doc: "Get a release with its commits and newest deploys. Escape the version in the URL, such as shop%401.2.",
		},
	}
}

// Release is a release with its figures.
type Release struct {
	ProjectID           int64          `json:"project_id"`
	Version             string         `json:"version" doc:"What notices and deploys call their revision."`
	CreatedAt           time.Time      `json:"created_at" doc:"When the version was first named."`
	ReleasedAt          *time.Time     `json:"released_at" doc:"When it was released, if a client said so."`
	Ref                 string         `json:"ref"`
	URL                 string         `json:"url"`
	FirstSeenAt         *time.Time     `json:"first_seen_at" doc:"Time of its first notice."`
	LastSeenAt          *time.Time     `json:"last_seen_at" doc:"Time of its last notice."`
	NoticesCount        int64          `json:"notices_count"`
	NewFaultsCount      int64          `json:"new_faults_count" doc:"Faults whose first notice is from the release."`
	ReopenedFaultsCount int64          `json:"reopened_faults_count" doc:"Resolved faults that occurred again in the release."`
	ResolvedFaultsCount int64          `json:"resolved_faults_count" doc:"Faults that its deploys resolved."`
	Sessions            Sessions       `json:"sessions"`
	PreviousVersion     string         `json:"previous_version" doc:"The release that was created before it; empty if there is none."`
	Verdict             ReleaseVerdict `json:"verdict"`
}

// Sessions are sums of sessions of a release.
type Sessions struct {
	Total     int64    `json:"total"`
	Errored   int64    `json:"errored" doc:"Sessions that ended well, after errors."`
	Crashed   int64    `json:"crashed"`
	Abnormal  int64    `json:"abnormal" doc:"Sessions that ended for an unknown reason."`
	CrashFree *float64 `json:"crash_free" doc:"Share of sessions that did not crash, from 0 to 1; null if there are no sessions."`
}

// ReleaseVerdict is how a release compares with the previous one.
type ReleaseVerdict struct {
	State   string   `json:"state" enum:"first,too_early,better,worse,same"`
	Reasons []string `json:"reasons"`
}

// ReleaseDetail is a release with what a list leaves out.
type ReleaseDetail struct {
	Release
	Commits []ReleaseCommit `json:"commits" doc:"Newest first, at most 100."`
	Deploys []Deploy        `json:"deploys" doc:"Newest first, at most 25."`
}

// ReleaseCommit is a commit of a release.
type ReleaseCommit struct {
	ID          string     `json:"id" doc:"Its hash."`
	Message     string     `json:"message" doc:"First line of the message."`
	AuthorName  string     `json:"author_name"`
	AuthorEmail string     `json:"author_email"`
	Timestamp   *time.Time `json:"timestamp"`
}

func viewRelease(r release.Report) Release {
	v := Release{
		ProjectID: r.ProjectID, Version: r.Version, CreatedAt: r.CreatedAt, ReleasedAt: nullTime(r.ReleasedAt), Ref: r.Ref, URL: r.URL,
		FirstSeenAt: nullTime(r.FirstSeenAt), LastSeenAt: nullTime(r.LastSeenAt), NoticesCount: r.Events,
		NewFaultsCount: r.New, ReopenedFaultsCount: r.Reopened, ResolvedFaultsCount: r.Resolved,
		Sessions:        Sessions{Total: r.Sessions.Total, Errored: r.Sessions.Errored, Crashed: r.Sessions.Crashed, Abnormal: r.Sessions.Abnormal},
		PreviousVersion: r.Previous, Verdict: ReleaseVerdict{string(r.Verdict.State), append([]string{}, r.Verdict.Reasons...)},
	}
	if share, ok := r.Sessions.CrashFree(); ok {
		v.Sessions.CrashFree = &share
	}
	return v
}

func viewCommit(c release.Commit) ReleaseCommit {
	return ReleaseCommit{ID: c.SHA, Message: c.Message, AuthorName: c.Author, AuthorEmail: c.Email, Timestamp: nullTime(c.At)}
}

func (a *API) listReleases(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Releases.List(r.Context(), pathID(r, "project_id"), page.Page)
	if err != nil {
		return err
	}
	reports, err := a.Releases.Reports(r.Context(), a.Now(), pathID(r, "project_id"), found)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(reports, viewRelease), marks))
}

// deploysOfRelease is how many deploys of a release are returned.
const deploysOfRelease = 25

func (a *API) getRelease(w http.ResponseWriter, r *http.Request) error {
	project, version := pathID(r, "project_id"), r.PathValue("version")
	found, err := a.Releases.ByVersion(r.Context(), project, version)
	if err != nil {
		return err
	}
	reports, err := a.Releases.Reports(r.Context(), a.Now(), project, []release.Release{found})
	if err != nil {
		return err
	}
	commits, err := a.Releases.Commits(r.Context(), project, version)
	if err != nil {
		return err
	}
	deploys, err := a.Releases.Deploys(r.Context(), project, version, deploysOfRelease)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, ReleaseDetail{viewRelease(reports[0]), viewAll(commits, viewCommit), viewAll(deploys, viewDeploy)})
}
