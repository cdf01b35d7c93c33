package channel

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// gitHub creates issues in a repository (docs.github.com/en/rest/issues/issues): a title has at most 256 characters, a body
// 65,536. There is no idempotency key, and searches lag behind, so the list is searched for an issue of an earlier attempt.
func gitHub() Kind {
	return Kind{
		Type: "Github", Name: "GitHub", Tracker: true, Hears: true,
		About: "Creates, closes and reopens issues in a GitHub repository.",
		Options: []Option{
			{Name: "repo", Label: "Repository", About: "Owner and name, such as acme/shop.", Form: Text, Required: true},
			{Name: "token", Label: "Token", About: "Token that may read and write the repository's issues.", Form: Text, Required: true, Secret: true},
			{
				Name: "title_format", Label: "Title", Form: Text,
				About: "Title of issues. May contain [class], [message], [environment] and [project]. Defaults to " + usualTitle + ".",
			},
			labelsOption(), webhookSecret(usualSecret),
			{Name: "server", Label: "API of a server", About: "For GitHub Enterprise: its API URL, such as https://github.example.org/api/v3, instead of https://api.github.com.", Form: Address},
		},
		Check: checkGitHub,
		Make: func(t Tools, v Values) Sender {
			return trackerSender{gitHubTracker{t, v}, "Github", "GitHub"}
		},
		Issue: gitHubAddress,
	}
}

var gitHubRepo = regexp.MustCompile(`^[A-Za-z0-9_-]+/[A-Za-z0-9._-]*[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

func checkGitHub(p *sett.Problems, v Values) {
	if repo := v["repo"]; repo != "" && !gitHubRepo.MatchString(repo) {
		p.Add("options.repo", "must be an owner and a repository, such as acme/shop")
	}
}

// gitHubAddress is where GitHub shows an issue. A server of one's own has its pages beside its interface.
func gitHubAddress(v Values, link triage.LinkData) string {
	server, number := "https://github.com", linkNumber(link, "number")
	if own := strings.TrimRight(v["server"], "/"); own != "" && own != "https://api.github.com" {
		server = strings.TrimSuffix(own, "/api/v3")
	}
	if number == "" || v["repo"] == "" {
		return ""
	}
	return server + "/" + v["repo"] + "/issues/" + number
}

type gitHubTracker struct {
	Tools
	values Values
}

type gitHubIssue struct {
	Title  string   `json:"title"`
	Body   string   `json:"body"`
	Labels []string `json:"labels,omitempty"`
}

type gitHubState struct {
	State  string `json:"state"`
	Reason string `json:"state_reason"`
}

func (t gitHubTracker) create(ctx context.Context, m Message) (Receipt, error) {
	a, err := t.ask(ctx, http.MethodPost, gitHubIssue{issueTitle(m, t.values["title_format"]), markdownIssue(m), names(t.values["labels"])})
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct{ Number int64 }
	err = a.understand("GitHub", &said)
	return Receipt{Status: a.status, Link: triage.NewLinkData(map[string]any{"number": said.Number})}, err
}

// list reads the newest issues: those that were changed since then are all that GitHub can be asked for, with pull requests
// among them.
func (t gitHubTracker) list(ctx context.Context, since time.Time) (issueList, error) {
	var all []struct {
		Number  int64
		Body    string
		Created time.Time `json:"created_at"`
		Pull    any       `json:"pull_request"`
	}
	address := withAll(t.issues(), "state", "all", "sort", "created", "direction", "desc", "since", since.Format(time.RFC3339), "per_page", strconv.Itoa(mostListed))
	a, err := t.look(ctx, "GitHub", address, t.header(), &all)
	found := issueList{status: a.status, whole: len(all) < mostListed}
	for _, issue := range slices.Backward(all) {
		found.whole = found.whole || issue.Created.Before(since)
		if issue.Pull == nil {
			found.issues = append(found.issues, listedIssue{issue.Body, triage.NewLinkData(map[string]any{"number": issue.Number})})
		}
	}
	return found, gitHubLimit(err, a, t.now())
}

func (t gitHubTracker) set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error) {
	state := gitHubState{"closed", "completed"}
	if open {
		state = gitHubState{"open", "reopened"}
	}
	a, err := t.ask(ctx, http.MethodPatch, state, linkNumber(link, "number"))
	return Receipt{Status: a.status, SetAt: a.clock()}, acknowledged("GitHub", a, err, a.has("number"))
}

func (t gitHubTracker) comment(ctx context.Context, m Message, link triage.LinkData) (Receipt, error) {
	a, err := t.ask(ctx, http.MethodPost, gitHubComment{markdownComment(m)}, linkNumber(link, "number"), "comments")
	return Receipt{Status: a.status}, acknowledged("GitHub", a, err, a.has("id"))
}

// gitHubComment is a comment on an issue of GitHub, GitLab or Jira.
type gitHubComment struct {
	Body string `json:"body"`
}

// ask sends a request below the repository's issues.
func (t gitHubTracker) ask(ctx context.Context, method string, v any, below ...string) (answer, error) {
	a, err := t.sendJSON(ctx, method, t.issues(below...), t.header(), v)
	return a, gitHubLimit(err, a, t.now())
}

// issues returns the address of what is below the repository's issues.
func (t gitHubTracker) issues(below ...string) string {
	server := t.values["server"]
	if server == "" {
		server = t.service("https://api.github.com")
	}
	owner, name, _ := strings.Cut(t.values["repo"], "/")
	return under(server, append([]string{"repos", owner, name, "issues"}, below...)...)
}

func (t gitHubTracker) header() http.Header {
	return http.Header{
		"Authorization": {"Bearer " + t.values["token"]}, "Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"},
	}
}

// gitHubPause is how long to leave GitHub alone after a secondary limit that does not say.
const gitHubPause = time.Minute

// gitHubLimit distinguishes a rate limit from a refusal: GitHub may return 403 for both, and reports a secondary limit only
// in the text (docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api).
func gitHubLimit(err error, a answer, now time.Time) error {
	f, failed := errors.AsType[*Failure](err)
	spent := a.header.Get("X-Ratelimit-Remaining") == "0"
	secondary := strings.Contains(string(a.body), "secondary rate limit")
	limited := a.status == http.StatusTooManyRequests || a.status == http.StatusForbidden && (spent || secondary || a.header.Get("Retry-After") != "")
	if !failed || !limited {
		return err
	}
	f.Permanent, f.RetryAfter = false, a.retryAfter(now)
	reset, no := strconv.ParseInt(a.header.Get("X-Ratelimit-Reset"), 10, 64)
	switch {
	case f.RetryAfter > 0:
	case spent && no == nil:
		f.RetryAfter = wait(float64(reset - now.Unix()))
	case secondary:
		f.RetryAfter = gitHubPause
	}
	return f
}
