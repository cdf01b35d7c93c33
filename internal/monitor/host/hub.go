package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// hub is what the APIs of GitHub and Gitea have in common.
type hub struct{ api }

// hubCommit is a commit, as both write it.
type hubCommit struct {
	SHA    string
	URL    string `json:"html_url"`
	Commit struct {
		Message   string
		Author    struct{ Name, Email string }
		Committer struct{ Date time.Time }
	}
	Files []hubFile
}

type hubFile struct {
	Filename string
	Previous string `json:"previous_filename"`
}

func (c hubCommit) commit() repo.Commit {
	return repo.Commit{
		SHA: c.SHA, Message: c.Commit.Message, Author: c.Commit.Author.Name, Email: c.Commit.Author.Email, At: c.Commit.Committer.Date.UTC(), URL: c.URL,
	}.Bounded()
}

func pathsOf(files []hubFile) []string {
	paths := []string{}
	for _, f := range files {
		for _, p := range []string{f.Filename, f.Previous} {
			if p != "" {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// hubPull is a pull request, as both write it.
type hubPull struct {
	Number   int64
	Title    string
	Body     string
	URL      string `json:"html_url"`
	State    string
	Draft    bool
	Merged   bool
	MergedAt *time.Time `json:"merged_at"`
	MergeSHA string     `json:"merge_commit_sha"`
	Updated  time.Time  `json:"updated_at"`
	User     struct{ Login, Email string }
	Head     hubEnd
	Base     hubEnd
}

// hubEnd is a branch of a pull request. Its repository is null when that is deleted.
type hubEnd struct {
	Ref, SHA string
	Repo     *struct{ ID int64 }
}

func (p hubPull) change() repo.Change {
	c := repo.Change{
		Number: p.Number, Title: p.Title, Body: p.Body, URL: p.URL, State: repo.Open, Draft: p.Draft, Branch: p.Head.Ref, Target: p.Base.Ref,
		FromFork: p.Head.Repo == nil || p.Base.Repo == nil || p.Head.Repo.ID != p.Base.Repo.ID, HeadSHA: p.Head.SHA, Author: p.User.Login,
		UpdatedAt: p.Updated.UTC(),
	}
	switch {
	case p.Merged || p.MergedAt != nil && !p.MergedAt.IsZero(): // lists leave out merged
		c.State, c.MergeSHA = repo.Merged, p.MergeSHA
		if p.MergedAt != nil {
			c.MergedAt = p.MergedAt.UTC()
		}
	case p.State == "closed":
		c.State = repo.Closed
	}
	return c.Bounded()
}

// Check tries whether the token can read the repository, and a commit in it.
func (h hub) Check(ctx context.Context) (string, error) {
	var r struct {
		Branch string `json:"default_branch"`
		Empty  bool   // only Gitea
	}
	if _, err := h.read(ctx, ask{}, &r); err != nil {
		return "", err
	}
	if r.Branch == "" {
		return "", h.strange("no default branch")
	}
	if r.Empty {
		return r.Branch, nil
	}
	var commits []struct{ SHA string }
	_, err := h.read(ctx, ask{path: "/commits", query: url.Values{"per_page": {"1"}, "limit": {"1"}, "stat": {"false"}}, what: "commits"}, &commits)
	if e, ok := errors.AsType[*Error](err); ok && e.status == http.StatusConflict { // GitHub says so of an empty repository
		return r.Branch, nil
	}
	return r.Branch, err
}

// Change returns a pull request.
func (h hub) Change(ctx context.Context, number int64) (repo.Change, error) {
	var p hubPull
	_, err := h.read(ctx, ask{path: fmt.Sprintf("/pulls/%d", number), what: fmt.Sprintf("change %d", number)}, &p)
	if err != nil {
		return repo.Change{}, err
	}
	if p.Number != number {
		return repo.Change{}, h.strange("another change")
	}
	return p.change(), nil
}

// Comment writes a comment on a pull request, which is an issue too.
func (h hub) Comment(ctx context.Context, number int64, key, text string) error {
	mark := "<!-- " + h.mark(number, key) + " -->"
	body := map[string]string{"body": mark + "\n" + cut(text)}
	what := fmt.Sprintf("change %d", number)
	for page := 1; page <= mostPages; page++ {
		var comments []struct {
			ID   int64
			Body string
		}
		size := strconv.Itoa(perPage)
		query := url.Values{"per_page": {size}, "page": {strconv.Itoa(page)}}
		if _, err := h.read(ctx, ask{path: fmt.Sprintf("/issues/%d/comments", number), query: query, what: what}, &comments); err != nil {
			return err
		}
		for _, c := range comments {
			if !strings.HasPrefix(c.Body, mark) {
				continue
			}
			if c.Body == body["body"] {
				return nil
			}
			_, _, err := h.send(ctx, ask{method: http.MethodPatch, path: fmt.Sprintf("/issues/comments/%d", c.ID), in: body, what: "comments"})
			return err
		}
		if len(comments) < perPage || h.host != "GitHub" { // Gitea lists all at once
			break
		}
	}
	_, _, err := h.send(ctx, ask{method: http.MethodPost, path: fmt.Sprintf("/issues/%d/comments", number), in: body, what: what})
	return err
}

// mostPages bounds how many pages of a list are asked for.
const mostPages = 20
