package webhook

import (
	"cmp"
	"encoding/json"
	"time"

	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
)

// linearIssue reads the data change events of Issue and Comment (linear.app/developers/webhooks). An update that moves an issue to another status has
// the old stateId in updatedFrom.
func linearIssue(_ string, body []byte) (n triage.IssueNews, err error) {
	var p struct {
		Action, Type string
		At           int64 `json:"webhookTimestamp"`
		Actor        struct{ Name string }
		Data         struct {
			ID, Identifier, Body string
			Updated              when `json:"updatedAt"`
			Created              when `json:"createdAt"`
			State                struct{ Type string }
			Issue                struct{ ID, Identifier string }
			IssueID              string `json:"issueId"`
			User                 struct{ Name string }
		}
		From map[string]json.RawMessage `json:"updatedFrom"`
	}
	if err := json.Unmarshal(body, &p); err != nil {
		return n, err
	}
	n.By = repo.OneLine(p.Actor.Name, repo.MostName)
	switch _, moved := p.From["stateId"]; {
	case p.Type == "Issue" && p.Action == "update" && moved:
		n.IDs, n.At = ids(p.Data.ID, p.Data.Identifier), p.Data.Updated.Time
		n.State = triage.IssueOpen
		switch p.Data.State.Type {
		case "completed", "canceled", "duplicate":
			n.State, n.Reason = triage.IssueClosed, reasons[p.Data.State.Type]
		case "":
			return n, lacks("data.state.type")
		}
		n.Name = repo.OneLine(cmp.Or(p.Data.Identifier, p.Data.ID), repo.MostName)
	case p.Type == "Comment" && p.Action == "create":
		n.IDs, n.At = ids(cmp.Or(p.Data.Issue.ID, p.Data.IssueID), p.Data.Issue.Identifier), p.Data.Created.Time
		n.By, n.Comment = repo.OneLine(cmp.Or(p.Data.User.Name, p.Actor.Name), repo.MostName), comment(p.Data.ID, p.Data.Body)
		n.Name = repo.OneLine(cmp.Or(p.Data.Issue.Identifier, p.Data.IssueID), repo.MostName)
	default:
		return n, nil
	}
	if len(n.IDs) == 0 && !n.Empty() {
		return triage.IssueNews{}, nil // a comment on something else, such as a project
	}
	if n.At.IsZero() && p.At > 0 {
		n.At = time.UnixMilli(p.At).UTC()
	}
	return n, nil
}

// ids are those names that a delivery has.
func ids(names ...string) (all []string) {
	for _, name := range names {
		if name = repo.OneLine(name, repo.MostName); name != "" {
			all = append(all, name)
		}
	}
	return all
}
