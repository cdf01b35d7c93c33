package webhook_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/webhook"
	"sett/internal/sett"
	"sett/internal/sett/repo"
)

var update = flag.Bool("update", false, "rewrite what the deliveries of testdata say")

const secret = "correct horse"

var now = time.Date(2026, 11, 20, 10, 1, 0, 0, time.UTC)

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// signed returns the header with which a host sends a delivery.
func signed(host repo.Host, event string, body []byte) http.Header {
	sum := hex.EncodeToString(mac([]byte(secret), string(body)))
	h := http.Header{"Content-Type": {"application/json"}}
	switch host {
	case repo.GitHub:
		h.Set("X-Hub-Signature-256", "sha256="+sum)
		h.Set("X-GitHub-Event", event)
		h.Set("X-GitHub-Delivery", "d-1")
	case repo.GitLab:
		h.Set("X-Gitlab-Token", secret)
		h.Set("X-Gitlab-Event", event)
		h.Set("Idempotency-Key", "d-1")
		h.Set("X-Gitlab-Event-UUID", "e-1")
	case repo.Gitea:
		h.Set("X-Gitea-Signature", sum)
		h.Set("X-Gitea-Event", event)
		h.Set("X-Gitea-Delivery", "d-1")
	case repo.Bitbucket:
		h.Set("X-Hub-Signature", "sha256="+sum)
		h.Set("X-Event-Key", event)
		h.Set("X-Request-UUID", "d-1")
	}
	return h
}

type delivery struct {
	Event string
	Body  json.RawMessage
}

// recorded are the deliveries of a host in testdata, by name.
func recorded(t *testing.T, host repo.Host) (all map[string]delivery) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + string(host) + ".json")
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDeliveriesAreRead compares what is read of every delivery with testdata/<host>.golden; -update rewrites it.
func TestDeliveriesAreRead(t *testing.T) {
	t.Parallel()
	for _, host := range repo.Hosts {
		got := map[string]repo.Delivery{}
		for name, one := range recorded(t, host) {
			d, err := webhook.Read(host, signed(host, one.Event, one.Body), one.Body, secret, now)
			if err != nil {
				t.Errorf("%s/%s: %v", host, name, err)
			}
			got[name] = d
		}
		text, err := json.Marshal(got)
		var all any
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err == nil {
			text, err = json.MarshalIndent(pruned(all), "", " ")
		}
		if err != nil {
			t.Fatal(err)
		}
		file := "testdata/" + string(host) + ".golden"
		if *update {
			if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(bytes.TrimSpace(want)), string(text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", host, diff)
		}
	}
}

// pruned is a value of JSON without what is empty.
func pruned(v any) any {
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	for name, one := range object {
		if object[name] = pruned(one); slices.Contains([]string{"<nil>", `""`, "false", `"0001-01-01T00:00:00Z"`}, fmt.Sprintf("%#v", one)) {
			delete(object, name)
		}
	}
	return object
}

// TestSameEventsMeanTheSame holds all hosts to one meaning of what happens to a change.
func TestSameEventsMeanTheSame(t *testing.T) {
	t.Parallel()
	for _, host := range repo.Hosts {
		for name, one := range recorded(t, host) {
			d, err := webhook.Read(host, signed(host, one.Event, one.Body), one.Body, secret, now)
			if err != nil {
				continue // the other test says so
			}
			kind, rest, _ := strings.Cut(strings.TrimSuffix(name, "_server"), "_")
			if (d.Change != nil) != (kind == "change") || (d.Checks != nil) != (kind == "checks") || d.ID != "d-1" {
				t.Errorf("%s/%s says %+v", host, name, d)
			}
			if d.Change == nil {
				continue
			}
			c := d.Change
			state := map[string]repo.State{
				"merged": repo.Merged, "squashed": repo.Merged, "rebased": repo.Merged, "closed": repo.Closed, "fork_deleted": repo.Closed,
			}[rest]
			if state == "" {
				state = repo.Open
			}
			if c.State != state || (c.MergeSHA != "") != (state == repo.Merged) || c.MergedAt.IsZero() == (state == repo.Merged) {
				t.Errorf("%s/%s is %s with %q at %v", host, name, c.State, c.MergeSHA, c.MergedAt)
			}
			if c.FromFork != strings.HasPrefix(rest, "fork") || c.Draft != (rest == "draft") || c.Number != 12 || c.UpdatedAt.IsZero() || c.HeadSHA == "" {
				t.Errorf("%s/%s is %+v", host, name, c)
			}
		}
	}
}

func TestForgedDeliveriesAreRefused(t *testing.T) {
	t.Parallel()
	body := []byte(`{"ref":"refs/heads/main"}`)
	for _, host := range repo.Hosts {
		unsigned := signed(host, "ping", body)
		for _, name := range []string{"X-Hub-Signature-256", "X-Hub-Signature", "X-Gitlab-Token", "X-Gitea-Signature"} {
			unsigned.Del(name)
		}
		for name, try := range map[string]struct {
			header http.Header
			body   string
			secret string
		}{
			"unsigned":       {unsigned, string(body), secret},
			"another body":   {signed(host, "ping", body), `{"ref":"refs/heads/evil"}`, secret},
			"another secret": {signed(host, "ping", body), string(body), "battery staple"},
			"no secret":      {signed(host, "ping", body), string(body), ""},
		} {
			if host == repo.GitLab && name == "another body" {
				continue // its plain token does not cover the body
			}
			d, err := webhook.Read(host, try.header, []byte(try.body), try.secret, now)
			if sett.CodeOf(err) != sett.Unauthenticated || !strings.Contains(err.Error(), "ecret") || !cmp.Equal(d, repo.Delivery{}) {
				t.Errorf("%s, %s: %v, %v", host, name, d, err)
			}
		}
	}
	sum := hex.EncodeToString(mac(nil, string(body)))
	empty := http.Header{
		"X-Gitlab-Token": {""}, "X-Hub-Signature-256": {"sha256=" + sum}, "X-Hub-Signature": {"sha256=" + sum}, "X-Gitea-Signature": {sum},
		"X-Gitlab-Event": {"ping"}, "X-Github-Event": {"ping"}, "X-Gitea-Event": {"ping"}, "X-Event-Key": {"ping"},
	}
	for _, host := range repo.Hosts {
		if _, err := webhook.Read(host, empty, body, "", now); sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("%s: an empty secret signs: %v", host, err)
		}
	}
}

