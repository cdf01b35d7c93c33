package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

// projectPath is the path of a project and what follows it.
func projectPath(id int64, rest string) string { return fmt.Sprintf("/v2/projects/%d%s", id, rest) }

// withProject is the body that creates or updates a project.
func withProject(fields map[string]any) map[string]any { return map[string]any{"project": fields} }

func createProject(t *testing.T, c *setttest.Client, name string) (p api.Project) {
	t.Helper()
	c.Post("/v2/projects", withProject(map[string]any{"name": name})).Want(http.StatusCreated).Into(&p)
	return p
}

// report sends a notice with the key of a project.
func report(c *setttest.Client, key, class, environment string) *setttest.Response {
	body := map[string]any{"error": map[string]any{"class": class, "message": "broken"}, "server": map[string]any{"environment_name": environment}}
	return c.Do("POST", "/v1/notices", body, "X-API-Key", key)
}

func TestAProjectFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made := createProject(t, s.Client, "Billing")
		owner := &sett.Person{ID: s.Setup.UserID, Email: "owner@example.test", Name: "Olga Owner"}
		want := api.Project{
			ID: made.ID, AccountID: s.Setup.AccountID, Name: "Billing", Active: true, CreatedAt: s.Clock.Now(), Environments: []string{},
			Token: made.Token, Owner: owner, Sites: []api.SiteSummary{}, Teams: []accounts.TeamName{}, Users: []sett.Person{*owner},
			ResolveErrorsOnDeploy: true, PurgeDays: 90,
		}
		if diff := cmp.Diff(want, made); diff != "" {
			t.Errorf("the new project (-want +got):\n%s", diff)
		}

		report(s.Client, made.Token, "Boom", "staging").Want(http.StatusCreated)
		s.Put(projectPath(made.ID, "/"), withProject(map[string]any{"language": "golang", "purge_days": 7})).Want(http.StatusNoContent)
		s.Put(projectPath(made.ID, ""), withProject(map[string]any{"purge_days": nil})).Want(http.StatusNoContent)
		language, now := "golang", s.Clock.Now()
		want.Language, want.Environments, want.FaultCount, want.UnresolvedFaultCount = &language, []string{"staging"}, 1, 1
		want.EarliestNoticeAt, want.LastNoticeAt = &now, &now
		var got api.Project
		s.Get(projectPath(made.ID, "")).Into(&got)
		if diff := cmp.Diff(want, got, cmp.Comparer(sameMillisecond)); diff != "" {
			t.Errorf("the project later (-want +got):\n%s", diff)
		}

		s.Delete(projectPath(made.ID, "")).Want(http.StatusNoContent)
		report(s.Client, made.Token, "Boom", "staging").Want(http.StatusForbidden)
		for _, r := range []*setttest.Response{
			s.Do("GET", projectPath(made.ID, ""), nil), s.Delete(projectPath(made.ID, "")),
			s.Put(projectPath(made.ID, ""), withProject(map[string]any{"name": "New"})),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Project not found" {
				t.Errorf("the deleted project: %q", text)
			}
		}
	})
}

func TestAProjectShowsItsSites(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		change := checks.SiteChange{URL: sett.Some("https://shop.example.test"), Name: sett.Some("Shop")}
		made, err := s.App.Store().Uptime.CreateSite(t.Context(), s.Clock.Now(), s.Setup.ProjectID, change)
		if err != nil {
			t.Fatal(err)
		}
		want := []api.SiteSummary{{ID: made.ID.String(), Name: "Shop", URL: "https://shop.example.test", Active: true, State: "pending"}}
		check := func(when string) {
			t.Helper()
			var got api.Project
			s.Get(projectPath(s.Setup.ProjectID, "")).Into(&got)
			if diff := cmp.Diff(want, got.Sites); diff != "" {
				t.Errorf("%s (-want +got):\n%s", when, diff)
			}
		}
		check("before a check")
		now := s.Clock.Now()
		if _, err := s.App.Store().Uptime.Occupy(t.Context(), now, checks.Virginia, "test", false, time.Minute); err != nil {
			t.Fatal(err)
		}
		report := checks.CheckReport{SiteID: made.ID, Location: checks.Virginia, Revision: made.Revision, Result: checks.ProbeResult{At: now, Up: true}}
		if _, err := s.App.Store().Uptime.RecordChecks(t.Context(), now, []checks.CheckReport{report}); err != nil {
			t.Fatal(err)
		}
		want[0].State, want[0].LastCheckedAt = "up", &now
		check("after one")
	})
}

