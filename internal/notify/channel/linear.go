package channel

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sett/internal/sett/triage"
)

// linear creates issues for a team by GraphQL (linear.app/developers/graphql). The client chooses the id of an issue, so a
// message that is sent twice creates one issue.
func linear() Kind {
	return Kind{
		Type: "Linear", Name: "Linear", Tracker: true, Hears: true,
		About: "Creates, closes and reopens issues in a Linear team.",
		Options: []Option{
			{Name: "token", Label: "API key", About: "Personal API key, which starts with lin_api_, or an OAuth token.", Form: Text, Required: true, Secret: true},
			{Name: "team_id", Label: "Team", About: "ID of the team, a UUID.", Form: Text, Required: true},
			{Name: "done_state", Label: "Status when closed", About: "Name of the status of closed issues. Defaults to the team's first status of the type Completed.", Form: Text},
			{Name: "open_state", Label: "Status when reopened", About: "Name of the status of reopened issues. Defaults to the team's first status of the type Unstarted.", Form: Text},
			webhookSecret("The signing secret that Linear shows for its webhook. Signs what Linear sends to sett."),
		},
		Make: func(t Tools, v Values) Sender {
			return trackerSender{linearTracker{t, v}, "Linear", "Linear"}
		},
	}
}

type linearTracker struct {
	Tools
	values Values
}

type linearRequest struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables"`
}

type linearIssue struct {
	ID         string      `json:"id"`
	Identifier string      `json:"identifier"`
	URL        string      `json:"url"`
	State      linearState `json:"state"`
	Team       struct {
		States struct{ Nodes []linearState } `json:"states"`
	} `json:"team"`
}

func (i linearIssue) link() triage.LinkData {
	return triage.NewLinkData(map[string]any{"id": i.ID, "identifier": i.Identifier, "url": i.URL})
}

// linearState is a state of a team's workflow. Its type is triage, backlog, unstarted, started, completed, canceled or
// duplicate.
type linearState struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Type     string  `json:"type"`
	Position float64 `json:"position"`
}

func (s linearState) closed() bool {
	return s.Type == "completed" || s.Type == "canceled" || s.Type == "duplicate"
}

// linearAnswer is what Linear answers, with the data of whatever was asked.
type linearAnswer struct {
	Data struct {
		Create  struct{ Issue linearIssue } `json:"issueCreate"`
		Update  struct{ Success bool }      `json:"issueUpdate"`
		Comment struct{ Success bool }      `json:"commentCreate"`
		Issue   *linearIssue                `json:"issue"`
	}
	Errors []struct {
		Message    string
		Extensions struct{ Code string }
	}
}

const (
	linearCreate  = `mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier url } } }`
	linearFind    = `query($id: String!) { issue(id: $id) { id identifier url state { type } team { states { nodes { id name type position } } } } }`
	linearComment = `mutation($input: CommentCreateInput!) { commentCreate(input: $input) { success } }`
	linearUpdate  = `mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }`
)

func (t linearTracker) create(ctx context.Context, m Message) (Receipt, error) {
	id := linearID(m)
	a, said, err := t.ask(ctx, linearCreate, map[string]any{"input": map[string]any{
		"id": id, "teamId": t.values["team_id"], "title": issueTitle(m, ""), "description": markdownIssue(m),
	}})
	if err == nil {
		return Receipt{Status: a.status, Link: said.Data.Create.Issue.link()}, nil
	}
	if len(said.Errors) > 0 { // maybe because a try whose answer was lost has made it: Linear has no code for that
		if issue := t.made(ctx, id); issue != nil {
			return Receipt{Status: http.StatusOK, Link: issue.link(), Note: issueMade}, nil
		}
	}
	return Receipt{Status: a.status}, err
}

// made returns the issue that has an id; nil for none.
func (t linearTracker) made(ctx context.Context, id string) *linearIssue {
	_, said, err := t.ask(ctx, linearFind, map[string]any{"id": id})
	if err != nil {
		return nil
	}
	return said.Data.Issue
}

