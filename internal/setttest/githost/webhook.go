package githost

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/repo"
)

// Webhook is a request that a host sends.
type Webhook struct {
	Header http.Header
	Body   []byte
}

// Post sends the webhook to an address and returns the status of the answer. Sent twice, it is a replay.
func (w Webhook) Post(t testing.TB, address string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(w.Body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = w.Header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

// With returns the webhook with another body, and the old signature.
func (w Webhook) With(body string) Webhook { return Webhook{w.Header, []byte(body)} }

const none = "0000000000000000000000000000000000000000"

// signed makes the webhook of an event, with the secret and an id of its own.
func (s *Server) signed(h repo.Host, event string, body object) Webhook {
	text, err := json.Marshal(body)
	if err != nil {
		s.t.Error(err)
	}
	s.deliveries++
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", s.deliveries)
	mac := hmac.New(sha256.New, []byte(s.secret))
	mac.Write(text)
	sum := hex.EncodeToString(mac.Sum(nil))
	header := http.Header{}
	for name, value := range map[repo.Host]map[string]string{
		repo.GitHub:    {"X-GitHub-Event": event, "X-GitHub-Delivery": id, "X-Hub-Signature-256": "sha256=" + sum},
		repo.GitLab:    {"X-Gitlab-Event": event, "X-Gitlab-Event-UUID": id, "Idempotency-Key": id, "X-Gitlab-Token": s.secret},
		repo.Gitea:     {"X-Gitea-Event": event, "X-Gitea-Delivery": id, "X-Gitea-Signature": sum, "X-Hub-Signature-256": "sha256=" + sum},
		repo.Bitbucket: {"X-Event-Key": event, "X-Request-UUID": id, "X-Hub-Signature": "sha256=" + sum},
	}[h] {
		header.Set(name, value)
	}
	header.Set("Content-Type", "application/json")
	return Webhook{header, text}
}

// Ping is what a host sends first. GitLab, Gitea and Bitbucket send none, but a test of an event that sett has no use for.
func (s *Server) Ping(h repo.Host) Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	event := map[repo.Host]string{repo.GitHub: "ping", repo.GitLab: "Note Hook", repo.Gitea: "issue_comment", repo.Bitbucket: "repo:fork"}[h]
	return s.signed(h, event, object{"repository": s.repositoryOf(h)})
}

func (s *Server) repositoryOf(h repo.Host) object {
	o := s.hubRepository()
	if h == repo.Bitbucket {
		o["links"] = s.bucketLinks("")
	}
	return o
}

// Push says that a branch moved. before is "" for a new branch, and after for a deleted one.
func (s *Server) Push(h repo.Host, branch, before, after string) Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	var commits []commit // oldest first
	forced := false
	switch {
	case after != "" && before != "":
		commits = s.log("--reverse", before+".."+after)
		forced = len(s.log("-1", after+".."+before)) > 0
	case after != "" && branch != "main":
		commits = s.log("--reverse", "main.."+after)
	case after != "":
		commits = s.log("--reverse", after)
	}
	for i := range commits {
		commits[i] = s.withFiles(commits[i])
	}
	if h == repo.Bitbucket {
		changes := []object{s.bucketPush(branch, before, after, forced, commits)}
		return s.signed(h, "repo:push", object{"repository": s.repositoryOf(h), "push": object{"changes": changes}})
	}
	body := object{"ref": "refs/heads/" + branch, "before": orZeros(before), "after": orZeros(after), "repository": s.repositoryOf(h)}
	total := len(commits)
	switch h {
	case repo.GitHub:
		body["forced"], body["created"], body["deleted"] = forced, before == "", after == ""
	case repo.GitLab:
		commits = commits[max(0, total-20):]
		body["object_kind"], body["total_commits_count"], body["project"] = "push", total, object{"web_url": s.URL()}
	case repo.Gitea:
		slices.Reverse(commits)
		commits = commits[:min(total, 5)]
		body["total_commits"] = total
	}
	all := []object{}
	for _, c := range commits {
		all = append(all, s.pushed(h, c))
	}
	body["commits"] = all
	return s.signed(h, map[repo.Host]string{repo.GitHub: "push", repo.GitLab: "Push Hook", repo.Gitea: "push"}[h], body)
}

func orZeros(sha string) string {
	if sha == "" {
		return none
	}
	return sha
}

