package webhook

import (
	"encoding/json"
	"strings"
	"time"

	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
)

// jiraIssue reads the events jira:issue_updated and comment_created (developer.atlassian.com/cloud/jira/platform/webhooks). What changed is in the
// change log; only a change of the status says anything of the state, which is the category of the status.
func jiraIssue(_ string, body []byte) (n triage.IssueNews, err error) {
	var p struct {
		Timestamp int64
		Event     string `json:"webhookEvent"`
		User      jiraUser
		Issue     struct {
			ID, Key string
			Fields  struct {
				Status struct {
					Category struct{ Key string } `json:"statusCategory"`
				}
			}
		}
		Changes struct {
			Items []struct{ Field string }
		} `json:"changelog"`
		Comment struct {
			ID      string
			Body    json.RawMessage // a text, or a document in some versions
			Author  jiraUser
			Created string
		}
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return n, err
	}
	if p.Event != "jira:issue_updated" && p.Event != "comment_created" {
		return n, nil
	}
	n.Name, n.By = repo.OneLine(p.Issue.Key, repo.MostName), repo.OneLine(p.User.Name, repo.MostName)
	if p.Timestamp > 0 && p.Timestamp < 1<<47 {
		n.At = time.UnixMilli(p.Timestamp).UTC()
	}
	n.IDs = ids(p.Issue.ID, n.Name)
	if n.Name == "" {
		return n, lacks("issue.key")
	}
	if p.Event == "comment_created" {
		var said string
		_ = json.Unmarshal(p.Comment.Body, &said) // a document is left out
		n.By, n.Comment = repo.OneLine(p.Comment.Author.Name, repo.MostName), comment(p.Comment.ID, said)
		return n, nil
	}
	for _, item := range p.Changes.Items {
		if strings.EqualFold(item.Field, "status") {
			n.State = triage.IssueOpen
			if p.Issue.Fields.Status.Category.Key == "done" {
				n.State = triage.IssueClosed
			}
		}
	}
	return n, nil
}

type jiraUser struct {
	Name string `json:"displayName"`
}
