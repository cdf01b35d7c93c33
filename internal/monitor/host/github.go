package host

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// gitHub is github.com, or a server of GitHub Enterprise (docs.github.com/rest).
type gitHub struct {
	hub
	graph string // address of GraphQL, which alone knows who changed a line
}

// Compare pages through a comparison, whose commits are the oldest first.
func (h gitHub) Compare(ctx context.Context, base, head string) (c repo.Comparison, err error) {
	from, err := h.revision(base)
	if err != nil {
		return c, err
	}
	to, err := h.revision(head)
	if err != nil {
		return c, err
	}
	for page := 1; ; page++ {
		var r struct {
			Status  string
			URL     string `json:"html_url"`
			Total   int    `json:"total_commits"`
			Commits []hubCommit
		}
		query := url.Values{"per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(page)}}
		what := fmt.Sprintf("commits %s and %s", short(base), short(head))
		if _, err := h.read(ctx, ask{path: "/compare/" + from + "..." + to, query: query, what: what}, &r); err != nil {
			return c, err
		}
		c.Order, c.URL = repo.Order(r.Status), r.URL
		if !slices.Contains([]repo.Order{repo.Identical, repo.Ahead, repo.Behind, repo.Diverged}, c.Order) {
			return c, h.strange("an unknown order of commits")
		}
		for _, one := range r.Commits {
			c.Commits = append(c.Commits, one.commit())
		}
		c.Complete = len(c.Commits) >= r.Total
		if c.Complete || len(r.Commits) == 0 || len(c.Commits) >= MostCommits {
			return c, h.sound(c.Commits...)
		}
	}
}

// Commit returns a commit. Its files come in pages.
func (h gitHub) Commit(ctx context.Context, sha string) (c repo.Commit, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return c, err
	}
	var files []hubFile
	for page := 1; ; page++ {
		var r hubCommit
		query := url.Values{"per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(page)}}
		if _, err := h.read(ctx, ask{path: "/commits/" + id, query: query, what: "commit " + short(sha)}, &r); err != nil {
			return c, err
		}
		c = r.commit()
		if files = append(files, r.Files...); len(r.Files) < perPage {
			c.Files = pathsOf(files)
			return c.Bounded(), h.sound(c)
		}
		if len(files) >= MostFiles {
			return c, h.sound(c)
		}
	}
}

const blameQuery = `query($owner:String!,$name:String!,$sha:String!,$path:String!){repository(owner:$owner,name:$name){object(expression:$sha){` +
	`... on Commit{blame(path:$path){ranges{startingLine endingLine commit{oid message committedDate url author{name email}}}}}}}}`

// Blame asks GraphQL, which answers for the whole file.
func (h gitHub) Blame(ctx context.Context, sha, path string, from, to int) (blamed []repo.Blamed, err error) {
	if _, err := h.revision(sha); err != nil {
		return nil, err
	}
	owner, name, _ := strings.Cut(h.label, "/")
	in := map[string]any{"query": blameQuery, "variables": map[string]string{"owner": owner, "name": name, "sha": sha, "path": path}}
	var r struct {
		Data struct {
			Repository *struct {
				Object *struct {
					Blame *struct {
						Ranges []struct {
							StartingLine, EndingLine int
							Commit                   struct {
								OID, Message, URL string
								CommittedDate     time.Time
								Author            struct{ Name, Email string }
							}
						}
					}
				}
			}
		}
		Errors []struct{ Type string }
	}
	what := fmt.Sprintf("file %s in commit %s", path, short(sha))
	header, err := h.read(ctx, ask{method: http.MethodPost, path: h.graph, in: in, what: what}, &r)
	if err != nil {
		return nil, err
	}
	for _, e := range r.Errors {
		switch e.Type {
		case "RATE_LIMITED":
			return nil, h.judge(http.StatusTooManyRequests, header, nil, what)
		case "FORBIDDEN", "INSUFFICIENT_SCOPES":
			return nil, h.judge(http.StatusForbidden, http.Header{}, nil, what)
		}
	}
	if r.Data.Repository == nil || r.Data.Repository.Object == nil || r.Data.Repository.Object.Blame == nil {
		return nil, h.judge(http.StatusNotFound, header, nil, what)
	}
	for _, g := range r.Data.Repository.Object.Blame.Ranges {
		if g.EndingLine < from || g.StartingLine > to {
			continue
		}
		c := g.Commit
		blamed = append(blamed, repo.Blamed{From: g.StartingLine, To: g.EndingLine, Commit: repo.Commit{
			SHA: c.OID, Message: c.Message, Author: c.Author.Name, Email: c.Author.Email, At: c.CommittedDate.UTC(), URL: c.URL,
		}.Bounded()})
	}
	return blamed, nil
}

// File returns the bytes of a file.
func (h gitHub) File(ctx context.Context, sha, path string) ([]byte, error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	file, err := h.inside(path)
	if err != nil {
		return nil, err
	}
	ref, _ := url.PathUnescape(id)
	text, _, err := h.send(ctx, ask{
		path: "/contents/" + file, query: url.Values{"ref": {ref}}, header: http.Header{"Accept": {"application/vnd.github.raw+json"}}, most: MostFile,
		what: fmt.Sprintf("file %s in commit %s", path, short(sha)),
	})
	return text, err
}

// hubTree is a tree, as GitHub and Gitea write it.
type hubTree struct {
	Tree      []struct{ Path, Type string }
	Truncated bool
	Total     int `json:"total_count"` // only Gitea
}

func (t hubTree) files(before []string) []string {
	for _, e := range t.Tree {
		if e.Type == "blob" {
			before = append(before, e.Path)
		}
	}
	return before
}

// Tree returns the files in one answer, which GitHub cuts off at 100,000.
func (h gitHub) Tree(ctx context.Context, sha string) ([]string, bool, error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, false, err
	}
	var t hubTree
	if _, err := h.read(ctx, ask{path: "/git/trees/" + id, query: url.Values{"recursive": {"1"}}, what: "commit " + short(sha)}, &t); err != nil {
		return nil, false, err
	}
	return t.files(nil), !t.Truncated, nil
}