// pushed is a commit in a push of GitHub, GitLab or Gitea.
func (s *Server) pushed(h repo.Host, c commit) object {
	o := object{
		"id": c.sha, "message": c.message, "timestamp": c.at.Format(time.RFC3339), "url": s.commitURL(h, c.sha),
		"author": object{"name": c.author, "email": c.email},
	}
	lists := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	for _, f := range c.status {
		switch f.kind {
		case "A":
			lists["added"] = append(lists["added"], f.path)
		case "D":
			lists["removed"] = append(lists["removed"], f.path)
		case "R":
			lists["added"], lists["removed"] = append(lists["added"], f.path), append(lists["removed"], f.old)
		default:
			lists["modified"] = append(lists["modified"], f.path)
		}
	}
	for name, paths := range lists {
		o[name] = paths
	}
	return o
}

func (s *Server) bucketPush(branch, before, after string, forced bool, commits []commit) object {
	end := func(sha string) any {
		if sha == "" {
			return nil
		}
		return object{"type": "branch", "name": branch, "target": s.bucketCommit(s.one(sha))}
	}
	all := []object{}
	for _, c := range slices.Backward(commits) {
		if len(all) < 5 {
			all = append(all, s.bucketCommit(c))
		}
	}
	return object{
		"new": end(after), "old": end(before), "created": before == "", "closed": after == "", "forced": forced, "truncated": len(commits) > 5,
		"commits": all,
	}
}

// Changed says where a change stands now.
func (s *Server) Changed(h repo.Host, number int64) Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.change(number)
	switch h {
	case repo.GitLab:
		return s.signed(h, "Merge Request Hook", s.labHook(c))
	case repo.Bitbucket:
		event := map[repo.State]string{repo.Open: "pullrequest:updated", repo.Merged: "pullrequest:fulfilled", repo.Closed: "pullrequest:rejected"}[c.State]
		return s.signed(h, event, object{"repository": s.repositoryOf(h), "pullrequest": s.bucketChange(c)})
	}
	action := "edited"
	if c.State != repo.Open {
		action = "closed"
	}
	return s.signed(h, "pull_request", object{"action": action, "number": number, "pull_request": s.hubPull(h, c), "repository": s.repositoryOf(h)})
}

func (s *Server) labHook(c *change) object {
	merge, squash, head := s.labMerge(c)
	const layout = "2006-01-02 15:04:05 UTC"
	action := map[repo.State]string{repo.Open: "update", repo.Merged: "merge", repo.Closed: "close"}[c.State]
	return object{
		"object_kind": "merge_request", "user": object{"id": 4, "username": c.Author, "email": "[REDACTED]"}, "project": object{"web_url": s.URL()},
		"object_attributes": object{
			"iid": c.Number, "author_id": 4, "title": c.Title, "description": c.Body, "state": labStates[c.State], "action": action, "draft": c.Draft,
			"source_branch": c.Branch, "target_branch": c.Target, "source_project_id": sourceOf(c), "target_project_id": 7,
			"merge_commit_sha": orNull(merge), "squash_commit_sha": orNull(squash), "last_commit": object{"id": head},
			"updated_at": c.UpdatedAt.Format(layout), "url": s.changeURL(repo.GitLab, c.Number),
		},
	}
}

// Checked says what the checks of a commit say now.
func (s *Server) Checked(h repo.Host, sha string) Webhook {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick()
	at, c := s.now.Format(time.RFC3339), s.checks[sha]
	switch h {
	case repo.GitHub:
		suite := object{"head_sha": sha, "status": "completed", "conclusion": hubStates[c], "updated_at": at, "app": object{"name": "CI"}}
		if c == repo.ChecksRunning {
			suite["status"], suite["conclusion"] = "in_progress", nil
		}
		return s.signed(h, "check_suite", object{"action": "completed", "check_suite": suite, "repository": s.repositoryOf(h)})
	case repo.GitLab:
		return s.signed(h, "Pipeline Hook", object{
			"object_kind": "pipeline", "project": object{"web_url": s.URL()},
			"object_attributes": object{"sha": sha, "status": labChecks[c], "created_at": strings.NewReplacer("T", " ", "Z", " UTC").Replace(at)},
		})
	case repo.Gitea:
		return s.signed(h, "status", object{"sha": sha, "state": hubStates[c], "context": "ci", "created_at": at, "repository": s.repositoryOf(h)})
	}
	return s.signed(h, "repo:commit_status_updated", object{
		"repository":    s.repositoryOf(h),
		"commit_status": object{"key": "ci", "state": bucketChecks[c], "updated_on": at, "links": object{"commit": object{"href": s.at("/commit/" + sha)}}},
	})
}
