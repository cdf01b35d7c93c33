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
	return repo.Commit{
		SHA: sha(c.Hash), Message: text(c.Message, mostText), Author: name, Email: email, At: c.Date.Time, URL: address(c.Links.HTML.Href),
	}
}

// signature reads the author of a commit, such as "Ada Mensah <ada@example.org>".
func signature(raw string) (name, email string) {
	raw = line(raw, 2*mostName)
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
	d.Repository = address(p.Repository.Links.HTML.Href)
	for _, c := range p.Push.Changes[:min(len(p.Push.Changes), mostName)] {
		end := c.New
		if end == nil {
			end = c.Old
		}
		if end == nil || end.Type != "branch" { // a tag
			continue
		}
		push := repo.Push{Branch: line(end.Name, mostBranch), Forced: c.Forced}
		if c.New != nil {
			push.After = sha(c.New.Target.Hash)
		}
		if c.Old != nil {
			push.Before = sha(c.Old.Target.Hash)
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
		Number: p.ID, Title: line(p.Title, mostTitle), Body: text(p.Description, mostText), URL: address(p.Links.HTML.Href), Draft: p.Draft,
		Branch: line(p.Source.Branch.Name, mostBranch), Target: line(p.Destination.Branch.Name, mostBranch), HeadSHA: sha(p.Source.Commit.Hash),
		FromFork: from == nil || to == nil || from.FullName != to.FullName, Author: line(p.Author.Nickname, mostName), UpdatedAt: p.Updated.Time,
	}
	switch p.State {
	case "OPEN":
		change.State = repo.Open
	case "MERGED":
		change.State, change.MergedAt = repo.Merged, p.Updated.Time
		if p.Merge != nil {
			change.MergeSHA = sha(p.Merge.Hash)
		}
	case "DECLINED", "SUPERSEDED":
		change.State = repo.Closed
	default:
		return lacks("pullrequest.state")
	}
	d.Change, d.Repository = &change, address(c.Repository.Links.HTML.Href)
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
	id := sha(s.Status.Commit.Hash)
	if id == "" {
		id = sha(path.Base(s.Status.Links.Commit.Href))
	}
	result := repo.ChecksOf{SHA: id, Checks: stateOf(s.Status.State), Name: named(s.Status.Key), UpdatedAt: s.Status.Updated.Time}
	return checked(d, s.Repository.Links.HTML.Href, result)
}
