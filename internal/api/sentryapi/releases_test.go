package sentryapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

func TestAReleaseFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		const path = releasesPath + "shop@1.2.3%2B5/"
		call(t, s, "GET", path, "", http.StatusNotFound)
		call(t, s, "PUT", path, `{"dateReleased":"2026-11-22T21:24:50Z"}`, http.StatusNotFound)
		got := call(t, s, "POST", releasesPath, `{"version":"shop@1.2.3+5","projects":["shop"],"url":null,"ref":"main"}`, http.StatusCreated)
		if got["version"] != "shop@1.2.3+5" || got["ref"] != "main" || got["dateCreated"] == nil || got["dateReleased"] != nil {
			t.Errorf("created: %v", got)
		}
		for _, name := range []string{`"Shop"`, fmt.Sprintf("%d", s.Setup.ProjectID), fmt.Sprintf(`"%d"`, s.Setup.ProjectID)} {
			call(t, s, "POST", releasesPath, `{"version":"shop@1.2.3+5","projects":[`+name+`]}`, http.StatusOK)
		}
		call(t, s, "PUT", path, `{"dateReleased":"2026-11-22T21:24:50Z","commits":[{"id":"bbb","message":"Two\n\nmore","author_name":"Ann","author_email":"ann@example.test","timestamp":"2026-11-20T10:00:00+01:00","patch_set":[{"path":"a","type":"A"}]},{"id":"aaa"}]}`, http.StatusOK)
		if got := call(t, s, "GET", path, "", http.StatusOK); got["dateReleased"] != "2026-11-22T21:24:50Z" || got["ref"] != "main" {
			t.Errorf("changed: %v", got)
		}
		commits, err := s.App.Store().Releases.Commits(t.Context(), s.Setup.ProjectID, "shop@1.2.3+5")
		if err != nil || len(commits) != 2 || commits[0].SHA != "bbb" || commits[0].Message != "Two" || !commits[0].At.Equal(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)) {
			t.Errorf("the commits are %+v, %v", commits, err)
		}
		s.Clock.Push(time.Minute)
		call(t, s, "POST", releasesPath, `{"version":"2","projects":["shop"],"refs":[{"repository":"acme/shop","commit":"ccc"}]}`, http.StatusCreated)
		if got := call(t, s, "GET", releasesPath+"2/previous-with-commits/", "", http.StatusOK); fmt.Sprint(got) != "map[lastCommit:map[id:bbb] version:shop@1.2.3+5]" {
			t.Errorf("the release before: %v", got)
		}
		list := string(ask(t, s, s.Token, "GET", "/api/0/projects/acme/shop/releases/", "", nil).body)
		if !strings.HasPrefix(list, `[{"version":"2"`) || !strings.Contains(list, `"version":"shop@1.2.3+5"`) || !strings.Contains(list, `"ref":"ccc"`) {
			t.Errorf("the list is %s", list)
		}
		call(t, s, "DELETE", path, "", http.StatusNoContent)
		call(t, s, "DELETE", path, "", http.StatusNotFound)
		if audit := string(s.Get("/v2/accounts/" + s.Setup.AccountID + "/audit_log?action=deleteRelease").Want(http.StatusOK).Body); !strings.Contains(audit, `"version":"shop@1.2.3+5"`) {
			t.Errorf("the audit log has %s", audit)
		}
	})
}

