package webhook

import (
	"cmp"
	"encoding/json"

	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
)

// gitLabIssue reads the events Issue Hook and Note Hook (docs.gitlab.com/user/project/integrations/webhook_events), and those of confidential
// issues. Notes that GitLab itself writes, such as "closed", come with system set.
func gitLabIssue(event string, body []byte) (n triage.IssueNews, err error) {
	switch event {
	case "Issue Hook", "Confidential Issue Hook", "Note Hook", "Confidential Note Hook":
	default:
		return n, nil
	}
	var p struct {
		Kind    string `json:"object_kind"`
		User    struct{ Name, Username string }
		Project struct {
			ID   int64
			Path string `json:"path_with_namespace"`
		}
		Attributes struct {
			ID, IID      int64
			Action, Note string
			System       bool
			Internal     bool
			Updated      when   `json:"updated_at"`
			Created      when   `json:"created_at"`
			On           string `json:"noteable_type"`
		} `json:"object_attributes"`
		Issue struct{ IID int64 }
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return n, err
	}
	a := p.Attributes
	note := p.Kind == "note"
	if note && a.On != "Issue" {
		return n, nil
	}
	n.Number, n.By, n.At = digits(a.IID), repo.OneLine(cmp.Or(p.User.Username, p.User.Name), repo.MostName), a.Updated.Time
	if note {
		n.Number, n.At = digits(p.Issue.IID), a.Created.Time
	}
	place := repo.OneLine(p.Project.Path, repo.MostName)
	if n.Number == "" || place == "" {
		return n, lacks("number of an issue and project.path_with_namespace")
	}
	n.Places, n.Name = []string{place, digits(p.Project.ID)}, place+"#"+n.Number
	switch {
	case note && !a.System && !a.Internal && event == "Note Hook" && (a.Action == "" || a.Action == "create"): // older versions do not say the action
		n.Comment = comment(digits(a.ID), a.Note)
	case !note && a.Action == "close":
		n.State = triage.IssueClosed
	case !note && a.Action == "reopen":
		n.State = triage.IssueOpen
	}
	return n, nil
}
