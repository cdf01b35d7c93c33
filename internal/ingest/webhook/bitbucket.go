package webhook

import (
	"encoding/json"
	"net/mail"
	"path"

	"sett/internal/sett/repo"
)

// link is an address of Bitbucket's.
type link struct {
	Links struct {
		HTML   struct{ Href string } `json:"html"`
		Commit struct{ Href string } `json:"commit"`
	}
}

type bucketCommit struct {
	Hash, Message string
	Date          when
	Author        struct{ Raw string }
	link
}

// commit reads a commit; Bitbucket does not say which files it touches.
func (c bucketCommit) commit() repo.Commit {
	name, email := signature(c.Author.Raw)
	return repo.Commit{SHA: c.Hash, Message: c.Message, Author: name, Email: email, At: c.Date.Time, URL: c.Links.HTML.Href}.Bounded()
}

// signature reads the author of a commit, such as "Ada Mensah <ada@example.org>".
func signature(raw string) (name, email string) {
	raw = repo.OneLine(raw, 2*repo.MostName)
	if a, err := mail.ParseAddress(raw); err == nil {
		return a.Name, a.Address
	}
	return raw, ""
}

// bucketEnd is a branch before or after a push; null for none.
type bucketEnd struct {
	Type, Name string
	Target     bucketCommit
}

// bitbucketPush reads a push, which may move several branches. It has the newest 5 commits of each.
func bitbucketPush(body []byte, d *repo.Delivery) error {
	var p struct {
		Push *struct {
			Changes []struct {
				New, Old *bucketEnd
				Forced   bool
				Commits  []bucketCommit
			}
		}
		Repository link
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if p.Push == nil {
		return lacks("push")
	}
	d.Repository = repo.Address(p.Repository.Links.HTML.Href)
	for _, c := range p.Push.Changes[:min(len(p.Push.Changes), mostBranches)] {
		end := c.New
		if end == nil {
			end = c.Old
		}
		if end == nil || end.Type != "branch" { // a tag
			continue
		}
		push := repo.Push{Branch: repo.OneLine(end.Name, repo.MostBranch), Forced: c.Forced}
		if c.New != nil {
			push.After = repo.SHA(c.New.Target.Hash)
		}
		if c.Old != nil {
			push.Before = repo.SHA(c.Old.Target.Hash)
		}
		if push.Branch == "" || push.After == "" && push.Before == "" {
			return lacks("branch")
		}
		commits, err := commitsOf(c.Commits)
		if err != nil {
			return err
		}
		push = bounded(push, commits, push.After == "") // never complete: the files of commits are missing
		if d.Push == nil {
			d.Push = &push
			continue
		}
		d.More = append(d.More, push)
	}
	return nil
}

// bucketSide is a side of a pull request. Its repository is null when that is deleted.
type bucketSide struct {
	Branch     struct{ Name string }
	Commit     struct{ Hash string }
	Repository *struct {
		FullName string `json:"full_name"`
	}
}

// bitbucketChange reads a pull request. Bitbucket shortens the ids of its commits to 12 digits.
func bitbucketChange(body []byte, d *repo.Delivery) error {
	var c struct {
		Pull *struct {
			ID                        int64
			Title, Description, State string
			Draft                     bool
			Author                    struct{ Nickname string }
			Source, Destination       bucketSide
			Merge                     *struct{ Hash string } `json:"merge_commit"`
			Updated                   when                   `json:"updated_on"`
			link
		} `json:"pullrequest"`
		Repository link
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	p := c.Pull
	if p == nil || p.ID <= 0 {
		return lacks("pullrequest")
	}
	from, to := p.Source.Repository, p.Destination.Repository
	change := repo.Change{
		Number: p.ID, Title: p.Title, Body: p.Description, URL: p.Links.HTML.Href, Draft: p.Draft,
		Branch: p.Source.Branch.Name, Target: p.Destination.Branch.Name, HeadSHA: p.Source.Commit.Hash,
		FromFork: from == nil || to == nil || from.FullName != to.FullName, Author: p.Author.Nickname, UpdatedAt: p.Updated.Time,
	}
	switch p.State {
	case "OPEN":
		change.State = repo.Open
	case "MERGED":
		change.State, change.MergedAt = repo.Merged, p.Updated.Time
		if p.Merge != nil {
			change.MergeSHA = p.Merge.Hash
		}
	case "DECLINED", "SUPERSEDED":
		change.State = repo.Closed
	default:
		return lacks("pullrequest.state")
	}
	change = change.Bounded()
	d.Change, d.Repository = &change, repo.Address(c.Repository.Links.HTML.Href)
	return nil
}

func bitbucketStatus(body []byte, d *repo.Delivery) error {
	var s struct {
		Status struct {
			State, Key string
			Updated    when `json:"updated_on"`
			Commit     struct{ Hash string }
			link
		} `json:"commit_status"`
		Repository link
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	id := repo.SHA(s.Status.Commit.Hash)
	if id == "" {
		id = repo.SHA(path.Base(s.Status.Links.Commit.Href))
	}
	result := repo.ChecksOf{SHA: id, Checks: repo.CheckState(s.Status.State), Name: named(s.Status.Key), UpdatedAt: s.Status.Updated.Time}
	return checked(d, s.Repository.Links.HTML.Href, result)
}
