package webhook

import (
	"encoding/json"

	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
)

// gitHubIssue reads the events issues and issue_comment (docs.github.com/en/webhooks/webhook-events-and-payloads). One who closes an issue gives a
// reason: completed, not_planned or duplicate.
func gitHubIssue(event string, body []byte) (n triage.IssueNews, err error) {
	if event != "issues" && event != "issue_comment" {
		return n, nil
	}
	var p struct {
		Action string
		Issue  struct {
			Number  int64
			Updated when   `json:"updated_at"`
			Reason  string `json:"state_reason"`
		}
		Comment struct {
			ID      int64
			Body    string
			Created when `json:"created_at"`
			User    struct{ Login string }
		}
		Repository struct {
			Name string `json:"full_name"`
		}
		Sender struct{ Login string }
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return n, err
	}
	n.Number, n.By, n.At = digits(p.Issue.Number), repo.OneLine(p.Sender.Login, repo.MostName), p.Issue.Updated.Time
	place := repo.OneLine(p.Repository.Name, repo.MostName)
	if n.Number == "" || place == "" {
		return n, lacks("issue.number and repository.full_name")
	}
	n.Places, n.Name = []string{place}, place+"#"+n.Number
	switch event + " " + p.Action {
	case "issues closed":
		n.State, n.Reason = triage.IssueClosed, reasons[p.Issue.Reason]
	case "issues reopened":
		n.State = triage.IssueOpen
	case "issue_comment created":
		n.By, n.At, n.Comment = repo.OneLine(p.Comment.User.Login, repo.MostName), p.Comment.Created.Time, comment(digits(p.Comment.ID), p.Comment.Body)
	}
	return n, nil
}

// reasons are how an issue was closed, if it was not done.
var reasons = map[string]string{"not_planned": "as not planned", "duplicate": "as a duplicate", "canceled": "as canceled"}
