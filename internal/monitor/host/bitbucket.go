package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// bitbucket is Bitbucket Cloud (developer.atlassian.com/cloud/bitbucket/rest). It has no address that says who changed a line: see traced.
type bitbucket struct{ api }

type bucketLinks struct {
	Links struct{ HTML struct{ Href string } }
}

type bucketCommit struct {
	bucketLinks
	Hash, Message string
	Date          time.Time
	Author        struct{ Raw string }
}

func (c bucketCommit) commit() repo.Commit {
	one := repo.Commit{SHA: c.Hash, Message: c.Message, Author: c.Author.Raw, At: c.Date.UTC(), URL: c.Links.HTML.Href}
	if a, err := mail.ParseAddress(c.Author.Raw); err == nil {
		one.Author, one.Email = a.Name, a.Address
	}
	return one.Bounded()
}

// pages calls one with the items of each page of a list until there are so many, or none is left, which complete says.
func (h bitbucket) pages(ctx context.Context, q ask, most int, one func(items json.RawMessage) (n int, err error)) (complete bool, err error) {
	for got := 0; got < most; {
		var page struct {
			Values json.RawMessage
			Next   string
		}
		if _, err := h.read(ctx, q, &page); err != nil {
			return false, err
		}
		n, err := one(page.Values)
		switch {
		case err != nil:
			return false, h.strange("an unknown list")
		case page.Next == "":
			return true, nil
		case n == 0 || !strings.HasPrefix(page.Next, h.base+"/"): // the token goes to no other address
			return false, nil
		}
		got += n
		q.path, q.query = page.Next, nil
	}
	return false, nil
}

// items reads the items of a page and hands each over.
func items[T any](each func(T)) func(json.RawMessage) (int, error) {
	return func(text json.RawMessage) (int, error) {
		var all []T
		if err := json.Unmarshal(text, &all); err != nil {
			return 0, err
		}
		for _, one := range all {
			each(one)
		}
		return len(all), nil
	}
}

// Check tries whether the token can read the repository, and a commit in it.
func (h bitbucket) Check(ctx context.Context) (string, error) {
	var r struct{ Mainbranch *struct{ Name string } }
	if _, err := h.read(ctx, ask{}, &r); err != nil {
		return "", err
	}
	if r.Mainbranch == nil { // it is empty
		return "", nil
	}
	_, _, err := h.send(ctx, ask{path: "/commits/" + url.PathEscape(r.Mainbranch.Name), query: url.Values{"pagelen": {"1"}}, what: "commits"})
	return r.Mainbranch.Name, err
}

func (h bitbucket) commits(ctx context.Context, id string, query url.Values, most int, what string) (commits []repo.Commit, complete bool, err error) {
	query.Set("pagelen", fmt.Sprint(min(most, perPage)))
	complete, err = h.pages(ctx, ask{path: "/commits/" + id, query: query, what: what}, most, items(func(c bucketCommit) {
		commits = append(commits, c.commit())
	}))
	if err == nil {
		err = h.sound(commits...)
	}
	return commits, complete, err
}

// Compare asks for the commits of one without those of the other, and for the newest commit that both have.
func (h bitbucket) Compare(ctx context.Context, base, head string) (c repo.Comparison, err error) {
	ends := [2]repo.Commit{}
	what := fmt.Sprintf("commits %s and %s", short(base), short(head))
	for i, sha := range []string{base, head} {
		if ends[i], err = h.one(ctx, sha); err != nil {
			return c, err
		}
	}
	var common bucketCommit
	_, err = h.read(ctx, ask{path: "/merge-base/" + ends[0].SHA + ".." + ends[1].SHA, what: what}, &common)
	if err != nil && KindOf(err) != NotFound { // no history in common
		return c, err
	}
	switch {
	case ends[0].SHA == ends[1].SHA:
		c.Order = repo.Identical
	case common.Hash == ends[0].SHA:
		c.Order = repo.Ahead
	case common.Hash == ends[1].SHA:
		c.Order = repo.Behind
	default:
		c.Order = repo.Diverged
	}
	at, _, _ := strings.Cut(ends[1].URL, "/commits/")
	c.URL = at + "/branches/compare/" + ends[1].SHA + ".." + ends[0].SHA
	c.Commits, c.Complete, err = h.commits(ctx, ends[1].SHA, url.Values{"exclude": {ends[0].SHA}}, MostCommits, what)
	slices.Reverse(c.Commits)
	return c, err
}