// linearID is the id of the issue that a message makes: a UUID that looks like a random one, which Linear wants.
func linearID(m Message) string {
	sum := sha256.Sum256([]byte("issue of " + m.ID + " " + m.key()))
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

func (t linearTracker) set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error) {
	id := linkText(link, "id")
	a, said, err := t.ask(ctx, linearFind, map[string]any{"id": id})
	issue := said.Data.Issue
	switch {
	case err == nil && issue == nil, len(said.Errors) > 0 && strings.HasPrefix(said.Errors[0].Message, "Entity not found"):
		return Receipt{Status: a.status}, goneIssue(a.status, "Linear has no such issue")
	case err != nil:
		return Receipt{Status: a.status}, err
	case issue.State.closed() == !open:
		return Receipt{Status: a.status, SetAt: a.clock(), Note: issueSo}, nil
	}
	state, problem := t.choose(issue.Team.States.Nodes, open)
	if problem != "" {
		return Receipt{Status: a.status}, t.refused(a, true, problem)
	}
	a, said, err = t.ask(ctx, linearUpdate, map[string]any{"id": id, "input": map[string]any{"stateId": state}})
	if err == nil && !said.Data.Update.Success {
		err = t.refused(a, true, "Linear did not change the issue")
	}
	return Receipt{Status: a.status, SetAt: a.clock()}, err
}

func (t linearTracker) comment(ctx context.Context, m Message, link triage.LinkData) (Receipt, error) {
	a, said, err := t.ask(ctx, linearComment, map[string]any{"input": map[string]any{
		"id": linearID(m), "issueId": linkText(link, "id"), "body": markdownComment(m),
	}})
	if err == nil && !said.Data.Comment.Success {
		err = t.refused(a, true, "Linear did not add the comment")
	}
	return Receipt{Status: a.status}, err
}

// choose returns the id of the state for an issue that is opened or closed, or the reason why there is none.
func (t linearTracker) choose(all []linearState, open bool) (id, problem string) {
	option, types := "done_state", []string{"completed"}
	if open {
		option, types = "open_state", []string{"unstarted", "backlog", "triage", "started"}
	}
	name := t.values[option]
	slices.SortStableFunc(all, func(a, b linearState) int { return cmp.Compare(a.Position, b.Position) })
	for _, s := range all {
		if name != "" && strings.EqualFold(s.Name, name) {
			return s.ID, ""
		}
	}
	for _, kind := range types {
		if i := slices.IndexFunc(all, func(s linearState) bool { return s.Type == kind }); i >= 0 && name == "" {
			return all[i].ID, ""
		}
	}
	return "", fmt.Sprintf("the issue's team has no status %q; correct the option %s", name, option)
}

// ask sends a query.
func (t linearTracker) ask(ctx context.Context, query string, variables map[string]any) (answer, linearAnswer, error) {
	token := t.values["token"]
	if !strings.HasPrefix(token, "lin_api_") {
		token = "Bearer " + token
	}
	a, err := t.postJSON(ctx, t.service("https://api.linear.app")+"/graphql", http.Header{"Authorization": {token}}, linearRequest{query, variables})
	if err != nil && a.status != http.StatusBadRequest {
		return a, linearAnswer{}, err
	}
	said, strange := t.read(a)
	if strange != nil && (err == nil || len(said.Errors) > 0) {
		err = strange
	}
	return a, said, err
}

// read reads a response. Errors of a query, and rate limits, are in its errors, with a status of 200 or 400
// (linear.app/developers/graphql and /rate-limiting).
func (t linearTracker) read(a answer) (said linearAnswer, err error) {
	if err := a.understand("Linear", &said); err != nil {
		return linearAnswer{}, err
	}
	if len(said.Errors) == 0 {
		return said, nil
	}
	first := said.Errors[0]
	passing := first.Extensions.Code == "RATELIMITED" || first.Extensions.Code == "INTERNAL_SERVER_ERROR"
	return said, t.refused(a, !passing, "Linear returned: "+first.Message)
}