// sameMillisecond compares times of notices, which are made distinct by some microseconds.
func sameMillisecond(a, b time.Time) bool { return a.Sub(b).Abs() < time.Millisecond }

func TestProjectBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const wrap = `Please correct: project must be an object that contains the fields, as in {"project": {"name": "Shop"}}.`
	for _, c := range []struct {
		body   string
		status int
		errors string
	}{
		{`{"project":{"name":"x","purge_days":0,"language":"cobol"}}`, 422, "Please correct: language is not included in the list: js, elixir, golang, java, node, php, python, ruby, other; purge_days must be from 1 to 3650."},
		{`{"project":{"name":" "}}`, 422, "Please correct: name can't be blank."},
		{`{"name":"x"}`, 422, wrap},
		{`{"project":null}`, 422, wrap},
		{`{"project":[]}`, 422, "Please correct: project must be an object."},
		{`[]`, 422, "The request body is not a JSON object. Send a JSON object in the request body."},
		{`{"project":`, 400, "The request body is not valid JSON: it ends too early."},
		{``, 400, "The request body is empty. Send a JSON object in the request body."},
	} {
		for _, r := range []*setttest.Response{s.Post("/v2/projects", c.body), s.Put(projectPath(s.Setup.ProjectID, ""), c.body)} {
			if text := r.Want(c.status).Errors(); text != c.errors {
				t.Errorf("%s:\ngot  %s\nwant %s", c.body, text, c.errors)
			}
		}
	}
	s.Post("/v2/projects", `{"project":{}}`).Want(http.StatusUnprocessableEntity)
	s.Put(projectPath(s.Setup.ProjectID, ""), `{"project":{}}`).Want(http.StatusNoContent)
	var list serve.List[api.Project]
	if s.Get("/v2/projects").Into(&list); len(list.Results) != 1 || list.Results[0].Name != "Shop" {
		t.Errorf("a refused body left its mark: %+v", list.Results)
	}
}

func TestProjectsOfOneAccountOrAll(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		stranger := s.AddStranger(t, "stranger@example.test")
		theirs := createProject(t, stranger, "Theirs")
		for query, want := range map[string][]string{
			"": {"Shop"}, "?account_id=": {"Shop"}, "?account_id=" + s.Setup.AccountID: {"Shop"},
		} {
			if diff := cmp.Diff(want, names(s.Client, "/v2/projects"+query)); diff != "" {
				t.Errorf("projects%s (-want +got):\n%s", query, diff)
			}
		}
		for _, account := range []string{"nowhere", theirs.AccountID, "%20"} {
			for _, r := range []*setttest.Response{
				s.Do("GET", "/v2/projects?account_id="+account, nil),
				s.Post("/v2/projects?account_id="+account, withProject(map[string]any{"name": "Mine"})),
			} {
				if text := r.Want(http.StatusNotFound).Errors(); text != "Account not found" {
					t.Errorf("account %s: %q", account, text)
				}
			}
		}
		if diff := cmp.Diff([]string{"Theirs"}, names(stranger, "/v2/projects")); diff != "" {
			t.Errorf("projects of the stranger (-want +got):\n%s", diff)
		}

		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		for _, path := range []string{"/v2/projects", "/v2/projects?account_id=" + s.Setup.AccountID} {
			member.Post(path, withProject(map[string]any{"name": "Mine"})).Want(http.StatusForbidden)
		}
		admin, id := s.AddUser(t, "admin@example.test", accounts.Admin)
		if p := createProject(t, admin, "Another"); p.Owner == nil || p.Owner.ID != id || p.AccountID != s.Setup.AccountID {
			t.Errorf("the project of an admin has owner %+v and account %s", p.Owner, p.AccountID)
		}
	})
}

func names(c *setttest.Client, path string) (names []string) {
	var list serve.List[api.Project]
	c.Get(path).Into(&list)
	for _, p := range list.Results {
		names = append(names, p.Name)
	}
	return names
}

