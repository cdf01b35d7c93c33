package webhook

import (
	"encoding/json"

	"sett/internal/sett/repo"
)

type labProject struct {
	URL   string `json:"web_url"`
	Trunk string `json:"default_branch"`
}

// gitLabPush reads a push of GitLab, which has the newest 20 commits and says how many there were. It does not say whether commits are gone.
func gitLabPush(body []byte, d *repo.Delivery) error {
	var p struct {
		Ref, Before, After string
		Commits            []hubCommit
		Total              int `json:"total_commits_count"`
		Project            labProject
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	branch, ok := branchOf(p.Ref)
	push := repo.Push{Branch: branch, Before: repo.SHA(p.Before), After: repo.SHA(p.After)}
	if !ok || push.Before == "" && push.After == "" {
		return lacks("branch")
	}
	commits, err := commitsOf(p.Commits)
	if err != nil {
		return err
	}
	push = bounded(push, commits, len(commits) >= p.Total)
	d.Push, d.Repository, d.Trunk = &push, repo.Address(p.Project.URL), repo.OneLine(p.Project.Trunk, repo.MostName)
	return nil
}

// labChange is the body of a Merge Request Hook.
type labChange struct {
	User struct {
		ID              int64
		Username, Email string
	}
	Project    labProject
	Attributes struct {
		IID         int64
		AuthorID    int64 `json:"author_id"`
		Title       string
		Description string
		State       string
		Action      string
		URL         string
		Draft       bool
		Work        bool                `json:"work_in_progress"`
		Source      string              `json:"source_branch"`
		Target      string              `json:"target_branch"`
		SourceID    int64               `json:"source_project_id"`
		TargetID    int64               `json:"target_project_id"`
		MergeSHA    string              `json:"merge_commit_sha"`
		SquashSHA   string              `json:"squash_commit_sha"`
		Last        struct{ ID string } `json:"last_commit"`
		Updated     when                `json:"updated_at"`
		MergedAt    when                `json:"merged_at"`
	} `json:"object_attributes"`
}

func gitLabChange(body []byte, d *repo.Delivery) error {
	var c labChange
	if err := json.Unmarshal(body, &c); err != nil {
		return err
	}
	a := c.Attributes
	if a.IID <= 0 {
		return lacks("object_attributes.iid")
	}
	change := repo.Change{
		Number: a.IID, Title: a.Title, Body: a.Description, URL: a.URL, Draft: a.Draft || a.Work,
		Branch: a.Source, Target: a.Target, FromFork: a.SourceID != a.TargetID, HeadSHA: a.Last.ID,
		UpdatedAt: a.Updated.Time,
	}
	if c.User.ID == a.AuthorID { // the user is who did this, and only sometimes who proposed the change
		change.Author, change.Email = c.User.Username, c.User.Email
	}
	switch a.State {
	case "opened", "locked": // locked: it is being merged
		change.State = repo.Open
	case "closed":
		change.State = repo.Closed
	case "merged":
		change.State, change.MergedAt = repo.Merged, a.MergedAt.Time
		if change.MergedAt.IsZero() {
			change.MergedAt = a.Updated.Time
		}
		for _, id := range []string{a.MergeSHA, a.SquashSHA, a.Last.ID} { // without a merge commit: the squashed one, or the branch itself
			if change.MergeSHA = repo.SHA(id); change.MergeSHA != "" {
				break
			}
		}
	default:
		return lacks("object_attributes.state")
	}
	change = change.Bounded()
	d.Change, d.Repository = &change, repo.Address(c.Project.URL)
	return nil
}

// gitLabPipeline reads the result of a pipeline, which has all checks of a commit.
func gitLabPipeline(body []byte, d *repo.Delivery) error {
	var p struct {
		Attributes struct {
			SHA, Status string
			Created     when `json:"created_at"`
			Finished    when `json:"finished_at"`
		} `json:"object_attributes"`
		Project labProject
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return err
	}
	at := p.Attributes.Finished.Time
	if at.IsZero() {
		at = p.Attributes.Created.Time
	}
	return checked(d, p.Project.URL, repo.ChecksOf{SHA: repo.SHA(p.Attributes.SHA), Checks: repo.CheckState(p.Attributes.Status), UpdatedAt: at})
}
