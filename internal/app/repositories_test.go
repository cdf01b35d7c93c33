package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/sett/repo"
	"sett/internal/setttest"
	"sett/internal/setttest/githost"
)

// codeStory is a project whose program is in a repository at a host.
type codeStory struct {
	*setttest.Server
	t       *testing.T
	git     *githost.Server
	host    repo.Host
	project string // path
	hook    string // address of the webhook
	secret  string // of the webhook
}

func newCodeStory(t *testing.T, host repo.Host, settings string) *codeStory {
	t.Helper()
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	c := &codeStory{Server: s, t: t, git: githost.New(t), host: host, project: fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)}
	c.git.At(s.Clock.Now().Add(-24 * time.Hour))
	s.Put(c.project, `{"project":{"resolve_errors_on_deploy":false}}`)
	var made struct {
		WebhookURL    string `json:"webhook_url"`
		WebhookSecret string `json:"webhook_secret"`
	}
	s.Post(c.project+"/repositories", fmt.Sprintf(`{"repository":{"url":%q,"host":%q%s}}`, c.git.URL(), host, settings)).Into(&made)
	c.secret = made.WebhookSecret
	c.git.SignWith(c.secret)
	c.hook = s.Base + made.WebhookURL[strings.Index(made.WebhookURL, "/v1/"):]
	return c
}

func (c *codeStory) post(w githost.Webhook, want int) {
	c.t.Helper()
	if got := w.Post(c.t, c.hook); got != want {
		c.t.Fatalf("the webhook is answered with %d, want %d", got, want)
	}
}

func (c *codeStory) deploy(revision string) {
	c.t.Helper()
	c.Clock.Push(time.Minute)
	c.Do("POST", "/v1/deploys", fmt.Sprintf(`{"deploy":{"environment":"production","revision":%q}}`, revision)).Want(http.StatusCreated)
}

// fail reports an error in line 2 of a file.
func (c *codeStory) fail(class, file, revision string) (fault string) {
	c.t.Helper()
	c.Clock.Push(time.Minute)
	c.Do("POST", "/v1/notices", fmt.Sprintf(`{"error":{"class":%q,"message":"It is %s","backtrace":[{"file":"[PROJECT_ROOT]/%s","number":"2","method":"total","context":"app"}]},
		"server":{"environment_name":"production","revision":%q,"project_root":"/srv/shop"}}`, class, class, file, revision)).Want(http.StatusCreated)
	var found struct{ Results []struct{ ID int64 } }
	c.Get(c.project + "/faults?q=class:" + class).Into(&found)
	if len(found.Results) != 1 {
		c.t.Fatalf("%d faults of the class %s", len(found.Results), class)
	}
	return fmt.Sprintf("%s/faults/%d", c.project, found.Results[0].ID)
}

type codeFault struct {
	Resolved   bool
	ResolvedIn *string `json:"resolved_in"`
}

func (c *codeStory) wantFault(what, fault, resolvedIn string) {
	c.t.Helper()
	until(c.t, func() []string {
		var f codeFault
		c.Get(fault).Into(&f)
		if got := f.ResolvedIn; f.Resolved == (resolvedIn != "") && (resolvedIn == "" || got != nil && *got == resolvedIn) {
			return nil
		}
		return []string{fmt.Sprintf("%s: the fault is %+v, want it resolved in %q", what, f, resolvedIn)}
	})
}

func (c *codeStory) wantChanges(what, fault string, want ...string) {
	c.t.Helper()
	until(c.t, func() []string {
		var list struct {
			Results []struct{ Title, Standing, State string }
		}
		c.Get(fault + "/changes").Into(&list)
		var got []string
		for _, r := range list.Results {
			got = append(got, r.Title+": "+r.Standing)
		}
		if strings.Join(got, "\n") == strings.Join(want, "\n") {
			return nil
		}
		return []string{fmt.Sprintf("%s: the changes are %q, want %q", what, got, want)}
	})
}

