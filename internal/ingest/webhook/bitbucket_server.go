package webhook

import (
	"encoding/json"
	"strings"
	"time"

	"sett/internal/sett/repo"
)

// milliseconds is a time as Bitbucket Data Center writes it; 0 for none.
type milliseconds int64

func (m milliseconds) time() time.Time {
	if m <= 0 || m > 1<<47 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// serverLinks are addresses of Bitbucket Data Center.
type serverLinks struct {
	Links struct{ Self []struct{ Href string } }
}

func (l serverLinks) address() string {
	if len(l.Links.Self) == 0 {
		return ""
	}
	return repo.Address(strings.TrimSuffix(l.Links.Self[0].Href, "/browse"))
}

type serverRepository struct {
	ID int64
	serverLinks
}

type serverCommit struct {
	ID, Message string
	Author      struct{ Name, EmailAddress string }
	Committed   milliseconds `json:"committerTimestamp"`
}

// commit reads a commit; Bitbucket does not say which files it touches.
func (c serverCommit) commit() repo.Commit {
	return repo.Commit{SHA: c.ID, Message: c.Message, Author: c.Author.Name, Email: c.Author.EmailAddress, At: c.Committed.time()}.Bounded()
}

// serverPush reads a push of Bitbucket Data Center, which may move several branches. New versions list the newest commits of the first.
func serverPush(body []byte, d *repo.Delivery) error {
	var p struct {
		Repository serverRepository
		Changes    []struct {
			Ref              struct{ ID string }
			FromHash, ToHash string
		}
		Commits []serverCommit
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	if len(p.Changes) == 0 {
		return lacks("changes")
	}
	d.Repository = p.Repository.address()
	commits, err := commitsOf(p.Commits)
	if err != nil {
		return err
	}
	for _, c := range p.Changes[:min(len(p.Changes), mostBranches)] {
		branch, ok := branchOf(c.Ref.ID)
		if !ok { // a tag
			continue
		}
		push := repo.Push{Branch: branch, Before: repo.SHA(c.FromHash), After: repo.SHA(c.ToHash)}
		switch {
		case push.After == "" && push.Before == "":
			return lacks("commit in toHash")
		case d.Push == nil:
			push = bounded(push, commits, push.After == "")
			d.Push = &push
		default:
			d.More = append(d.More, push)
		}
	}
	return nil
}

type serverRef struct {
	DisplayID    string `json:"displayId"`
	LatestCommit string
	Repository   serverRepository
}

// serverChange reads a pull request of Bitbucket Data Center.
func serverChange(body []byte, d *repo.Delivery) error {
	var c struct {
		Pull *struct {
			ID                        int64
			Title, Description, State string
			Draft                     bool
			UpdatedDate, ClosedDate   milliseconds
			FromRef, ToRef            serverRef
			Author                    struct {
				User struct{ Name, EmailAddress string }
			}
			Properties struct{ MergeCommit struct{ ID string } }
			serverLinks
		} `json:"pullRequest"`
	}
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	p := c.Pull
	if p == nil || p.ID <= 0 {
		return lacks("pullRequest")
	}
	change := repo.Change{
		Number: p.ID, Title: p.Title, Body: p.Description, URL: p.address(), Draft: p.Draft, Branch: p.FromRef.DisplayID, Target: p.ToRef.DisplayID,
		FromFork: p.FromRef.Repository.ID != p.ToRef.Repository.ID, HeadSHA: p.FromRef.LatestCommit,
		Author: p.Author.User.Name, Email: p.Author.User.EmailAddress, UpdatedAt: p.UpdatedDate.time(),
	}
	switch p.State {
	case "OPEN":
		change.State = repo.Open
	case "MERGED":
		change.State, change.MergedAt, change.MergeSHA = repo.Merged, p.ClosedDate.time(), p.Properties.MergeCommit.ID
	case "DECLINED":
		change.State = repo.Closed
	default:
		return lacks("pullRequest.state")
	}
	change = change.Bounded()
	d.Change, d.Repository = &change, p.ToRef.Repository.address()
	return nil
}
