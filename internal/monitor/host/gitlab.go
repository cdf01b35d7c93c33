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

// gitLab is gitlab.com or a server of one's own (docs.gitlab.com/api/rest).
type gitLab struct{ api }

type labCommit struct {
	ID      string
	Message string
	Author  string    `json:"author_name"`
	Email   string    `json:"author_email"`
	At      time.Time `json:"committed_date"`
	URL     string    `json:"web_url"`
}

func (c labCommit) commit() repo.Commit {
	return repo.Commit{SHA: c.ID, Message: c.Message, Author: c.Author, Email: c.Email, At: c.At.UTC(), URL: c.URL}.Bounded()
}

// pages calls one for each page of a list until it says that it has enough, or there is none left, which complete says.
func (h gitLab) pages(ctx context.Context, q ask, most int, one func(page ask) (n int, header http.Header, err error)) (complete bool, err error) {
	if q.query == nil {
		q.query = url.Values{}
	}
	q.query.Set("per_page", strconv.Itoa(perPage))
	for page, got := 1, 0; got < most; page++ {
		q.query.Set("page", strconv.Itoa(page))
		n, header, err := one(q)
		if err != nil {
			return false, err
		}
		if next, said := header["X-Next-Page"]; n < perPage || said && next[0] == "" {
			return true, nil
		}
		got += n
	}
	return false, nil
}

// Check tries whether the token can read the project, and a commit in it.
func (h gitLab) Check(ctx context.Context) (string, error) {
	var p struct {
		Branch string `json:"default_branch"`
		Empty  bool   `json:"empty_repo"`
	}
	if _, err := h.read(ctx, ask{}, &p); err != nil {
		return "", err
	}
	if p.Empty {
		return p.Branch, nil
	}
	if p.Branch == "" { // a token that may read the project only
		const text = "The token may not read the code of %s at GitLab. Give it the scope read_api and the role Reporter."
		return "", &Error{Kind: Refused, text: fmt.Sprintf(text, h.label)}
	}
	var commits []labCommit
	_, err := h.read(ctx, ask{path: "/repository/commits", query: url.Values{"per_page": {"1"}}, what: "commits"}, &commits)
	return p.Branch, err
}

// Compare asks for the commits of a range, and for the newest commit that both have.
func (h gitLab) Compare(ctx context.Context, base, head string) (c repo.Comparison, err error) {
	for _, sha := range []string{base, head} {
		if _, err := h.revision(sha); err != nil {
			return c, err
		}
	}
	what := fmt.Sprintf("commits %s and %s", short(base), short(head))
	ends := [2]labCommit{}
	for i, sha := range []string{base, head} {
		if _, err := h.read(ctx, ask{path: "/repository/commits/" + url.PathEscape(sha), what: "commit " + short(sha)}, &ends[i]); err != nil {
			return c, err
		}
	}
	var common labCommit
	_, err = h.read(ctx, ask{path: "/repository/merge_base", query: url.Values{"refs[]": {base, head}}, what: what}, &common)
	if err != nil && KindOf(err) != NotFound { // no history in common
		return c, err
	}
	switch {
	case ends[0].ID == ends[1].ID:
		c.Order = repo.Identical
	case common.ID == ends[0].ID:
		c.Order = repo.Ahead
	case common.ID == ends[1].ID:
		c.Order = repo.Behind
	default:
		c.Order = repo.Diverged
	}
	at, _, _ := strings.Cut(ends[1].URL, "/-/commit/")
	c.URL = at + "/-/compare/" + base + "..." + head
	q := ask{path: "/repository/commits", query: url.Values{"ref_name": {base + ".." + head}}, what: what}
	c.Complete, err = h.pages(ctx, q, MostCommits, func(page ask) (int, http.Header, error) {
		var commits []labCommit
		header, err := h.read(ctx, page, &commits)
		for _, one := range commits {
			c.Commits = append(c.Commits, one.commit())
		}
		return len(commits), header, err
	})
	slices.Reverse(c.Commits)
	if err == nil {
		err = h.sound(c.Commits...)
	}
	return c, err
}