func TestEachHostSignsInItsWays(t *testing.T) {
	t.Parallel()
	body := []byte("{}")
	sum := hex.EncodeToString(mac([]byte(secret), "{}"))
	key := []byte("0123456789abcdef0123456789abcdef")
	token := "whsec_" + base64.StdEncoding.EncodeToString(key)
	standard := func(at time.Time, key []byte) http.Header {
		stamp := strconv.FormatInt(at.Unix(), 10)
		return http.Header{
			"Webhook-Id": {"w-1"}, "Webhook-Timestamp": {stamp}, "X-Gitlab-Event": {"Note Hook"},
			"Webhook-Signature": {"v1,AAAA v1," + base64.StdEncoding.EncodeToString(mac(key, "w-1."+stamp+".{}"))},
		}
	}
	for i, c := range []struct {
		host   repo.Host
		header http.Header
		secret string
		ok     bool
	}{
		{repo.Gitea, http.Header{"X-Forgejo-Signature": {sum}, "X-Forgejo-Event": {"ping"}}, secret, true},
		{repo.Gitea, http.Header{"X-Hub-Signature-256": {"sha256=" + sum}, "X-Github-Event": {"ping"}}, secret, true},
		{repo.Bitbucket, http.Header{"X-Hub-Signature": {"sha256=" + sum}, "X-Event-Key": {"diagnostics:ping"}}, secret, true},
		{repo.GitHub, http.Header{"X-Hub-Signature": {"sha1=" + sum}, "X-Github-Event": {"ping"}}, secret, false},
		{repo.GitHub, http.Header{"X-Hub-Signature-256": {sum}, "X-Github-Event": {"ping"}}, secret, false},
		{repo.GitLab, standard(now, key), token, true},
		{repo.GitLab, standard(now.Add(-4*time.Minute), key), token, true},
		{repo.GitLab, standard(now.Add(-6*time.Minute), key), token, false},
		{repo.GitLab, standard(now.Add(6*time.Minute), key), token, false},
		{repo.GitLab, standard(now, []byte("another")), token, false},
	} {
		_, err := webhook.Read(c.host, c.header, body, c.secret, now)
		if c.ok && err != nil || !c.ok && sett.CodeOf(err) != sett.Unauthenticated {
			t.Errorf("%d: %v", i, err)
		}
	}
}

