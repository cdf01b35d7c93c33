package channel

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// jira creates issues in a project (developer.atlassian.com/cloud/jira/platform/rest/v2/api-group-issues, which Jira Data
// Center supports too): a summary has at most 255 characters, a description 32,767. There is no idempotency key, and a label
// for each message would fill the project's list of labels, so it searches for an issue of an earlier attempt. The search
// lags behind by seconds.
func jira() Kind {
	return Kind{
		Type: "Jira", Name: "Jira", Tracker: true, Hears: true,
		About: "Creates, closes and reopens issues in a Jira project.",
		Options: []Option{
			{Name: "server", Label: "Server", About: "URL of your Jira, such as https://acme.atlassian.net.", Form: Address, Required: true},
			{Name: "email", Label: "Email", About: "Email of the account that owns the API token. Leave empty for an access token of Jira Data Center.", Form: Text, Step: First},
			{Name: "token", Label: "API token", About: "Token of an account that may create and transition issues.", Form: Text, Required: true, Secret: true},
			{Name: "project_key", Label: "Project", About: "Key of the project, such as OPS.", Form: Text, Required: true},
			{Name: "issue_type", Label: "Type of issues", About: "An issue type of the project.", Form: Text, Default: "Bug"},
			{Name: "done_transition", Label: "Transition that closes", About: "Name of the transition that closes an issue. Defaults to the first one to a status of the category Done.", Form: Text},
			{Name: "reopen_transition", Label: "Transition that reopens", About: "Name of the transition that reopens an issue. Defaults to the first one to a status of the category To Do, or else of any category but Done.", Form: Text},
			webhookSecret(usualSecret),
		},
		Check: checkJira,
		Make:  makeJira,
		Issue: jiraAddress,
	}
}

var jiraKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

func checkJira(p *sett.Problems, v Values) {
	if key := v["project_key"]; key != "" && !jiraKey.MatchString(key) {
		p.Add("options.project_key", "must be the key of a project, such as OPS")
	}
}

// jiraAddress is where Jira shows an issue: what it calls self is for programs.
func jiraAddress(v Values, link triage.LinkData) string {
	server, key := strings.TrimRight(v["server"], "/"), linkText(link, "key")
	if server == "" || key == "" {
		return ""
	}
	return server + "/browse/" + url.PathEscape(key)
}

func makeJira(t Tools, v Values) Sender {
	login := "Bearer " + v["token"]
	if v["email"] != "" {
		code := base64.StdEncoding.EncodeToString([]byte(v["email"] + ":" + v["token"]))
		login, t.secrets = "Basic "+code, append(slices.Clip(t.secrets), code)
	}
	return trackerSender{jiraTracker{t, v, http.Header{"Authorization": {login}, "Accept": {"application/json"}}}, "Jira", "Jira"}
}

type jiraTracker struct {
	Tools
	values Values
	header http.Header
}

type jiraIssue struct {
	Fields jiraFields `json:"fields"`
}

type jiraFields struct {
	Project     jiraProject `json:"project"`
	Type        jiraName    `json:"issuetype"`
	Summary     string      `json:"summary"`
	Description string      `json:"description"`
}

type jiraProject struct {
	Key string `json:"key"`
}

type jiraName struct {
	Name string `json:"name"`
}

func (t jiraTracker) create(ctx context.Context, m Message) (Receipt, error) {
	kind := t.values["issue_type"]
	if kind == "" {
		kind = "Bug"
	}
	a, err := t.postJSON(ctx, t.issue(), t.header, jiraIssue{jiraFields{
		jiraProject{t.values["project_key"]}, jiraName{kind}, issueTitle(m, ""), jiraText(m),
	}})
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct {
		ID        json.Number // in quotes
		Key, Self string
	}
	err = a.understand("Jira", &said)
	return Receipt{Status: a.status, Link: triage.NewLinkData(map[string]any{"id": said.ID, "key": said.Key, "self": said.Self})}, err
}

// list searches as Jira Cloud has it (developer.atlassian.com/cloud/jira/platform/rest/v2/api-group-issue-search), which
// does so no more as Data Center does.
func (t jiraTracker) list(ctx context.Context, since time.Time) (issueList, error) {
	found, err := t.search(ctx, since, "search", "jql")
	if found.status == http.StatusNotFound {
		return t.search(ctx, since, "search")
	}
	return found, err
}