// one returns a commit without its files.
func (h bitbucket) one(ctx context.Context, sha string) (repo.Commit, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.Commit{}, err
	}
	var c bucketCommit
	if _, err := h.read(ctx, ask{path: "/commit/" + id, what: "commit " + short(sha)}, &c); err != nil {
		return repo.Commit{}, err
	}
	one := c.commit()
	return one, h.sound(one)
}

// Commit returns a commit with the files of its difference.
func (h bitbucket) Commit(ctx context.Context, sha string) (repo.Commit, error) {
	c, err := h.one(ctx, sha)
	if err != nil {
		return c, err
	}
	type end struct{ Path string }
	files := []string{}
	q := ask{path: "/diffstat/" + c.SHA, query: url.Values{"pagelen": {"500"}}, what: "commit " + short(sha)}
	complete, err := h.pages(ctx, q, MostFiles, items(func(d struct{ New, Old *end }) {
		for i, e := range []*end{d.New, d.Old} {
			if e != nil && (i == 0 || d.New == nil || d.New.Path != e.Path) {
				files = append(files, e.Path)
			}
		}
	}))
	if complete {
		c.Files = files
	}
	return c.Bounded(), err
}

// Blame follows the lines through the history of the file.
func (h bitbucket) Blame(ctx context.Context, sha, path string, from, to int) ([]repo.Blamed, error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("file %s in commit %s", path, short(sha))
	history, complete, err := h.commits(ctx, id, url.Values{"path": {path}}, mostTraced, what)
	if err != nil {
		return nil, err
	}
	return traced(ctx, h, history, complete, sha, path, from, to)
}

// File returns the bytes of a file.
func (h bitbucket) File(ctx context.Context, sha, path string) ([]byte, error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	file, err := h.inside(path)
	if err != nil {
		return nil, err
	}
	text, _, err := h.send(ctx, ask{path: "/src/" + id + "/" + file, most: MostFile, what: fmt.Sprintf("file %s in commit %s", path, short(sha))})
	return text, err
}

// deepest is how many directories below each other are listed.
const deepest = "50"

// Tree pages through the files.
func (h bitbucket) Tree(ctx context.Context, sha string) (paths []string, complete bool, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, false, err
	}
	q := ask{path: "/src/" + id + "/", query: url.Values{"pagelen": {"100"}, "max_depth": {deepest}}, what: "commit " + short(sha)}
	complete, err = h.pages(ctx, q, mostLabPaths, items(func(e struct{ Path, Type string }) {
		if e.Type == "commit_file" {
			paths = append(paths, e.Path)
		}
	}))
	return paths, complete, err
}

type bucketSide struct {
	Branch     struct{ Name string }
	Commit     *struct{ Hash string }
	Repository *struct {
		FullName string `json:"full_name"`
	}
}

type bucketChange struct {
	bucketLinks
	ID                        int64
	Title, Description, State string
	Draft                     bool
	Author                    struct{ Nickname string }
	Source, Destination       bucketSide
	Merge                     *struct{ Hash string } `json:"merge_commit"`
	Updated                   time.Time              `json:"updated_on"`
}

