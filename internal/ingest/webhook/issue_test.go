package webhook_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sett/internal/ingest/webhook"
	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// issueHeader is the header of a delivery that is signed with a secret.
func issueHeader(kind, event string, body []byte, secret string) http.Header {
	sum := hex.EncodeToString(mac([]byte(secret), string(body)))
	h := http.Header{"Content-Type": {"application/json"}}
	switch kind {
	case "Github":
		h.Set("X-Hub-Signature-256", "sha256="+sum)
		h.Set("X-GitHub-Event", event)
	case "Gitlab":
		h.Set("X-Gitlab-Token", secret)
		h.Set("X-Gitlab-Event", event)
	case "Jira":
		h.Set("X-Hub-Signature", "sha256="+sum)
	case "Linear":
		h.Set("Linear-Signature", sum)
		h.Set("Linear-Event", event)
	}
	return h
}

func said(n triage.IssueNews) string {
	text := fmt.Sprintf("%s by %s at %s", n.Name, n.By, n.At.Format(time.RFC3339))
	if n.State != "" {
		text += ": " + string(n.State) + " " + n.Reason
	}
	if n.Comment != nil {
		text += ": " + n.Comment.ID + " " + n.Comment.Body
	}
	return strings.TrimSpace(text)
}

// The deliveries of testdata/issues are shortened from those that the trackers document.
func TestReadIssue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 30, 0, time.UTC)
	for _, c := range []struct{ kind, event, file, want string }{
		{"Github", "issues", "github_closed", "acme/shop#12 by ada at 2026-11-20T10:00:00Z: closed as not planned"},
		{"Github", "issues", "github_reopened", "acme/shop#12 by ada at 2026-11-20T10:00:00Z: open"},
		{"Github", "issue_comment", "github_comment", "acme/shop#12 by bob at 2026-11-20T10:00:00Z: 992 I can see it too.\nOn the cart."},
		{"Github", "push", "github_closed", ""},
		{"Gitlab", "Issue Hook", "gitlab_closed", "acme/shop#12 by ada at 2026-11-20T10:00:00Z: closed"},
		{"Gitlab", "Note Hook", "gitlab_note", "acme/shop#12 by ada at 2026-11-20T10:00:00Z: 1241 It is the cache."},
		{"Gitlab", "Confidential Note Hook", "gitlab_note", ""},
		{"Jira", "", "jira_done", "SHOP-12 by Ada Lovelace at 2026-11-20T10:00:00Z: closed"},
		{"Jira", "", "jira_renamed", ""},
		{"Jira", "", "jira_comment", "SHOP-12 by Bob at 2026-11-20T10:00:00Z: 10100 Looks like the cache."},
		{"Linear", "Issue", "linear_canceled", "SHOP-12 by Ada at 2026-11-20T10:00:00Z: closed as canceled"},
		{"Linear", "Issue", "linear_titled", ""},
		{"Linear", "Comment", "linear_comment", "SHOP-12 by Bob at 2026-11-20T10:00:00Z: c-1 It is the cache."},
	} {
		body, err := os.ReadFile(filepath.Join("testdata", "issues", c.file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		n, err := webhook.ReadIssue(c.kind, issueHeader(c.kind, c.event, body, secret), "", body, secret, now)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
		}
		if got := said(n); c.want == "" && !n.Empty() || c.want != "" && got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.file, c.event, got, c.want)
		}
		for what, header := range map[string]http.Header{"forged": issueHeader(c.kind, c.event, body, "guessed"), "not signed": {}} {
			if _, err := webhook.ReadIssue(c.kind, header, "", body, secret, now); sett.CodeOf(err) != sett.Unauthenticated {
				t.Errorf("%s %s: %v", c.file, what, err)
			}
			if _, err := webhook.ReadIssue(c.kind, header, secret, body, secret, now); (sett.CodeOf(err) == sett.Unauthenticated) != (c.kind != "Jira") {
				t.Errorf("%s %s, with the token in the address: %v", c.file, what, err)
			}
		}
		if _, err := webhook.ReadIssue(c.kind, issueHeader(c.kind, c.event, body, ""), "", body, "", now); sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("%s with no secret: %v", c.file, err)
		}
		late := now.Add(2 * time.Minute)
		if _, err := webhook.ReadIssue(c.kind, issueHeader(c.kind, c.event, body, secret), "", body, secret, late); (err != nil) != (c.kind == "Linear") {
			t.Errorf("%s two minutes later: %v", c.file, err)
		}
	}
}

func TestIssuesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, event, body string }{
		{"Github", "issues", `{`},
		{"Github", "issues", `[]`},
		{"Github", "issues", `{"action":"closed","issue":{"number":-1},"repository":{"full_name":"a/b"}}`},
		{"Github", "issues", `{"action":"closed","issue":{"number":1},"repository":{"full_name":"a/b"}}`},
		{"Gitlab", "Issue Hook", `{"object_attributes":{"action":"close"}}`},
		{"Jira", "", `{"webhookEvent":"jira:issue_updated"}`},
		{"Jira", "", `{"webhookEvent":"jira:issue_updated","issue":{"key":"A-1"},"timestamp":-1,"changelog":{"items":[{"field":"status"}]}}`},
		{"Linear", "Issue", `{"type":"Issue","action":"update","updatedFrom":{"stateId":"x"},"data":{"id":"x"}}`},
	} {
		body := []byte(c.body)
		_, err := webhook.ReadIssue(c.kind, issueHeader(c.kind, c.event, body, secret), "", body, secret, now)
		if sett.CodeOf(err) != sett.Malformed {
			t.Errorf("%s: %s: %v", c.kind, c.body, err)
		}
	}
}