// ChangesOf returns the pull requests with a commit.
func (h gitHub) ChangesOf(ctx context.Context, sha string) (changes []repo.Change, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	var pulls []hubPull
	query := url.Values{"per_page": {strconv.Itoa(perPage)}}
	if _, err := h.read(ctx, ask{path: "/commits/" + id + "/pulls", query: query, what: "commit " + short(sha)}, &pulls); err != nil {
		return nil, err
	}
	for _, p := range pulls {
		changes = append(changes, p.change())
	}
	return changes, nil
}

// Checks asks for both kinds of checks: statuses, which others report, and runs, which apps and Actions have.
func (h gitHub) Checks(ctx context.Context, sha string) (repo.Checks, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.ChecksUnknown, err
	}
	var status struct {
		State string
		Total int `json:"total_count"`
	}
	what := "checks of commit " + short(sha)
	if _, err := h.read(ctx, ask{path: "/commits/" + id + "/status", what: what}, &status); err != nil {
		return repo.ChecksUnknown, err
	}
	var all []repo.Checks
	if status.Total > 0 {
		all = append(all, repo.CheckState(status.State))
	}
	for page := 1; page <= mostPages; page++ {
		var runs struct {
			Runs []struct{ Status, Conclusion string } `json:"check_runs"`
		}
		query := url.Values{"per_page": {strconv.Itoa(perPage)}, "page": {strconv.Itoa(page)}, "filter": {"latest"}}
		if _, err := h.read(ctx, ask{path: "/commits/" + id + "/check-runs", query: query, what: what}, &runs); err != nil {
			return repo.ChecksUnknown, err
		}
		for _, r := range runs.Runs {
			all = append(all, repo.CheckRun(r.Status, r.Conclusion))
		}
		if len(runs.Runs) < perPage {
			return repo.Together(all), nil
		}
	}
	return repo.TogetherOfSome(all), nil
}