func TestFormsAreRead(t *testing.T) {
	t.Parallel()
	one := recorded(t, repo.GitHub)["change_merged"]
	body := []byte(url.Values{"payload": {string(one.Body)}}.Encode())
	header := signed(repo.GitHub, one.Event, body)
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	d, err := webhook.Read(repo.GitHub, header, body, secret, now)
	if err != nil || d.Change == nil || d.Change.State != repo.Merged {
		t.Errorf("%+v, %v", d, err)
	}
	body = []byte("other=1")
	header = signed(repo.GitHub, one.Event, body)
	header.Set("Content-Type", "application/x-www-form-urlencoded")
	if _, err := webhook.Read(repo.GitHub, header, body, secret, now); sett.CodeOf(err) != sett.Malformed {
		t.Error(err)
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host        repo.Host
		event, body string
		want        string
	}{
		{repo.GitHub, "push", "{", "its body is not valid JSON"},
		{repo.GitHub, "push", "{}", "no valid ref"},
		{repo.GitHub, "push", `{"ref":7}`, "field Ref is of another type, number"},
		{repo.GitHub, "push", `{"ref":"refs/heads/main","after":"main"}`, "no valid commit"},
		{repo.GitHub, "push", `{"ref":"refs/heads/main","after":"a1a1a1a1","commits":[{"id":"../x"}]}`, "no valid id of a commit"},
		{repo.GitHub, "pull_request", `{"pull_request":null}`, "no valid pull_request"},
		{repo.GitHub, "pull_request", `{"pull_request":{"number":1,"state":"lost"}}`, "no valid state"},
		{repo.GitHub, "status", `{}`, "no valid commit"},
		{repo.GitHub, "", `{}`, "no header X-GitHub-Event"},
		{repo.GitLab, "Push Hook", `{}`, "no valid branch"},
		{repo.GitLab, "Merge Request Hook", `[]`, "another type, array"},
		{repo.GitLab, "Merge Request Hook", `{"object_attributes":{"iid":1}}`, "no valid object_attributes.state"},
		{repo.Bitbucket, "repo:push", `{}`, "no valid push"},
		{repo.Bitbucket, "repo:refs_changed", `{}`, "no valid changes"},
		{repo.Bitbucket, "repo:refs_changed", `{"changes":[{"ref":{"id":"refs/heads/a"}}]}`, "no valid commit in toHash"},
		{repo.Bitbucket, "pr:merged", `{"pullRequest":{"id":1}}`, "no valid pullRequest.state"},
		{repo.Bitbucket, "pullrequest:created", `{"pullrequest":{"id":1}}`, "no valid pullrequest.state"},
		{"subversion", "push", `{}`, "not a kind of host"},
	} {
		d, err := webhook.Read(c.host, signed(c.host, c.event, []byte(c.body)), []byte(c.body), secret, now)
		if sett.CodeOf(err) != sett.Malformed || !strings.Contains(fmt.Sprint(err), c.want) || !cmp.Equal(d, repo.Delivery{}) {
			t.Errorf("%s %s %s: %v, want %q", c.host, c.event, c.body, err, c.want)
		}
	}
	_, err := webhook.Read(repo.GitHub, nil, make([]byte, webhook.MostBody+1), secret, now)
	if sett.CodeOf(err) != sett.TooLarge {
		t.Error("a long body:", err)
	}
}

func TestHostileDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 50_000)
	commit := map[string]any{
		"id": strings.Repeat("A1", 20), "message": "a\x00b" + long, "url": "javascript:alert(1)", "timestamp": "soon",
		"author": map[string]any{"name": long, "email": "no"}, "added": make([]string, 0), "modified": strings.Split(strings.Repeat("p ", 3_500), " "),
	}
	commits := make([]any, 2_100)
	for i := range commits {
		commits[i] = map[string]any{"id": strings.Repeat("b2", 20)}
	}
	commits[len(commits)-1] = commit
	body, err := json.Marshal(map[string]any{"ref": "refs/heads/" + long, "after": strings.Repeat("A1", 20), "commits": commits})
	if err != nil {
		t.Fatal(err)
	}
	d, err := webhook.Read(repo.GitHub, signed(repo.GitHub, "push", body), body, secret, now)
	if err != nil {
		t.Fatal(err)
	}
	last := d.Push.Commits[len(d.Push.Commits)-1]
	if len(d.Push.Commits) != 2_048 || d.Push.Complete || len(d.Push.Branch) != 500 || d.Push.After != strings.Repeat("a1", 20) {
		t.Errorf("%d commits, complete: %v, branch of %d bytes, %s", len(d.Push.Commits), d.Push.Complete, len(d.Push.Branch), d.Push.After)
	}
	if len(last.Message) > 64<<10 || !strings.HasPrefix(last.Message, "abä") || last.URL != "" || len(last.Author) > 200 || last.Email != "" ||
		!last.At.IsZero() || last.Files != nil {
		t.Errorf("%d bytes, %q, %d, %q, %v, %d files", len(last.Message), last.URL, len(last.Author), last.Email, last.At, len(last.Files))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("push", []byte(`{"ref":"refs/heads/main","after":"a1a1a1a1"}`))
	f.Fuzz(func(t *testing.T, event string, body []byte) {
		for _, host := range repo.Hosts {
			d, err := webhook.Read(host, signed(host, event, body), body, secret, now)
			if err != nil && !cmp.Equal(d, repo.Delivery{}) {
				t.Errorf("an error beside %+v", d)
			}
		}
	})
}
