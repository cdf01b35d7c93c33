package host

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett/repo"
)

// gitea is a server of Gitea or Forgejo (its /api/swagger). It has no address that says who changed a line: see traced.
type gitea struct{ hub }

// commits pages through commits, the newest first. Gitea has 50 on a page.
func (h gitea) commits(ctx context.Context, query url.Values, most int, what string) (commits []repo.Commit, complete bool, err error) {
	query.Set("limit", strconv.Itoa(min(most, 50)))
	for _, name := range []string{"stat", "verification", "files"} {
		query.Set(name, "false")
	}
	for page := 1; len(commits) < most; page++ {
		query.Set("page", strconv.Itoa(page))
		var all []hubCommit
		header, err := h.read(ctx, ask{path: "/commits", query: query, what: what}, &all)
		if err != nil {
			return nil, false, err
		}
		for _, c := range all {
			commits = append(commits, c.commit())
		}
		if err := h.sound(commits...); err != nil {
			return nil, false, err
		}
		total, err := strconv.Atoi(header.Get("X-Total-Count"))
		if len(all) == 0 || err == nil && len(commits) >= total {
			return commits, true, nil
		}
	}
	return commits, false, nil
}

// known asks whether there is a commit, where Gitea answers with an internal error if there is none.
func (h gitea) known(ctx context.Context, sha string) error {
	id, err := h.revision(sha)
	if err != nil {
		return err
	}
	query := url.Values{"stat": {"false"}, "verification": {"false"}, "files": {"false"}}
	_, _, err = h.send(ctx, ask{path: "/git/commits/" + id, query: query, what: "commit " + short(sha)})
	return err
}

// Compare asks for what each of the two has and the other has not.
func (h gitea) Compare(ctx context.Context, base, head string) (c repo.Comparison, err error) {
	for _, sha := range []string{base, head} {
		if err := h.known(ctx, sha); err != nil {
			return c, err
		}
	}
	what := fmt.Sprintf("commits %s and %s", short(base), short(head))
	c.Commits, c.Complete, err = h.commits(ctx, url.Values{"sha": {head}, "not": {base}}, MostCommits, what)
	if err != nil {
		return c, err
	}
	behind, _, err := h.commits(ctx, url.Values{"sha": {base}, "not": {head}}, 1, what)
	if err != nil {
		return c, err
	}
	switch ahead := len(c.Commits) > 0; {
	case ahead && len(behind) > 0:
		c.Order = repo.Diverged
	case ahead:
		c.Order = repo.Ahead
	case len(behind) > 0:
		c.Order = repo.Behind
	default:
		c.Order = repo.Identical
	}
	slices.Reverse(c.Commits)
	if len(c.Commits) > 0 {
		at, _, _ := strings.Cut(c.Commits[0].URL, "/commit/")
		c.URL = at + "/compare/" + base + "..." + head
	}
	return c, nil
}

// Commit returns a commit with its files.
func (h gitea) Commit(ctx context.Context, sha string) (repo.Commit, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.Commit{}, err
	}
	var r hubCommit
	query := url.Values{"stat": {"false"}, "verification": {"false"}, "files": {"true"}}
	if _, err := h.read(ctx, ask{path: "/git/commits/" + id, query: query, what: "commit " + short(sha)}, &r); err != nil {
		return repo.Commit{}, err
	}
	c := r.commit()
	c.Files = pathsOf(r.Files)
	return c.Bounded(), h.sound(c)
}

// Blame follows the lines through the history of the file.
func (h gitea) Blame(ctx context.Context, sha, path string, from, to int) ([]repo.Blamed, error) {
	if err := h.known(ctx, sha); err != nil {
		return nil, err
	}
	history, complete, err := h.commits(ctx, url.Values{"sha": {sha}, "path": {path}}, mostTraced, fmt.Sprintf("file %s in commit %s", path, short(sha)))
	if err != nil {
		return nil, err
	}
	return traced(ctx, h, history, complete, sha, path, from, to)
}

// File returns the bytes of a file.
func (h gitea) File(ctx context.Context, sha, path string) ([]byte, error) {
	if _, err := h.revision(sha); err != nil {
		return nil, err
	}
	file, err := h.inside(path)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("file %s in commit %s", path, short(sha))
	text, _, err := h.send(ctx, ask{path: "/raw/" + file, query: url.Values{"ref": {sha}}, most: MostFile, what: what})
	return text, err
}

// Tree pages through the files. Gitea has 1,000 on a page.
func (h gitea) Tree(ctx context.Context, sha string) (paths []string, complete bool, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, false, err
	}
	seen := 0
	for page := 1; len(paths) < MostPaths; page++ {
		var t hubTree
		query := url.Values{"recursive": {"true"}, "per_page": {"1000"}, "page": {strconv.Itoa(page)}}
		if _, err := h.read(ctx, ask{path: "/git/trees/" + id, query: query, what: "commit " + short(sha)}, &t); err != nil {
			return nil, false, err
		}
		paths = t.files(paths)
		if seen += len(t.Tree); len(t.Tree) == 0 || seen >= t.Total {
			return paths, seen >= t.Total, nil
		}
	}
	return paths, false, nil
}

// ChangesOf returns the pull request that brought a commit: Gitea knows only that of the merge.
func (h gitea) ChangesOf(ctx context.Context, sha string) ([]repo.Change, error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	var p hubPull
	_, err = h.read(ctx, ask{path: "/commits/" + id + "/pull", what: "commit " + short(sha)}, &p)
	if KindOf(err) == NotFound { // Gitea says the same of a commit without one
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []repo.Change{p.change()}, nil
}

// Checks returns the result of all statuses.
func (h gitea) Checks(ctx context.Context, sha string) (repo.Checks, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.ChecksUnknown, err
	}
	var status struct {
		State string
		Total int `json:"total_count"`
	}
	_, err = h.read(ctx, ask{method: http.MethodGet, path: "/commits/" + id + "/status", what: "checks of commit " + short(sha)}, &status)
	if err != nil || status.Total == 0 {
		return repo.ChecksUnknown, err
	}
	return repo.CheckState(status.State), nil
}