// Commit returns a commit with the files of its difference.
func (h gitLab) Commit(ctx context.Context, sha string) (repo.Commit, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.Commit{}, err
	}
	var one labCommit
	what := "commit " + short(sha)
	if _, err := h.read(ctx, ask{path: "/repository/commits/" + id, what: what}, &one); err != nil {
		return repo.Commit{}, err
	}
	c, files := one.commit(), []string{}
	if err := h.sound(c); err != nil {
		return c, err
	}
	complete, err := h.pages(ctx, ask{path: "/repository/commits/" + id + "/diff", what: what}, MostFiles, func(page ask) (int, http.Header, error) {
		var diffs []struct {
			New string `json:"new_path"`
			Old string `json:"old_path"`
		}
		header, err := h.read(ctx, page, &diffs)
		for _, d := range diffs {
			if files = append(files, d.New); d.Old != d.New {
				files = append(files, d.Old)
			}
		}
		return len(diffs), header, err
	})
	if complete {
		c.Files = files
	}
	return c.Bounded(), err
}

// Blame returns runs of lines, in order.
func (h gitLab) Blame(ctx context.Context, sha, path string, from, to int) (blamed []repo.Blamed, err error) {
	file, err := h.file(sha, path)
	if err != nil {
		return nil, err
	}
	query := url.Values{"ref": {sha}, "range[start]": {strconv.Itoa(from)}, "range[end]": {strconv.Itoa(to)}}
	var runs []struct {
		Commit labCommit
		Lines  []string
	}
	what := fmt.Sprintf("file %s in commit %s", path, short(sha))
	if _, err := h.read(ctx, ask{path: file + "/blame", query: query, what: what}, &runs); err != nil {
		return nil, err
	}
	at := from
	for _, r := range runs {
		blamed = append(blamed, repo.Blamed{From: at, To: at + len(r.Lines) - 1, Commit: r.Commit.commit()})
		at += len(r.Lines)
	}
	return blamed, nil
}

// file returns the path of a file in the API, where all of it is one part.
func (h gitLab) file(sha, path string) (string, error) {
	if _, err := h.revision(sha); err != nil {
		return "", err
	}
	if _, err := h.inside(path); err != nil {
		return "", err
	}
	return "/repository/files/" + url.PathEscape(strings.TrimPrefix(path, "/")), nil
}

// File returns the bytes of a file.
func (h gitLab) File(ctx context.Context, sha, path string) ([]byte, error) {
	file, err := h.file(sha, path)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("file %s in commit %s", path, short(sha))
	text, _, err := h.send(ctx, ask{path: file + "/raw", query: url.Values{"ref": {sha}}, most: MostFile, what: what})
	return text, err
}

// mostLabPaths bounds trees of GitLab, of which each page has 100 paths.
const mostLabPaths = 20_000

// Tree pages through the files.
func (h gitLab) Tree(ctx context.Context, sha string) (paths []string, complete bool, err error) {
	if _, err := h.revision(sha); err != nil {
		return nil, false, err
	}
	q := ask{path: "/repository/tree", query: url.Values{"ref": {sha}, "recursive": {"true"}}, what: "commit " + short(sha)}
	complete, err = h.pages(ctx, q, mostLabPaths, func(page ask) (int, http.Header, error) {
		var entries []struct{ Path, Type string }
		header, err := h.read(ctx, page, &entries)
		for _, e := range entries {
			if e.Type == "blob" {
				paths = append(paths, e.Path)
			}
		}
		return len(entries), header, err
	})
	return paths, complete, err
}

type labChange struct {
	IID         int64
	Title       string
	Description string
	URL         string `json:"web_url"`
	State       string
	Draft       bool
	Source      string `json:"source_branch"`
	Target      string `json:"target_branch"`
	SourceID    int64  `json:"source_project_id"`
	TargetID    int64  `json:"target_project_id"`
	SHA         string
	MergeSHA    string `json:"merge_commit_sha"`
	SquashSHA   string `json:"squash_commit_sha"`
	Author      struct{ Username string }
	Updated     time.Time  `json:"updated_at"`
	MergedAt    *time.Time `json:"merged_at"`
}