// From the commit that broke something to the deploy of its repair, at each host, from a real repository.
func TestFromCommitToFix(t *testing.T) {
	t.Parallel()
	for _, host := range repo.Hosts {
		t.Run(string(host), func(t *testing.T) {
			t.Parallel()
			c := newCodeStory(t, host, fmt.Sprintf(`,"token":%q,"comments":true`, githost.Token))
			g := c.git
			first := g.Commit("main", "Begin", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  sum", "end"), "app/other.rb": githost.Text("a", "b")})
			g.Commit("bad", "Round totals", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  round", "end")})
			breaking := g.Open("bad", "Round totals", "")
			bad := g.Merge(breaking, githost.Squash)
			c.deploy(first)
			c.deploy(bad)
			fault := c.fail("TotalError", "app/cart.rb", bad)
			until(t, func() []string {
				answer := c.Do("GET", fault+"/suspect_commit", nil)
				var s struct{ Outcome, Why, SHA string }
				if answer.Status == http.StatusOK {
					answer.Into(&s)
				}
				if s.Outcome == "found" && s.SHA == bad && strings.Contains(s.Why, "line 2 of app/cart.rb") {
					return nil
				}
				return []string{fmt.Sprintf("the suspect is %+v (%d), want %s", s, answer.Status, bad)}
			})
			until(t, func() []string {
				if said := strings.Join(g.Comments(breaking), ""); strings.Contains(said, "TotalError") && strings.Contains(said, "/faults/") {
					return nil
				}
				return []string{"the change that broke it has no comment"}
			})

			id := fault[strings.LastIndexByte(fault, '/')+1:]
			g.Commit("repair", "Round later", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  sum.round", "end")})
			number := g.Open("repair", "Round later", "Fixes SETT-"+id)
			g.SignWith("guessed")
			c.post(g.Changed(host, number), http.StatusUnauthorized)
			g.SignWith(c.secret)
			c.wantChanges("a forged webhook", fault)
			opened := g.Changed(host, number)
			c.post(opened, http.StatusCreated)
			c.wantChanges("a change is open", fault, "Round later: open")
			c.deploy(bad)
			landed := g.Merge(number, githost.Squash)
			c.post(g.Changed(host, number), http.StatusCreated)
			c.post(opened, http.StatusCreated) // again, late
			c.wantChanges("the change is merged", fault, "Round later: merged, waits for a deploy")
			c.wantFault("the merge alone", fault, "")
			c.deploy(landed)
			c.wantFault("deployed", fault, landed)
			c.wantChanges("deployed", fault, "Round later: deployed in "+repo.Short(landed))
			var release struct{ Commits []struct{ ID string } }
			c.Get(c.project + "/releases/" + landed).Into(&release)
			if len(release.Commits) != 1 || release.Commits[0].ID != landed {
				t.Errorf("the commits of the release are %+v, want %s", release.Commits, landed)
			}

			reverted := g.Revert(landed)
			c.post(g.Push(host, "main", landed, reverted), http.StatusCreated)
			c.wantFault("reverted", fault, "")
			c.wantChanges("reverted", fault, "Round later: reverted by "+repo.Short(reverted))
		})
	}
}

// A flood of errors does not use up what a host answers: the others wait for the next hour.
func TestSuspectsAreLookedForOfSomeErrorsInAnHour(t *testing.T) {
	t.Parallel()
	c := newCodeStory(t, repo.GitHub, fmt.Sprintf(`,"token":%q`, githost.Token))
	sha := c.git.Commit("main", "Begin", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  sum", "end")})
	c.deploy(sha)
	store := c.App.Store()
	for i := range int64(100) {
		_, err := store.Write.ExecContext(t.Context(), store.Text(`INSERT INTO suspects (fault_id, project_id, repository_id, outcome, sha, message, author, email, at, url, change_number, why, revision, found_at)
			VALUES ($1, $2, 0, 'none', '', '', '', '', 0, '', 0, '', '', $3)`), 1_000_000+i, c.Setup.ProjectID, c.Clock.Now().UnixMicro())
		if err != nil {
			t.Fatal(err)
		}
	}
	fault := c.fail("TotalError", "app/cart.rb", sha)
	tries := func() (n int64) {
		if err := store.Read.QueryRowContext(t.Context(), `SELECT coalesce(max(tries), 0) FROM repository_work WHERE kind = 'fault'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	until(t, func() []string {
		if tries() > 0 {
			return nil
		}
		return []string{"the error was not looked at"}
	})
	c.Do("GET", fault+"/suspect_commit", nil).Want(http.StatusNotFound)
	c.Clock.Push(2 * time.Hour)
	until(t, func() []string {
		if answer := c.Do("GET", fault+"/suspect_commit", nil); answer.Status == http.StatusOK {
			return nil
		}
		return []string{"no commit was looked for an hour later"}
	})
}

// A file CODEOWNERS that cannot be read is not one that is missing.
func TestOwnersThatAreTooLong(t *testing.T) {
	t.Parallel()
	c := newCodeStory(t, repo.GitHub, "")
	c.git.Commit("main", "Begin", map[string]*string{".github/CODEOWNERS": githost.Text(strings.Repeat("x", 3<<20+1)), "CODEOWNERS": githost.Text("* ada@example.org")})
	var all struct {
		Results []struct{ ID int64 }
	}
	c.Get(c.project + "/repositories").Into(&all)
	c.Put(fmt.Sprintf("%s/repositories/%d", c.project, all.Results[0].ID), fmt.Sprintf(`{"repository":{"token":%q}}`, githost.Token))
	until(t, func() []string {
		var body struct {
			Ownership struct {
				Files []struct{ State, Problem string } `json:"codeowners"`
			}
		}
		c.Get(c.project + "/ownership").Into(&body)
		if f := body.Ownership.Files[0]; f.State != "failed" || !strings.Contains(f.Problem, "file .github/CODEOWNERS in commit main is longer than") {
			return []string{fmt.Sprintf("the file is %+v", f)}
		}
		return nil
	})
}

// A host goes on to send the webhooks of a repository that was renamed there. The answer says what to do.
func TestWebhooksOfARenamedRepository(t *testing.T) {
	t.Parallel()
	c := newCodeStory(t, repo.GitHub, "")
	commit := c.git.Commit("main", "Begin", nil)
	w := c.git.Push(repo.GitHub, "main", "", commit)
	var all struct{ Results []struct{ ID int64 } }
	c.Get(c.project + "/repositories").Into(&all)
	c.Put(fmt.Sprintf("%s/repositories/%d", c.project, all.Results[0].ID), `{"repository":{"url":"https://github.com/acme/before"}}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.hook, bytes.NewReader(w.Body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = w.Header.Clone()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "was renamed, enter its new address") {
		t.Errorf("%d %s, %v", answer.StatusCode, text, err)
	}
}
