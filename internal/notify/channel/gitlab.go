package channel

import (
	"context"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// gitLab creates issues in a project (docs.gitlab.com/api/issues): a title has at most 255 characters, a description
// 1,048,576. Lines of a description that begin with a slash are commands (docs.gitlab.com/user/project/quick_actions), and
// some worked even in blocks of code (gitlab.com/gitlab-org/gitlab/-/issues/204774). There is no idempotency key, so the
// list is searched for an issue of an earlier attempt.
func gitLab() Kind {
	return Kind{
		Type: "Gitlab", Name: "GitLab", Tracker: true, Hears: true,
		About: "Creates, closes and reopens issues in a GitLab project.",
		Options: []Option{
			{Name: "server", Label: "Server", About: "https://gitlab.com, or the URL of your own server.", Form: Address, Required: true, Default: "https://gitlab.com"},
			{Name: "project", Label: "Project", About: "Path of the project, such as acme/shop, or its ID.", Form: Text, Required: true},
			{Name: "token", Label: "Access token", About: "Project or personal access token with the scope api.", Form: Text, Required: true, Secret: true},
			labelsOption(), webhookSecret(usualSecret),
		},
		Check: checkGitLab,
		Make: func(t Tools, v Values) Sender {
			return trackerSender{gitLabTracker{t, v}, "Gitlab", "GitLab"}
		},
		Issue: gitLabAddress,
	}
}

var gitLabProject = regexp.MustCompile(`^([0-9]+|[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)+)$`)

func checkGitLab(p *sett.Problems, v Values) {
	if project := v["project"]; project != "" && !gitLabProject.MatchString(project) {
		p.Add("options.project", "must be a path such as acme/shop, or a number")
	}
}

// gitLabAddress is where GitLab shows an issue. It has pages below the path of a project, and none below its number.
func gitLabAddress(v Values, link triage.LinkData) string {
	server, number := strings.TrimRight(v["server"], "/"), linkNumber(link, "number")
	if number == "" || server == "" || !strings.Contains(v["project"], "/") {
		return ""
	}
	return server + "/" + v["project"] + "/-/issues/" + number
}

// gitLabLink is a link with an issue, with its address where GitLab says it.
func gitLabLink(number int64, address string) triage.LinkData {
	fields := map[string]any{"number": number}
	if address != "" {
		fields["web_url"] = address
	}
	return triage.NewLinkData(fields)
}

type gitLabTracker struct {
	Tools
	values Values
}

type gitLabIssue struct {
	Title       string `json:"title"`
	Description string `json:"description"`
	Labels      string `json:"labels,omitempty"`
}

type gitLabChange struct {
	Event string `json:"state_event"`
}

func (t gitLabTracker) create(ctx context.Context, m Message) (Receipt, error) {
	title := fit(issueTitle(m, ""), longestTitle, unmentioned) // GitLab notifies users that a title mentions
	a, err := t.ask(ctx, http.MethodPost, gitLabIssue{title, markdownIssue(m), strings.Join(names(t.values["labels"]), ",")})
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct {
		Number  int64  `json:"iid"`
		Address string `json:"web_url"`
	}
	err = a.understand("GitLab", &said)
	return Receipt{Status: a.status, Link: gitLabLink(said.Number, said.Address)}, err
}

func (t gitLabTracker) list(ctx context.Context, since time.Time) (issueList, error) {
	var all []struct {
		Number      int64 `json:"iid"`
		Description string
		Address     string `json:"web_url"`
	}
	address := withAll(t.issues(), "scope", "all", "created_after", since.Format(time.RFC3339), "order_by", "created_at", "sort", "asc", "per_page", strconv.Itoa(mostListed))
	a, err := t.look(ctx, "GitLab", address, t.header(), &all)
	found := issueList{status: a.status, whole: len(all) < mostListed}
	for _, issue := range all {
		found.issues = append(found.issues, listedIssue{issue.Description, gitLabLink(issue.Number, issue.Address)})
	}
	return found, err
}

func (t gitLabTracker) set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error) {
	change := gitLabChange{"close"}
	if open {
		change = gitLabChange{"reopen"}
	}
	a, err := t.ask(ctx, http.MethodPut, change, linkNumber(link, "number"))
	return Receipt{Status: a.status, SetAt: a.clock()}, acknowledged("GitLab", a, err, a.has("iid"))
}

func (t gitLabTracker) comment(ctx context.Context, m Message, link triage.LinkData) (Receipt, error) {
	a, err := t.ask(ctx, http.MethodPost, gitHubComment{markdownComment(m)}, linkNumber(link, "number"), "notes")
	return Receipt{Status: a.status}, acknowledged("GitLab", a, err, a.has("id"))
}

// ask sends a request below the project's issues.
func (t gitLabTracker) ask(ctx context.Context, method string, v any, below ...string) (answer, error) {
	return t.sendJSON(ctx, method, t.issues(below...), t.header(), v)
}

// issues returns the address of what is below the project's issues.
func (t gitLabTracker) issues(below ...string) string {
	return under(t.values["server"], append([]string{"api", "v4", "projects", t.values["project"], "issues"}, below...)...)
}

func (t gitLabTracker) header() http.Header { return http.Header{"Private-Token": {t.values["token"]}} }