// Change returns a pull request. Bitbucket shortens its ids of commits: that of the merge is made whole, which of the branch may be in a fork.
func (h bitbucket) Change(ctx context.Context, number int64) (c repo.Change, err error) {
	var p bucketChange
	if _, err := h.read(ctx, ask{path: fmt.Sprintf("/pullrequests/%d", number), what: fmt.Sprintf("change %d", number)}, &p); err != nil {
		return c, err
	}
	if p.ID != number {
		return c, h.strange("another change")
	}
	from, to := p.Source.Repository, p.Destination.Repository
	c = repo.Change{
		Number: p.ID, Title: p.Title, Body: p.Description, URL: p.Links.HTML.Href, State: repo.Open, Draft: p.Draft,
		Branch: p.Source.Branch.Name, Target: p.Destination.Branch.Name, FromFork: from == nil || to == nil || from.FullName != to.FullName,
		Author: p.Author.Nickname, UpdatedAt: p.Updated.UTC(),
	}
	if p.Source.Commit != nil {
		c.HeadSHA = p.Source.Commit.Hash
	}
	switch p.State {
	case "MERGED":
		c.State, c.MergedAt = repo.Merged, p.Updated.UTC()
		if p.Merge != nil {
			merge, err := h.one(ctx, p.Merge.Hash)
			if err != nil {
				return c, err
			}
			c.MergeSHA = merge.SHA
		}
	case "DECLINED", "SUPERSEDED":
		c.State = repo.Closed
	}
	return c.Bounded(), nil
}

// mostChangesOf is how many changes with a commit are asked for.
const mostChangesOf = 5

// ChangesOf returns the pull requests with a commit, if the workspace lets Bitbucket keep an index of them.
func (h bitbucket) ChangesOf(ctx context.Context, sha string) (changes []repo.Change, err error) {
	id, err := h.revision(sha)
	if err != nil {
		return nil, err
	}
	var numbers []int64
	q := ask{path: "/commit/" + id + "/pullrequests", query: url.Values{"pagelen": {"50"}}, what: "changes of commit " + short(sha)}
	_, err = h.pages(ctx, q, mostChangesOf, items(func(p struct{ ID int64 }) { numbers = append(numbers, p.ID) }))
	if err != nil {
		return nil, err
	}
	for _, n := range numbers[:min(len(numbers), mostChangesOf)] {
		c, err := h.Change(ctx, n)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Checks returns the result of all builds.
func (h bitbucket) Checks(ctx context.Context, sha string) (repo.Checks, error) {
	id, err := h.revision(sha)
	if err != nil {
		return repo.ChecksUnknown, err
	}
	var all []repo.Checks
	q := ask{path: "/commit/" + id + "/statuses", query: url.Values{"pagelen": {"100"}}, what: "checks of commit " + short(sha)}
	complete, err := h.pages(ctx, q, mostPages*perPage, items(func(s struct{ State string }) { all = append(all, repo.CheckState(s.State)) }))
	if !complete {
		return repo.TogetherOfSome(all), err
	}
	return repo.Together(all), err
}

// Comment writes a comment on a pull request. Bitbucket shows comments of HTML, so that the mark is the definition of a link.
func (h bitbucket) Comment(ctx context.Context, number int64, key, text string) error {
	type content struct {
		Raw string `json:"raw"`
	}
	type comment struct {
		ID      int64   `json:"id,omitempty"`
		Content content `json:"content"`
		Deleted bool    `json:"deleted,omitempty"`
	}
	mark := "[//]: # (" + h.mark(number, key) + ")"
	want := comment{Content: content{mark + "\n\n" + cut(text)}}
	q := ask{path: fmt.Sprintf("/pullrequests/%d/comments", number), query: url.Values{"pagelen": {"100"}}, what: fmt.Sprintf("change %d", number)}
	var own *comment
	_, err := h.pages(ctx, q, mostPages*perPage, items(func(c comment) {
		if own == nil && !c.Deleted && strings.HasPrefix(c.Content.Raw, mark) {
			own = &c
		}
	}))
	switch {
	case err != nil:
		return err
	case own == nil:
		_, _, err = h.send(ctx, ask{method: http.MethodPost, path: q.path, in: want, what: q.what})
	case own.Content.Raw != want.Content.Raw:
		_, _, err = h.send(ctx, ask{method: http.MethodPut, path: fmt.Sprintf("%s/%d", q.path, own.ID), in: want, what: "comments"})
	}
	return err
}
