package fromsentry

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type releaseJSON struct {
	Version  string `json:"version"`
	Ref      string `json:"ref"`
	URL      string `json:"url"`
	Created  string `json:"dateCreated"`
	Released string `json:"dateReleased"`
	Commits  int64  `json:"commitCount"`
	Deploys  int64  `json:"deployCount"`
	Projects []struct {
		Slug string `json:"slug"`
	} `json:"projects"`
}

// of reports whether a release is one of a project. A server may list those of all.
func (r *releaseJSON) of(p move.Project) bool {
	return len(r.Projects) == 0 || slices.ContainsFunc(r.Projects, func(o struct {
		Slug string `json:"slug"`
	},
	) bool {
		return o.Slug == p.Slug
	})
}

// Releases returns a page of the releases of a project, newest first.
func (s *Source) Releases(ctx context.Context, p move.Project, cursor string) (page move.ReleasePage, err error) {
	query := url.Values{"project": {p.ID}, "per_page": {"100"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var rows []releaseJSON
	a, err := s.c.get(ctx, "releases", s.ofOrg("releases"), query, &rows)
	if remote.IsMissing(err) || remote.IsOther(err) {
		return page, nil
	}
	if err != nil {
		return page, err
	}
	page.Next = a.next
	for i := range rows {
		r := &rows[i]
		version, created := move.Line(r.Version, move.MostName), timeOf(r.Created)
		if version == "" || version != r.Version || created.IsZero() || !r.of(p) {
			continue
		}
		page.Releases = append(page.Releases, move.Release{
			Version: version, Ref: move.Line(r.Ref, move.MostName), URL: move.Link(r.URL), Created: created, Released: timeOf(r.Released),
			HasCommits: r.Commits, HasDeploys: r.Deploys,
		})
	}
	return page, nil
}

// mostOfRelease is how many commits and deploys of one release are read.
const mostOfRelease = 100

// Release returns a release of a list with its commits and deploys.
func (s *Source) Release(ctx context.Context, p move.Project, r move.Release) (move.Release, error) {
	path := s.ofOrg("releases/" + url.PathEscape(r.Version))
	repository := ""
	if r.HasCommits > 0 {
		var err error
		if r.Commits, repository, err = s.commits(ctx, path); err != nil {
			return r, err
		}
	}
	if r.HasDeploys == 0 {
		return r, nil
	}
	var rows []struct {
		ID          text   `json:"id"`
		Environment string `json:"environment"`
		Started     string `json:"dateStarted"`
		Finished    string `json:"dateFinished"`
	}
	_, err := s.c.get(ctx, "deploys", path+"/deploys", nil, &rows)
	if err != nil && !remote.IsMissing(err) && !remote.IsOther(err) {
		return r, err
	}
	for _, d := range rows[:min(len(rows), mostOfRelease)] {
		at := timeOf(cmp.Or(d.Finished, d.Started))
		if id := move.Line(string(d.ID), move.MostName); id != "" && !at.IsZero() {
			r.Deploys = append(r.Deploys, move.Deploy{
				ID: p.ID + "/" + id, Environment: move.Line(d.Environment, move.MostName), Revision: r.Version, Repository: repository, At: at,
			})
		}
	}
	return r, nil
}

// commits returns the newest commits of a release, and the address of the repository that they are in.
func (s *Source) commits(ctx context.Context, path string) (commits []move.Commit, repository string, err error) {
	var rows []struct {
		ID      string `json:"id"`
		Message string `json:"message"`
		Created string `json:"dateCreated"`
		Author  struct {
			Name  string `json:"name"`
			Email string `json:"email"`
		} `json:"author"`
		Repository struct {
			URL string `json:"url"`
		} `json:"repository"`
	}
	_, err = s.c.get(ctx, "commits", path+"/commits", url.Values{"per_page": {"100"}}, &rows)
	if remote.IsMissing(err) || remote.IsOther(err) {
		return nil, "", nil
	}
	for _, c := range rows[:min(len(rows), mostOfRelease)] {
		if sha := move.Line(c.ID, move.MostName); sha != "" {
			commits = append(commits, move.Commit{
				SHA: sha, Message: move.Text(c.Message, move.MostMessage), Author: move.Line(c.Author.Name, move.MostName),
				Email: move.Line(c.Author.Email, move.MostName), At: timeOf(c.Created),
			})
			repository = cmp.Or(repository, move.Link(c.Repository.URL))
		}
	}
	return commits, repository, err
}