// A deploy is one of sett: it resolves errors and appears in the list of deploys. That a release is finalized is none.
func TestADeployOfARelease(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		project := fmt.Sprintf("/v2/projects/%d", s.Setup.ProjectID)
		s.Put(project, map[string]any{"project": map[string]any{"resolve_errors_on_deploy": true}}).Want(http.StatusNoContent)
		s.Do("POST", "/v1/notices", `{"error":{"class":"Old","message":"x"},"server":{"environment_name":"production"}}`).Want(http.StatusCreated)
		s.Post("/v2/projects?account_id="+s.Setup.AccountID, map[string]any{"project": map[string]any{"name": "Other"}}).Want(http.StatusCreated)
		call(t, s, "POST", releasesPath+"1/deploys/", `{"environment":"production"}`, http.StatusNotFound)
		call(t, s, "POST", releasesPath, `{"version":"1","projects":["shop"]}`, http.StatusCreated)
		call(t, s, "PUT", releasesPath+"1/", `{"dateReleased":"2026-11-22T21:24:50Z"}`, http.StatusOK)
		count := func() any { return len(s.Get(project + "/deploys").Want(http.StatusOK).JSON()["results"].([]any)) }
		if count() != 0 {
			t.Error("finalizing a release has recorded a deploy")
		}
		finished := s.Clock.Now().Add(-time.Minute).Format(time.RFC3339Nano)
		body := fmt.Sprintf(`{"environment":"production","name":"web","url":null,"dateStarted":null,"dateFinished":%q}`, finished)
		got := call(t, s, "POST", releasesPath+"1/deploys/", body, http.StatusCreated)
		if got["environment"] != "production" || got["name"] != "web" || got["id"] == "" {
			t.Errorf("the answer is %v", got)
		}
		if faults := s.Get(project + "/faults?q=is:resolved").Want(http.StatusOK).JSON()["results"].([]any); len(faults) != 1 {
			t.Errorf("%d errors are resolved, want 1", len(faults))
		}
		deploys := s.Get(project + "/deploys").Want(http.StatusOK).JSON()["results"].([]any)
		if len(deploys) != 1 || deploys[0].(map[string]any)["revision"] != "1" || deploys[0].(map[string]any)["created_at"] != s.Clock.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano) {
			t.Errorf("the deploys are %v", deploys)
		}
		call(t, s, "POST", releasesPath+"1/deploys/", `{"environment":" "}`, http.StatusUnprocessableEntity)
		list := string(ask(t, s, s.Token, "GET", releasesPath+"1/deploys/", "", nil).body)
		if strings.Count(list, `"environment":"production"`) != 1 {
			t.Errorf("the list is %s", list)
		}
		call(t, s, "POST", releasesPath, `{"version":"2","projects":["shop"]}`, http.StatusCreated)
		if list := string(ask(t, s, s.Token, "GET", releasesPath+"2/deploys/", "", nil).body); strings.TrimSpace(list) != "[]" {
			t.Errorf("another release has the deploys %s", list)
		}
	})
}

func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	store := s.App.Store()
	errorsOnly, err := store.Accounts.AddProjectKey(t.Context(), s.Clock.Now(), s.Setup.ProjectID, accounts.ScopeNotices, "")
	if err != nil {
		t.Fatal(err)
	}
	member, _ := s.AddUser(t, "member@example.test", accounts.Member) // of no team
	stranger := s.AddStranger(t, "eve@evil.test")
	call(t, s, "POST", releasesPath, `{"version":"1","projects":["shop"]}`, http.StatusCreated)
	s.Post("/v2/projects?account_id="+s.Setup.AccountID, map[string]any{"project": map[string]any{"name": "Other"}}).Want(http.StatusCreated)
	const create, other = `{"version":"2","projects":["shop"]}`, `{"version":"2","projects":["other"]}`
	for _, c := range []struct {
		token, method, path, body string
		status                    int
	}{
		{"", "GET", "/api/0/", "", 401},
		{"wrong", "GET", "/api/0/", "", 401},
		{s.Token, "GET", "/api/0/", "", 200},
		{s.Key, "GET", "/api/0/", "", 200},
		{errorsOnly, "GET", "/api/0/", "", 403},
		{"", "POST", chunkPath, "", 401},
		{s.Token, "GET", "/api/0/organizations/" + s.Setup.AccountID + "/", "", 200},
		{s.Token, "GET", "/api/0/organizations/Acme/", "", 200},
		{s.Token, "GET", "/api/0/organizations/nowhere/", "", 404},
		{stranger.Token, "GET", "/api/0/organizations/acme/", "", 404},
		{stranger.Token, "GET", releasesPath + "1/", "", 404},
		{member.Token, "GET", "/api/0/organizations/acme/", "", 200},
		{member.Token, "POST", releasesPath, create, 404},
		{member.Token, "GET", releasesPath + "1/", "", 404},
		{member.Token, "DELETE", releasesPath + "1/", "", 404},
		{s.Key, "POST", releasesPath, create, 201},
		{s.Key, "POST", releasesPath, other, 404},
		{s.Key, "POST", releasesPath + "2/deploys/", `{"environment":"production"}`, 201},
		{s.Key, "DELETE", releasesPath + "1/", "", 403},
		{errorsOnly, "POST", releasesPath, create, 403},
		{s.Token, "POST", releasesPath, `{"version":"..","projects":["shop"]}`, 422},
		{s.Token, "POST", releasesPath, other, 201},
		{s.Token, "DELETE", releasesPath + "1/", "", 204},
	} {
		got := ask(t, s, c.token, c.method, c.path, "application/json", []byte(c.body))
		if got.status != c.status || c.status >= 400 && !strings.HasPrefix(string(got.body), `{"detail":"`) {
			t.Errorf("%s %s with %.12s: status %d %s, want %d", c.method, c.path, c.token, got.status, got.body, c.status)
		}
	}
}