func TestProjectsPageByPage(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	want := []string{"Shop"}
	for i := range 6 {
		want = append(want, createProject(t, s.Client, fmt.Sprint("P", i)).Name)
	}
	var got []string
	for path, pages := "/v2/projects?limit=3", 0; path != "" && pages < 9; pages++ {
		var list serve.List[api.Project]
		s.Get(path).Into(&list)
		for _, p := range list.Results {
			got = append(got, p.Name)
		}
		if list.Links.Self != s.Base+path || (list.Links.Prev != "") != (pages > 0) {
			t.Errorf("links of %s: %+v", path, list.Links)
		}
		path = strings.TrimPrefix(list.Links.Next, s.Base)
		if pages == 0 {
			s.Delete(projectPath(list.Results[1].ID, "")).Want(http.StatusNoContent) // does not move entries to another page
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all pages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[4:6], names(s.Client, "/v2/projects?page=2&limit=3")[0:2]); diff != "" {
		t.Errorf("a page by its number (-want +got):\n%s", diff)
	}
	for _, query := range []string{"page=0", "page=x", "limit=0", "cursor=x", "cursor=-1"} {
		s.Do("GET", "/v2/projects?"+query, nil).Want(http.StatusUnprocessableEntity)
	}
}

// A key that the API made for errors only cannot do more, and the last one that may do all stays so.
func TestScopesOfProjectKeys(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		keys := projectPath(s.Setup.ProjectID, "/keys")
		body := func(label, scope any) map[string]any {
			return map[string]any{"key": map[string]any{"label": label, "scope": scope}}
		}
		var made, plain api.ProjectKey
		s.Post(keys, body("Web", "notices")).Into(&made)
		s.Post(keys, map[string]any{"key": map[string]any{"label": "Jobs"}}).Into(&plain)
		if made.Scope != "notices" || plain.Scope != "all" {
			t.Errorf("the scopes of new keys are %s and %s, want notices and all", made.Scope, plain.Scope)
		}
		deploy := func(key string, status int) {
			t.Helper()
			s.Do("POST", "/v1/deploys", map[string]any{"deploy": map[string]any{"environment": "production"}}, "X-API-Key", key).Want(status)
		}
		deploy(made.Key, http.StatusForbidden)
		deploy(plain.Key, http.StatusCreated)
		at := func(k api.ProjectKey) string { return keys + "/" + k.ID }
		s.Put(at(made), body("Shop", "all"))
		deploy(made.Key, http.StatusCreated)
		s.Put(at(made), body("Shop", "notices"))
		deploy(made.Key, http.StatusForbidden)
		s.Put(at(made), map[string]any{"key": map[string]any{"label": "Shop 2"}}) // leaves the scope as it is
		s.Get(at(made)).Into(&made)
		if made.Scope != "notices" || *made.Label != "Shop 2" {
			t.Errorf("after a change of its label a key is %+v", made)
		}
		for _, wrong := range []any{"deploys", "", 1, []string{"all"}} {
			for _, r := range []*setttest.Response{s.Do("POST", keys, body("X", wrong)), s.Do("PUT", at(plain), body("X", wrong))} {
				if r.Want(http.StatusUnprocessableEntity); !strings.Contains(r.Errors(), "scope") {
					t.Errorf("the scope %v is refused by %s", wrong, r.Errors())
				}
			}
		}
		s.Delete(at(plain))
		var list serve.List[api.ProjectKey]
		s.Get(keys).Into(&list)
		s.Do("PUT", at(list.Results[0]), body("Last", "notices")).Want(http.StatusConflict)
		s.Put(at(list.Results[0]), body("Last", nil)) // null is the default
		s.Get(keys).Into(&list)
		if n := len(list.Results); n != 2 || list.Results[0].Scope != "all" || *list.Results[0].Label != "Last" {
			t.Errorf("at the end there are %+v", list.Results)
		}
	})
}

func TestWhichProjectAKeyBelongsTo(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		var got map[string]any
		s.Get("/v2/project_keys/" + s.Setup.APIKey).Into(&got)
		var p api.Project
		s.Get(projectPath(s.Setup.ProjectID, "")).Into(&p)
		want := map[string]any{
			"project": map[string]any{"id": float64(p.ID), "name": "Shop", "created_at": p.CreatedAt.Format(time.RFC3339Nano)}, "scope": "all",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the project of a key (-want +got):\n%s", diff)
		}
		narrow, err := s.App.Store().Accounts.AddProjectKey(t.Context(), s.Clock.Now(), s.Setup.ProjectID, accounts.ScopeNotices, "")
		if err != nil {
			t.Fatal(err)
		}
		s.Get("/v2/project_keys/" + narrow).Into(&got)
		if got["scope"] != "notices" {
			t.Errorf("the scope of a key for errors only is %v", got["scope"])
		}
		member, _ := s.AddUser(t, "member@example.test", accounts.Member)
		s.Do("GET", "/v2/project_keys/sett_p_nothing", nil).Want(http.StatusNotFound)
		member.Do("GET", "/v2/project_keys/"+s.Setup.APIKey, nil).Want(http.StatusNotFound)
		s.AddStranger(t, "stranger@example.test").Do("GET", "/v2/project_keys/"+s.Setup.APIKey, nil).Want(http.StatusNotFound)
	})
}
