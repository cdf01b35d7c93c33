package webhook

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/sett/triage"
)

// MostIssueBody is how long a delivery of an issue tracker may be, in bytes.
const MostIssueBody = 2 << 20

// ofChannel is the secret of the webhook of an issue tracker.
const ofChannel = "webhook secret of this channel"

// mostComment is how much of a comment is kept, in bytes.
const mostComment = 16 << 10

// mostLinearSkew is how old a delivery of Linear may be (linear.app/developers/webhooks).
const mostLinearSkew = time.Minute

// ReadsIssues reports whether channels of a type can have a webhook.
func ReadsIssues(kind string) bool { _, ok := trackers[kind]; return ok }

// ReadIssue is Read for the webhook of an issue tracker, by the type of its channel. The token is that of the address.
func ReadIssue(kind string, header http.Header, token string, body []byte, secret string, now time.Time) (n triage.IssueNews, err error) {
	t, ok := trackers[kind]
	if !ok {
		return n, sett.Errorf(sett.NotFound, "A channel of the type %q has no webhook.", kind)
	}
	if !t.signed(header, body, secret, now) && (kind != "Jira" || !sameSecret(token, secret)) {
		return n, unsigned(ofChannel, t.advice)
	}
	event := repo.OneLine(header.Get(t.event), repo.MostName)
	if body, err = payloadOf(header, body); err != nil {
		return n, err
	}
	if n, err = t.read(event, body); err != nil {
		if event == "" {
			event = "this tracker"
		}
		return triage.IssueNews{}, unreadable(event, err)
	}
	if kind == "Linear" && !freshLinear(body, now) {
		return triage.IssueNews{}, unsigned(ofChannel, "its webhookTimestamp is more than a minute off; check the clock of this server")
	}
	if !n.Empty() && n.At.IsZero() {
		return triage.IssueNews{}, unreadable(event, lacks("time"))
	}
	return n, nil
}

// tracker is how one kind of tracker sends webhooks. Its reader returns empty news for what is of no use.
type tracker struct {
	signed func(header http.Header, body []byte, secret string, now time.Time) bool
	advice string // what to set there, so that its deliveries are signed
	event  string // header with the event; "" for none
	read   func(event string, body []byte) (triage.IssueNews, error)
}

var trackers = map[string]tracker{
	"Github": {
		signed: signedByHub, event: "X-GitHub-Event", read: gitHubIssue,
		advice: "open the webhook in the settings of the repository at GitHub, and enter the webhook secret of the channel under Secret.",
	},
	"Gitlab": {
		signed: signedByGitLab, event: "X-Gitlab-Event", read: gitLabIssue,
		advice: "open the webhook in the settings of the project at GitLab, and enter the webhook secret of the channel under Secret token.",
	},
	"Jira": {
		signed: signedByBitbucket, event: "", read: jiraIssue,
		advice: "open System, WebHooks in Jira, and enter the webhook secret of the channel under Secret; where Jira has no such field, add ?token= and the secret to the address.",
	},
	"Linear": {
		signed: signedByLinear, event: "Linear-Event", read: linearIssue,
		advice: "copy the signing secret that Linear shows for the webhook, and enter it as the webhook secret of the channel in sett.",
	},
}

func signedByLinear(header http.Header, body []byte, secret string, _ time.Time) bool {
	return signedHex(header, body, secret, "", "Linear-Signature")
}

// freshLinear reports whether Linear sent a delivery just now, by the time in its body.
func freshLinear(body []byte, now time.Time) bool {
	var p struct {
		At int64 `json:"webhookTimestamp"`
	}
	return json.Unmarshal(body, &p) == nil && now.Sub(time.UnixMilli(p.At)).Abs() <= mostLinearSkew
}

// comment returns a comment as plain text within the bound; nil for one that says nothing.
func comment(id, body string) *triage.IssueComment {
	if body = strings.TrimSpace(repo.Text(strings.ReplaceAll(body, "\r\n", "\n"), mostComment)); body == "" || id == "" {
		return nil
	}
	return &triage.IssueComment{ID: repo.OneLine(id, repo.MostName), Body: body}
}

// digits is the number of an issue; "" for what is none.
func digits(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}
