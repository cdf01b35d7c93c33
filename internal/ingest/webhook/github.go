package webhook

import (
	"encoding/json"

	"sett/internal/sett/repo"
)

// gitHubMost is how many commits a push of GitHub has at most (docs.github.com, webhook events and payloads, push).
const gitHubMost = 2_048

// hubPush is a push as GitHub and Gitea write it.
type hubPush struct {
	Ref     string
	Before  string
	After   string
	Deleted bool
	Forced  bool
	Commits []hubCommit
	Total   *int          `json:"total_commits"` // only Gitea
	Of      hubRepository `json:"repository"`
}

type hubRepository struct {
	ID  int64
	URL string `json:"html_url"`

	Trunk string `json:"default_branch"`
}

type hubCommit struct {
	ID, Message, URL string
	Timestamp        when
	Author           struct{ Name, Email string }
	Added            []string
	Removed          []string
	Modified         []string
}

func (c hubCommit) commit() repo.Commit {
	return repo.Commit{
		SHA: c.ID, Message: c.Message, Author: c.Author.Name, Email: c.Author.Email, At: c.Timestamp.Time, URL: c.URL,
		Files: paths(c.Added, c.Removed, c.Modified),
	}.Bounded()
}

func gitHubPush(body []byte, d *repo.Delivery) error {
	return readHubPush(body, d, func(p hubPush) bool { return len(p.Commits) < gitHubMost })
}

// readHubPush reads a push; complete says whether its commits are all that were pushed.
func readHubPush(body []byte, d *repo.Delivery, complete func(hubPush) bool) error {
	var p hubPush
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	d.Repository, d.Trunk = repo.Address(p.Of.URL), repo.OneLine(p.Of.Trunk, repo.MostName)
	push := repo.Push{Before: repo.SHA(p.Before), After: repo.SHA(p.After), Forced: p.Forced}
	switch branch, ok := branchOf(p.Ref); {
	case p.Ref == "":
		return lacks("ref")
	case !ok: // a tag
		return nil
	case push.After == "" && push.Before == "":
		return lacks("commit in after")
	default:
		push.Branch = branch
	}
	commits, err := commitsOf(p.Commits)
	if err != nil {
		return err
	}
	push = bounded(push, commits, complete(p))
	d.Push = &push
	return nil
}

// commitsOf reads commits, of which each has an id.
func commitsOf[C interface{ commit() repo.Commit }](said []C) ([]repo.Commit, error) {
	var commits []repo.Commit
	for _, c := range said {
		one := c.commit()
		if one.SHA == "" {
			return nil, lacks("id of a commit")
		}
		commits = append(commits, one)
	}
	return commits, nil
}

// hubChange is a pull request as GitHub and Gitea write it.
type hubChange struct {
	Action string
	Pull   *struct {
		Number   int64
		Title    string
		Body     string
		URL      string `json:"html_url"`
		State    string
		Draft    bool
		Merged   bool
		MergedAt when   `json:"merged_at"`
		MergeSHA string `json:"merge_commit_sha"`
		Updated  when   `json:"updated_at"`
		User     struct{ Login, Email string }
		Head     hubEnd
		Base     hubEnd
	} `json:"pull_request"`
	Of hubRepository `json:"repository"`
}

// hubEnd is a branch of a pull request. Its repository is null when that is deleted, such as a fork after the merge.
type hubEnd struct {
	Ref, SHA string
	Repo     *hubRepository
}

func gitHubChange(body []byte, d *repo.Delivery) error {
	var c hubChange
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	p := c.Pull
	if p == nil || p.Number <= 0 {
		return lacks("pull_request")
	}
	d.Repository = repo.Address(c.Of.URL)
	change := repo.Change{
		Number: p.Number, Title: p.Title, Body: p.Body, URL: p.URL, State: repo.Open, Draft: p.Draft,
		Branch: p.Head.Ref, Target: p.Base.Ref, HeadSHA: p.Head.SHA,
		FromFork: p.Head.Repo == nil || p.Base.Repo == nil || p.Head.Repo.ID != p.Base.Repo.ID,
		Author:   p.User.Login, UpdatedAt: p.Updated.Time,
	}
	switch {
	case p.Merged: // of a change that is not merged, the field has a trial merge
		change.State, change.MergeSHA, change.MergedAt = repo.Merged, p.MergeSHA, p.MergedAt.Time
	case p.State == "closed":
		change.State = repo.Closed
	case p.State != "open":
		return lacks("state")
	}
	change = change.Bounded()
	d.Change = &change
	return nil
}

func gitHubSuite(body []byte, d *repo.Delivery) error {
	var s struct {
		Suite struct {
			SHA        string `json:"head_sha"`
			Status     string
			Conclusion string
			Updated    when `json:"updated_at"`
			App        struct{ Name string }
		} `json:"check_suite"`
		Of hubRepository `json:"repository"`
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	result := repo.CheckRun(s.Suite.Status, s.Suite.Conclusion)
	return checked(d, s.Of.URL, repo.ChecksOf{SHA: repo.SHA(s.Suite.SHA), Checks: result, Name: named(s.Suite.App.Name), UpdatedAt: s.Suite.Updated.Time})
}

// gitHubStatus reads the status of a commit, which Gitea writes in the same way.
func gitHubStatus(body []byte, d *repo.Delivery) error {
	var s struct {
		SHA, State, Context string
		Updated             when          `json:"updated_at"`
		Created             when          `json:"created_at"`
		Of                  hubRepository `json:"repository"`
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	at := s.Updated.Time
	if at.IsZero() {
		at = s.Created.Time
	}
	return checked(d, s.Of.URL, repo.ChecksOf{SHA: repo.SHA(s.SHA), Checks: repo.CheckState(s.State), Name: named(s.Context), UpdatedAt: at})
}

// named is the name of a check, which is never empty: that would stand for all checks.
func named(name string) string {
	if name = repo.OneLine(name, repo.MostName); name == "" {
		return "default"
	}
	return name
}

// checked completes a delivery about checks.
func checked(d *repo.Delivery, at string, c repo.ChecksOf) error {
	if c.SHA == "" {
		return lacks("commit")
	}
	d.Repository, d.Checks = repo.Address(at), &c
	return nil
}
