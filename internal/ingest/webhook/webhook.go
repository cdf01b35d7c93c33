// Package webhook reads what hosts of source control send when something happens in a repository: a push, a change that is proposed, merged
// or closed, a result of checks. It takes the header and the body of a request and the secret of the repository, checks who sent it, and
// returns what it says. Texts and lists are bounded, and what it cannot read is an error. It stores nothing, asks no host, and trusts no
// address and no name in a delivery.
package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/repo"
)

// MostBody is how long a delivery may be, in bytes. Its sender is not known before it is read, and strangers share 8 MiB of memory for bodies. A
// push of 2,048 commits, GitHub's most, fits at 3 KB a commit.
const MostBody = 7 << 20

// unsigned is the error of a delivery that is not signed with a secret of sett; it says what to set at the sender.
func unsigned(whose, advice string) error {
	return sett.Errorf(sett.Unauthenticated, "Nothing was recorded: the delivery is not signed with the %s: %s", whose, advice)
}

// Read checks the signature of a delivery of a host and returns what it says. An event that sett has no use for, such as a ping, is an empty
// Delivery with its name. Errors are *sett.Error with the code unauthenticated, malformed or too_large.
func Read(host repo.Host, header http.Header, body []byte, secret string, now time.Time) (repo.Delivery, error) {
	if len(body) > MostBody {
		return repo.Delivery{}, sett.Errorf(sett.TooLarge, "The delivery has %d bytes; at most %d are possible.", len(body), MostBody)
	}
	h, ok := hosts[host]
	if !ok {
		return repo.Delivery{}, sett.Errorf(sett.Malformed, "%q is not a kind of host that sends webhooks to sett.", host)
	}
	if !h.signed(header, body, secret, now) {
		return repo.Delivery{}, unsigned("secret of this repository", h.advice)
	}
	d := repo.Delivery{ID: repo.OneLine(first(header, h.ids...), repo.MostName), Event: repo.OneLine(first(header, h.events...), repo.MostName)}
	if d.Event == "" {
		return repo.Delivery{}, sett.Errorf(sett.Malformed, "The delivery has no header %s, so its event is not known.", h.events[0])
	}
	body, err := payloadOf(header, body)
	if err != nil {
		return repo.Delivery{}, err
	}
	read, ok := h.readers[d.Event]
	if !ok {
		return d, nil
	}
	if err := read(body, &d); err != nil {
		return repo.Delivery{}, unreadable(d.Event, err)
	}
	return d, nil
}

// kind is how one kind of host sends webhooks.
type kind struct {
	signed  func(header http.Header, body []byte, secret string, now time.Time) bool
	advice  string   // what to set at the host, so that its deliveries are signed
	ids     []string // headers with the id of a delivery, the best first
	events  []string // headers with its event
	readers map[string]reader
}

// reader reads the body of one kind of event.
type reader func(body []byte, d *repo.Delivery) error

var hosts = map[repo.Host]kind{
	repo.GitHub: {
		signed: signedByHub, advice: "open the webhook in the settings of the repository at GitHub, and enter the secret that sett shows under Secret.",
		ids: []string{"X-GitHub-Delivery"}, events: []string{"X-GitHub-Event"},
		readers: map[string]reader{
			"push": gitHubPush, "pull_request": gitHubChange, "check_suite": gitHubSuite, "status": gitHubStatus,
		},
	},
	repo.GitLab: {
		signed: signedByGitLab,
		advice: "open the webhook in the settings of the project at GitLab, and enter the secret that sett shows under Secret token or Signing token.",
		ids:    []string{"Idempotency-Key", "Webhook-Id", "X-Gitlab-Event-UUID"}, events: []string{"X-Gitlab-Event"},
		readers: map[string]reader{"Push Hook": gitLabPush, "Merge Request Hook": gitLabChange, "Pipeline Hook": gitLabPipeline},
	},
	repo.Gitea: {
		signed: signedByGitea,
		advice: "open the webhook in the settings of the repository at Gitea or Forgejo, and enter the secret that sett shows under Secret.",
		ids:    []string{"X-Gitea-Delivery", "X-Forgejo-Delivery", "X-GitHub-Delivery"},
		events: []string{"X-Gitea-Event", "X-Forgejo-Event", "X-GitHub-Event"},
		readers: map[string]reader{
			"push": giteaPush, "pull_request": giteaChange, "pull_request_sync": giteaChange, "status": gitHubStatus,
		},
	},
	repo.Bitbucket: {
		signed: signedByBitbucket, advice: "open the webhook in the settings of the repository at Bitbucket, and enter the secret that sett shows under Secret.",
		ids: []string{"X-Request-UUID", "X-Request-Id"}, events: []string{"X-Event-Key"},
		readers: map[string]reader{
			"repo:push": bitbucketPush, "repo:commit_status_created": bitbucketStatus, "repo:commit_status_updated": bitbucketStatus,
			"pullrequest:created": bitbucketChange, "pullrequest:updated": bitbucketChange,
			"pullrequest:fulfilled": bitbucketChange, "pullrequest:rejected": bitbucketChange,
			"repo:refs_changed": serverPush, "pr:opened": serverChange, "pr:from_ref_updated": serverChange, "pr:modified": serverChange,
			"pr:merged": serverChange, "pr:declined": serverChange, "pr:reopened": serverChange,
		},
	},
}

// unreadable is the error of a body that is not as the host documents it.
func unreadable(event string, err error) error {
	if e, ok := errors.AsType[*sett.Error](err); ok {
		return e
	}
	var text string
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		text = fmt.Sprintf("its field %s is of another type, %s", repo.OneLine(e.Field, repo.MostName), repo.OneLine(e.Value, repo.MostName))
	} else {
		text = "its body is not valid JSON"
	}
	return sett.Errorf(sett.Malformed, "The delivery of the event %s cannot be read: %s.", event, text)
}

// lacks is the error of a body without what its event is about.
func lacks(what string) error {
	return sett.Errorf(sett.Malformed, "The delivery cannot be read: it has no valid %s.", what)
}

// first returns the first of some headers that a request has.
func first(header http.Header, names ...string) string {
	for _, name := range names {
		if value := header.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// branchOf returns the branch of a full reference name; ok is false for tags and others.
func branchOf(ref string) (branch string, ok bool) {
	branch, ok = strings.CutPrefix(ref, "refs/heads/")
	return repo.OneLine(branch, repo.MostBranch), ok && branch != ""
}