func (t jiraTracker) search(ctx context.Context, since time.Time, path ...string) (issueList, error) {
	minutes := int(t.now().Sub(since).Minutes()) + 1 // a time of day would be that of the account's zone
	jql := fmt.Sprintf(`project = "%s" AND created >= -%dm ORDER BY created ASC`, t.values["project_key"], minutes)
	var said struct {
		Issues []struct {
			ID        json.Number // in quotes
			Key, Self string
			Fields    struct{ Description string }
		}
	}
	address := withAll(t.below(path...), "jql", jql, "fields", "description", "maxResults", strconv.Itoa(mostListed))
	a, err := t.look(ctx, "Jira", address, t.header, &said)
	if err == nil && said.Issues == nil {
		err = a.strange("Jira")
	}
	found := issueList{status: a.status, whole: len(said.Issues) < mostListed, lags: true}
	for _, issue := range said.Issues {
		link := triage.NewLinkData(map[string]any{"id": issue.ID, "key": issue.Key, "self": issue.Self})
		found.issues = append(found.issues, listedIssue{issue.Fields.Description, link})
	}
	return found, err
}

var jiraEnd = regexp.MustCompile(`(?i)\{(noformat)`)

// jiraText writes the issue as Jira's own markup, which no text can leave {noformat} of
// (jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=advanced).
func jiraText(m Message) string {
	return issueText(m, "[Open the error in sett|"+m.stamp()+"]", jiraBlock, "*Backtrace*")
}

func jiraBlock(lines []string) string {
	return "{noformat}\n" + jiraEnd.ReplaceAllString(strings.Join(lines, "\n"), "{"+none+"$1") + "\n{noformat}"
}

func (t jiraTracker) comment(ctx context.Context, m Message, link triage.LinkData) (Receipt, error) {
	id := cmp.Or(linkNumber(link, "id"), linkText(link, "key"))
	text := commentText(m, "["+triage.CommentMark+"|"+m.stamp()+"]", jiraBlock)
	a, err := t.postJSON(ctx, t.issue(id, "comment"), t.header, gitHubComment{text})
	return Receipt{Status: a.status}, acknowledged("Jira", a, err, a.has("id"))
}

// issue returns the address of what is below the issues.
func (t jiraTracker) issue(below ...string) string {
	return t.below(append([]string{"issue"}, below...)...)
}

// below returns the address of what is below the interface.
func (t jiraTracker) below(path ...string) string {
	return under(t.values["server"], append([]string{"rest", "api", "2"}, path...)...)
}

type jiraStatus struct {
	Category struct {
		Key string `json:"key"` // new, indeterminate or done
	} `json:"statusCategory"`
}

func (s jiraStatus) done() bool { return s.Category.Key == "done" }

type jiraTransition struct {
	ID   string     `json:"id"`
	Name string     `json:"name"`
	To   jiraStatus `json:"to"`
}

type jiraMove struct {
	Transition struct {
		ID string `json:"id"`
	} `json:"transition"`
}

// set moves an issue through its workflow: Jira returns the possible transitions with the issue.
func (t jiraTracker) set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error) {
	id := cmp.Or(linkNumber(link, "id"), linkText(link, "key"))
	address := with(with(t.issue(id), "fields", "status"), "expand", "transitions")
	a, err := t.exchange(ctx, http.MethodGet, address, t.header, "", nil)
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct {
		Fields      struct{ Status jiraStatus }
		Transitions []jiraTransition
	}
	if err := a.understand("Jira", &said); err != nil {
		return Receipt{Status: a.status}, err
	}
	if said.Fields.Status.done() == !open {
		return Receipt{Status: a.status, SetAt: a.clock(), Note: issueSo}, nil
	}
	move := jiraMove{}
	if move.Transition.ID = t.choose(said.Transitions, open); move.Transition.ID == "" {
		return Receipt{Status: a.status}, t.refused(a, true, t.noTransition(open))
	}
	a, err = t.postJSON(ctx, t.issue(id, "transitions"), t.header, move)
	return Receipt{Status: a.status, SetAt: a.clock()}, acknowledged("Jira", a, err, !a.isPage())
}

// option returns the name of the transition that people want, and the name of its option.
func (t jiraTracker) option(open bool) (name, option string) {
	option = "done_transition"
	if open {
		option = "reopen_transition"
	}
	return t.values[option], option
}

// choose returns the id of the transition that opens or closes an issue; "" for none.
func (t jiraTracker) choose(all []jiraTransition, open bool) string {
	name, _ := t.option(open)
	for _, fits := range []func(jiraTransition) bool{
		func(way jiraTransition) bool { return name != "" && strings.EqualFold(way.Name, name) },
		func(way jiraTransition) bool { return name == "" && open && way.To.Category.Key == "new" },
		func(way jiraTransition) bool { return name == "" && way.To.done() == !open },
	} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].ID
		}
	}
	return ""
}

func (t jiraTracker) noTransition(open bool) string {
	name, option := t.option(open)
	if name != "" {
		return fmt.Sprintf("the issue has no transition %q in its current status; correct the option %s", name, option)
	}
	return "no transition of the issue leads to the required status; enter one in the option " + option
}