func (m labChange) change() repo.Change {
	c := repo.Change{
		Number: m.IID, Title: m.Title, Body: m.Description, URL: m.URL, State: repo.Open, Draft: m.Draft, Branch: m.Source, Target: m.Target,
		FromFork: m.SourceID != m.TargetID, HeadSHA: m.SHA, Author: m.Author.Username, UpdatedAt: m.Updated.UTC(),
	}
	switch m.State {
	case "closed":
		c.State = repo.Closed
	case "merged":
		c.State, c.MergedAt = repo.Merged, m.Updated.UTC()
		if m.MergedAt != nil {
			c.MergedAt = m.MergedAt.UTC()
		}
		for _, id := range []string{m.MergeSHA, m.SquashSHA, m.SHA} { // without a merge commit: the squashed one, or the branch itself
			if c.MergeSHA = id; id != "" {
				break
			}
		}
	}
	return c.Bounded()
}

// Change returns a merge request.
func (h gitLab) Change(ctx context.Context, number int64) (repo.Change, error) {
	var m labChange
	if _, err := h.read(ctx, ask{path: fmt.Sprintf("/merge_requests/%d", number), what: fmt.Sprintf("change %d", number)}, &m); err != nil {
		return repo.Change{}, err
	}
	if m.IID != number {
		return repo.Change{}, h.strange("another change")
	}
	return m.change(), nil
}

// ChangesOf returns the merge requests with a commit.
func (h gitLab) ChangesOf(ctx context.Context, sha string) (changes []repo.Change, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	var all []labChange
	if _, err := h.read(ctx, ask{path: "/repository/commits/" + id + "/merge_requests", what: "commit " + short(sha)}, &all); err != nil {
		return nil, err
	}
	for _, m := range all {
		changes = append(changes, m.change())
	}
	return changes, nil
}

// Checks returns the result of the newest pipeline of a commit.
func (h gitLab) Checks(ctx context.Context, sha string) (repo.Checks, error) {
	if _, err := h.revision(sha); err != nil {
		return repo.ChecksUnknown, err
	}
	var pipelines []struct{ Status string }
	query := url.Values{"sha": {sha}, "order_by": {"id"}, "sort": {"desc"}, "per_page": {"1"}}
	if _, err := h.read(ctx, ask{path: "/pipelines", query: query, what: "checks of commit " + short(sha)}, &pipelines); err != nil || len(pipelines) == 0 {
		return repo.ChecksUnknown, err
	}
	return repo.CheckState(pipelines[0].Status), nil
}

// Comment writes a note on a merge request.
func (h gitLab) Comment(ctx context.Context, number int64, key, text string) error {
	mark := "<!-- " + h.mark(number, key) + " -->"
	body := map[string]string{"body": mark + "\n" + cut(text)}
	notes := ask{path: fmt.Sprintf("/merge_requests/%d/notes", number), query: url.Values{"sort": {"asc"}}, what: fmt.Sprintf("change %d", number)}
	type note struct {
		ID   int64
		Body string
	}
	var own *note
	_, err := h.pages(ctx, notes, mostPages*perPage, func(page ask) (int, http.Header, error) {
		var all []note
		header, err := h.read(ctx, page, &all)
		for _, n := range all {
			if own == nil && strings.HasPrefix(n.Body, mark) {
				own = &n
			}
		}
		return len(all), header, err
	})
	switch {
	case err != nil:
		return err
	case own == nil:
		_, _, err = h.send(ctx, ask{method: http.MethodPost, path: notes.path, in: body, what: notes.what})
	case own.Body != body["body"]:
		_, _, err = h.send(ctx, ask{method: http.MethodPut, path: fmt.Sprintf("%s/%d", notes.path, own.ID), in: body, what: "comments"})
	}
	return err
}
